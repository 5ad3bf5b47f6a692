// Shard duties: what an engine that is a shard does for its fleet beside operations: it takes copies of what all shards share,
// keeps the keys of retries that happen elsewhere, and tells what only it knows.
//
// Always true: a duty can be done twice, but for a call of a webhook that has no id; what it takes and answers is data.

import type { DefinitionRow, RecordRow, RecordWrite } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import type { Problem } from '../base/problem.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { RetryOptions } from '../operations/runs.ts';
import type { AnnouncedAction } from '../work/announcement.ts';
import type { WorkerInfo } from '../work/seen-workers.ts';
import type { ActionStanding } from '../work/work-office.ts';
import type { Parts } from './assemble.ts';
import { reserveRetryKey } from './retry-run.ts';
import { describeRuns } from './runs.ts';
import { writerOf } from './server-records.ts';

/** Kinds of records that every shard has a copy of. */
export const sharedKinds = ['secret', 'trigger', 'callback', 'retention'] as const;
export type SharedKind = (typeof sharedKinds)[number];

export interface ShardDuties {
  adoptDefinition(row: DefinitionRow): Promise<void>;
  /** So that whoever starts it hears why it is not there, whatever shard is asked. */
  noteRefusedDefinition(source: unknown, problems: readonly Problem[]): Promise<void>;
  /** Null: it is no more. */
  adoptRecord(kind: SharedKind, key: string, value: string | null): Promise<void>;
  /** At home, for an endpoint that wants no more. */
  switchOffCallback(id: string, reason: string): Promise<void>;
  /** Refuses a key that stands for another retry. */
  reserveRetryKey(runId: string, options: RetryOptions): Promise<void>;
  /** Of its own runs, what their rows do not say. */
  describeRuns(runs: readonly RunSummary[]): Promise<readonly RunSummary[]>;
  knownWork(): Promise<KnownWork>;
  /** At home: what a server keeps beside the runs (`server-records.ts`). */
  writeRecords(records: readonly RecordWrite[], ifThere?: Pick<RecordRow, 'kind' | 'key'>): Promise<boolean>;
  /** Letters that have arrived stay in the outbox from now on, until the copy of that name has been made. */
  keepLetters(copy: string): Promise<void>;
  forgetLetters(copy: string): Promise<void>;
}

/** What is known of tasks here and with workers. */
export interface KnownWork {
  readonly missingActions: readonly string[];
  /** Null without workers. */
  readonly outside: {
    /** By action: what was announced of it, and how it stands. */
    readonly actions: readonly (readonly [name: string, AnnouncedAction | null, ActionStanding])[];
    readonly workers: readonly WorkerInfo[];
  } | null;
}

export function dutiesOf(parts: Parts): ShardDuties {
  const { host, mail, callbacks } = parts;
  const write = writerOf(host.store);
  return {
    adoptDefinition: (row) => host.definitions.adopt(row),
    async noteRefusedDefinition(source, problems) {
      host.definitions.noteRefused(source, problems);
    },
    adoptRecord: (kind, key, value) => adopt[kind](parts, key, value),
    async switchOffCallback(id, reason) {
      await callbacks.setEnabled(id, false, reason);
    },
    reserveRetryKey: (runId, options) => reserveRetryKey(host, runId, options),
    describeRuns: (runs) => describeRuns(parts, runs),
    knownWork: async () => knownWork(parts),
    writeRecords: async (records, ifThere) => write(records, ifThere),
    async keepLetters(copy) {
      await mail?.outgoing.keep(copy);
    },
    async forgetLetters(copy) {
      await mail?.outgoing.forget(copy);
    },
  };
}

const adopt: Readonly<Record<SharedKind, (parts: Parts, key: string, value: string | null) => Promise<void>>> = {
  trigger: ({ office }, id, value) => office.registry.adopt(id, value),
  callback: ({ callbacks }, id, value) => callbacks.adopt(id, value),
  async secret({ host: { store } }, key, value) {
    await store.commit(sideCommit({ records: [{ kind: 'secret', key, value, dueAt: null }] }));
  },
  async retention({ host: { store }, retention }, key, value) {
    await store.commit(sideCommit({ records: [{ kind: 'retention', key, value, dueAt: null }] }));
    await retention.start();
  },
};

function knownWork({ tasks: { office, missingActions } }: Parts): KnownWork {
  const missing = [...missingActions()];
  if (office === null) return { missingActions: missing, outside: null };
  const actions = [...office.actionNames()].map(
    (name) => [name, office.announcements.find(name), office.standingOf(name)] as const,
  );
  return { missingActions: missing, outside: { actions, workers: office.workers() } };
}
