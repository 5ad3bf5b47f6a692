// Handlers: for whoever operates the engine.

import { askedPage } from '../page.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf, Surroundings } from './handler.ts';

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
  createKey({ body }, surroundings) {
    return keysOf(surroundings).create(body, surroundings.access);
  },
  listKeys({ query }, surroundings) {
    const { access } = surroundings;
    return askedPage(
      query,
      (page) => keysOf(surroundings).list(page, access),
      ({ id }) => id,
    );
  },
  rotateKey({ params, body }, surroundings) {
    return keysOf(surroundings).rotate(params.id, body.graceMs, surroundings.access);
  },
  async revokeKey({ params }, surroundings) {
    await keysOf(surroundings).revoke(params.id, surroundings.access);
    return undefined;
  },
};

function keysOf({ keys }: Surroundings) {
  if (keys !== null) return keys;
  throw new RequestError(501, 'NOT_AVAILABLE', 'Expected a server that keeps keys, but this one has none');
}
