// Handlers: for whoever operates the engine.

import { askedPage } from '../page.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf, RequestContext } from './handler.ts';

export const operationHandlers: HandlersOf<
  | 'health'
  | 'ready'
  | 'metrics'
  | 'audit'
  | 'getStats'
  | 'vacuum'
  | 'backUp'
  | 'whoAmI'
  | 'createKey'
  | 'listKeys'
  | 'rotateKey'
  | 'revokeKey'
> = {
  health() {
    return { status: 'ok' };
  },
  async ready(_, { engine }) {
    await engine.runs({ limit: 1 });
    return { status: 'ready' };
  },
  metrics(_, { metrics }) {
    return metrics();
  },
  audit(_, { engine }) {
    return engine.audit();
  },
  getStats(_, { engine }) {
    return engine.stats();
  },
  async vacuum(_, { engine }) {
    await engine.vacuum();
    return undefined;
  },
  backUp(_, { access, backup }) {
    if (backup !== null) return backup(access.tenant);
    throw new RequestError(
      501,
      'NOT_AVAILABLE',
      'Expected a server that keeps backups, but this one has no place for them',
    );
  },
  whoAmI(_, { access }) {
    const { tenant, scopes, keyId } = access;
    return { tenant, scopes: [...scopes], keyId };
  },
  createKey(request, context) {
    return keysOf(context).create(request, context.access);
  },
  listKeys(paging, context) {
    return askedPage(
      paging,
      (page) => keysOf(context).list(page, context.access),
      ({ id }) => id,
    );
  },
  rotateKey({ id, graceMs }, context) {
    return keysOf(context).rotate(id, graceMs, context.access);
  },
  async revokeKey({ id }, context) {
    await keysOf(context).revoke(id, context.access);
    return undefined;
  },
};

function keysOf({ keys }: RequestContext) {
  if (keys !== null) return keys;
  throw new RequestError(501, 'NOT_AVAILABLE', 'Expected a server that keeps keys, but this one has none');
}
