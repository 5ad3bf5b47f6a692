// Handlers: who may use the server: keys, sessions, tokens.

import { HeddleError } from '../../base/heddle-error.ts';
import type { accessOperations, Identity, Only, TokenRequest } from '../../operations/access.ts';
import { askedPage } from '../../operations/pages.ts';
import { type Access, unauthorized } from '../access.ts';
import { RequestError } from '../problem-document.ts';
import { refuseForeignSignIn, sessionCookie } from '../sessions.ts';
import type { HandlersOf, RequestContext } from './handler.ts';

export const accessHandlers: HandlersOf<keyof typeof accessOperations> = {
  whoAmI(_, { access }) {
    return identityOf(access);
  },

  async signIn({ key }, context) {
    refuseForeignSignIn(context.sender);
    const session = await keysOf(context).signIn(key);
    if (session === null) throw unauthorized('Expected a valid key, but this one opens nothing');
    const { access, text, forMs, expiresAt } = session;
    context.setCookie(sessionCookie(text, forMs, context.sender));
    return { ...identityOf(access), expiresAt };
  },

  async signOut(_, context) {
    const { sessionId } = context.access;
    if (sessionId !== undefined) await keysOf(context).sessions.end(sessionId);
    context.setCookie(sessionCookie('', 0, context.sender));
    return undefined;
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

  async createToken(request, context) {
    const { runId: _, workflow: __, ...wanted } = request;
    const only = await onlyOf(request, context);
    return keysOf(context).tokens.create({ ...wanted, only }, context.access);
  },

  listIssuedTokens(paging, context) {
    return askedPage(
      paging,
      (page) => keysOf(context).tokens.list(page, context.access),
      ({ id }) => id,
    );
  },

  async revokeToken({ id }, context) {
    await keysOf(context).tokens.revoke(id, context.access);
    return undefined;
  },
};

function identityOf({ tenant, scopes, keyId, sessionId, only }: Access): Identity {
  const via = sessionId !== undefined ? 'session' : keyId === null ? 'open' : 'key';
  return { tenant, scopes: [...scopes], keyId, via, only: only ?? null };
}

/** What a token is for, which is there. */
async function onlyOf({ runId, workflow = '' }: TokenRequest, { engine }: RequestContext): Promise<Only> {
  if (runId === undefined) {
    const { id } = await engine.perform('getDefinition', { id: workflow });
    return { workflow: id };
  }
  const { parentRunId, rootRunId } = await engine.run(runId).summary();
  if (parentRunId === null) return { runId };
  const message = `Expected a run that no other has called, but ${runId} belongs to ${rootRunId}`;
  throw new HeddleError('RUN_NOT_ROOT', message, { hint: 'A token of the root reaches the runs below it, too.' });
}

function keysOf({ keys }: RequestContext) {
  if (keys !== null) return keys;
  throw new RequestError(501, 'NOT_AVAILABLE', 'Expected a server that keeps keys, but this one has none');
}
