// Operations on the server: is it well, and what is in it.

import type { Damage, StoreSizes } from '../actor/ports.ts';
import { answer, nothing, operation, plainText } from './operation.ts';
import { type NoRequest, noRequest } from './parts.ts';
import type { RunCountView } from './runs.ts';
import { anyText, choice, object, view } from './schema.ts';

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
};
