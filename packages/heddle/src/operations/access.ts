// Operations on access: who may use a server, and what they may do: keys, sessions of browsers, tokens for one run or one
// workflow.

import { answer, nothing, operation } from './operation.ts';
import { type NoRequest, noRequest, type Page, type Paging, page, paging } from './parts.ts';
import { anyText, choice, list, object, optional, orNull, text, time, whole, withOneOf } from './schema.ts';
import { everyScope, scopes } from './scope.ts';

// -------------------------------------------------------------------------------------------------------- identity

/** What a token is for: a run with the runs below it, or the runs of a workflow. */
export type Only = { readonly runId: string } | { readonly workflow: string };

export interface Identity {
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** Of the key or the token; null for whoever needs none. */
  readonly keyId: string | null;
  /** How the request was let in: by a key or token, by a session, or because no key was ever made. */
  readonly via: 'key' | 'session' | 'open';
  /** What a token is for; null: all that the scopes say. */
  readonly only: Only | null;
}

const scope = choice<string>([everyScope, ...scopes]);
const only = object<Only>(
  { runId: optional(anyText('A run, and the runs below it.')), workflow: optional(anyText('The runs of a workflow.')) },
  'Only',
);

const identityMembers = {
  tenant: anyText(),
  scopes: list(scope),
  keyId: orNull(anyText('Of the key or the token.')),
  via: choice(['key', 'session', 'open'], 'By a key or token, by a session, or because no key was ever made.'),
  only: orNull(only),
};

// -------------------------------------------------------------------------------------------------------- sessions

export interface SignInRequest {
  readonly key: string;
}

export interface Session extends Identity {
  readonly expiresAt: number;
}

// ------------------------------------------------------------------------------------------------------------ keys

export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface NewKey extends KeyInfo {
  /** Shown this once. */
  readonly key: string;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Default: the tenant of the key that asks. */
  readonly tenant?: string;
  readonly expiresAt?: number;
}

export interface OneKey {
  readonly id: string;
}

export interface RotateRequest extends OneKey {
  /** How long the old one goes on. Default: a day. */
  readonly graceMs?: number;
}

const keyMembers = {
  id: anyText(),
  name: anyText(),
  tenant: anyText(),
  scopes: list(scope),
  createdAt: time('When it was made.'),
  expiresAt: orNull(time('When it ends.')),
};

const keyInfo = object<KeyInfo>(keyMembers, 'ApiKey');
const newKey = object<NewKey>({ ...keyMembers, key: anyText('Shown this once.') }, 'NewApiKey');
const id = text('The key.');

// ---------------------------------------------------------------------------------------------------------- tokens

/** Look, or look and answer prompts. */
export type TokenMay = 'read' | 'reply';

/** For a run or for a workflow: one of them. */
export interface TokenRequest {
  readonly runId?: string;
  readonly workflow?: string;
  readonly may: TokenMay;
  /** Default: an hour; at most seven days. */
  readonly expiresInMs?: number;
  readonly name?: string;
}

export interface NewToken {
  readonly id: string;
  /** Shown this once. */
  readonly token: string;
  readonly expiresAt: number;
}

export interface TokenInfo {
  readonly id: string;
  readonly name: string;
  readonly only: Only;
  readonly may: TokenMay;
  /** The key that made it, and that it ends with; null: nobody needed one. */
  readonly keyId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const may = choice(['read', 'reply'], 'Look, or look and answer prompts.');
const weekMs = 7 * 86_400_000;

const tokenInfo = object<TokenInfo>(
  {
    id: anyText(),
    name: anyText(),
    only,
    may,
    keyId: orNull(anyText('The key that made it, and that it ends with.')),
    createdAt: time('When it was made.'),
    expiresAt: time('When it ends.'),
  },
  'AccessToken',
);

// ------------------------------------------------------------------------------------------------------ operations

const tag = 'Access';

export const accessOperations = {
  whoAmI: operation<NoRequest, Identity>({
    tag,
    summary: 'Who asks, by what, and what they may do',
    where: 'process',
    scope: 'any',
    repeatable: true,
    takes: noRequest,
    answers: answer(object<Identity>(identityMembers, 'Identity')),
  }),
  signIn: operation<SignInRequest, Session>({
    tag,
    summary: 'Exchange a key for a session of this browser',
    description:
      'The session is the cookie `heddle_session`, which no script can read. It has the rights of the key, and ends with it.',
    where: 'home',
    scope: 'public',
    takes: object<SignInRequest>({ key: text('An API key.') }),
    answers: answer(object<Session>({ ...identityMembers, expiresAt: time('When it ends.') }, 'Session')),
  }),
  signOut: operation<NoRequest, undefined>({
    tag,
    summary: 'End the session of this browser; of whoever has a key, nothing ends',
    where: 'home',
    scope: 'any',
    repeatable: true,
    takes: noRequest,
    answers: nothing,
  }),
  createKey: operation<KeyRequest, NewKey>({
    tag,
    summary: 'Make an API key; its text is shown this once',
    where: 'home',
    scope: 'key:admin',
    takes: object<KeyRequest>({
      name: text('What it is for.'),
      scopes: list(scope, undefined, 100, 1),
      tenant: optional(text('Default: the tenant of the key that asks.')),
      expiresAt: optional(time('When it ends.')),
    }),
    answers: answer(newKey),
  }),
  listKeys: operation<Paging, Page<KeyInfo>>({
    tag,
    summary: 'List API keys',
    where: 'home',
    scope: 'key:admin',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(keyInfo)),
  }),
  rotateKey: operation<RotateRequest, NewKey>({
    tag,
    summary: 'Make a new key with the same rights; the old one ends after a while',
    where: 'home',
    scope: 'key:admin',
    takes: object<RotateRequest>({
      id,
      graceMs: optional(whole('How long the old one goes on. Default: a day.', { min: 0 })),
    }),
    answers: answer(newKey),
  }),
  revokeKey: operation<OneKey, undefined>({
    tag,
    summary: 'End an API key now',
    where: 'home',
    scope: 'key:admin',
    takes: object<OneKey>({ id }),
    answers: nothing,
  }),
  createToken: operation<TokenRequest, NewToken>({
    tag,
    summary: 'Make a token for one run or one workflow, for a while; its text is shown this once',
    description:
      'For views in your own product. It is sent as a key is, reaches the run with the runs below it, or the runs of the workflow, and nothing else, and ends with the key that made it. Whoever makes it needs `run:read`, `definition:read`, `prompt:read` and `artifact:read`, and for `reply` also `prompt:reply`.',
    where: 'home',
    scope: 'any',
    takes: withOneOf(
      object<TokenRequest>({
        runId: optional(text('A run that no other has called, with the runs below it.')),
        workflow: optional(text('The runs of this workflow.')),
        may,
        expiresInMs: optional(whole('Default: an hour; at most seven days.', { max: weekMs })),
        name: optional(text('What it is for.')),
      }),
      'runId',
      'workflow',
    ),
    answers: answer(
      object<NewToken>(
        { id: anyText(), token: anyText('Shown this once.'), expiresAt: time('When it ends.') },
        'NewAccessToken',
      ),
    ),
  }),
  listIssuedTokens: operation<Paging, Page<TokenInfo>>({
    tag,
    summary: 'List tokens for one run or one workflow: those of this key, or all with `key:admin`',
    where: 'home',
    scope: 'any',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(tokenInfo)),
  }),
  revokeToken: operation<OneKey, undefined>({
    tag,
    summary: 'End a token now',
    where: 'home',
    scope: 'any',
    takes: object<OneKey>({ id: text('The token.') }),
    answers: nothing,
  }),
};
