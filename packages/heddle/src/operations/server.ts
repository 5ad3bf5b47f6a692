// Operations on the server: is it well, what is in it, who may use it.

import type { Damage, StoreSizes } from '../actor/ports.ts';
import { answer, nothing, operation, plainText } from './operation.ts';
import { type NoRequest, noRequest, type Page, type Paging, page, paging } from './parts.ts';
import type { RunCountView } from './runs.ts';
import { anyText, choice, list, object, optional, orNull, text, time, view, whole } from './schema.ts';
import { everyScope, scopes } from './scope.ts';

// ---------------------------------------------------------------------------------------------------------- upkeep

export interface Health {
  readonly status: 'ok';
}

export interface Readiness {
  readonly status: 'ready';
}

export type AuditProblem = Damage;

export interface Audit {
  readonly runs: number;
  readonly rows: number;
  readonly problems: readonly AuditProblem[];
}

export interface EngineStats {
  readonly runs: RunCountView;
  /** Rows that were ever written to the journal: more than there are, once runs were deleted. */
  readonly journalRows: number;
  /** Null for a store in memory. */
  readonly store: StoreSizes | null;
}

export interface Backup {
  /** Its name, in the folder of backups. */
  readonly file: string;
}

// ------------------------------------------------------------------------------------------------------------ keys

export interface Identity {
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** Null for whoever needs no key. */
  readonly keyId: string | null;
}

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

const scope = choice<string>([everyScope, ...scopes]);

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

// ------------------------------------------------------------------------------------------------------ operations

const tag = 'Operations';

export const serverOperations = {
  health: operation<NoRequest, Health>({
    tag,
    summary: 'Whether the process answers',
    where: 'process',
    scope: 'public',
    repeatable: true,
    takes: noRequest,
    answers: answer(object<Health>({ status: choice(['ok']) })),
  }),
  ready: operation<NoRequest, Readiness>({
    tag,
    summary: 'Whether the engine takes work: its store answers and it is not shutting down',
    where: 'process',
    scope: 'public',
    repeatable: true,
    takes: noRequest,
    answers: answer(object<Readiness>({ status: choice(['ready']) })),
  }),
  metrics: operation<NoRequest, string>({
    tag,
    summary: 'Figures in the text format of Prometheus',
    where: 'process',
    scope: 'operate',
    repeatable: true,
    takes: noRequest,
    answers: plainText,
  }),
  audit: operation<NoRequest, Audit>({
    tag,
    summary: 'Replay every journal and compare: nothing missing, nothing changed',
    where: 'every',
    scope: 'operate',
    repeatable: true,
    takes: noRequest,
    answers: answer(view<Audit>('Audit', 'What was looked at, and what is wrong.')),
  }),
  getStats: operation<NoRequest, EngineStats>({
    tag,
    summary: 'How many runs there are, and how large the store is',
    where: 'every',
    scope: 'operate',
    repeatable: true,
    takes: noRequest,
    answers: answer(view<EngineStats>('Stats', 'Runs by status, rows of the journal, sizes of the file.')),
  }),
  vacuum: operation<NoRequest, undefined>({
    tag,
    summary: 'Give unused space of the file back to the disk; nothing else is done meanwhile',
    where: 'every',
    changes: true,
    scope: 'operate',
    repeatable: true,
    takes: noRequest,
    answers: nothing,
  }),
  backUp: operation<NoRequest, Backup>({
    tag,
    summary: 'Make a consistent copy of the store, where the server keeps them, while it goes on',
    where: 'every',
    scope: 'operate',
    takes: noRequest,
    answers: answer(object<Backup>({ file: anyText('Its name, in the folder of backups.') })),
  }),
  whoAmI: operation<NoRequest, Identity>({
    tag,
    summary: 'Which tenant and scopes the key of this request has',
    where: 'process',
    scope: 'any',
    repeatable: true,
    takes: noRequest,
    answers: answer(object<Identity>({ tenant: anyText(), scopes: list(scope), keyId: orNull(anyText()) })),
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
};
