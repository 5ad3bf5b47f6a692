// Object of runs: what an object does with its runs once they have ended, where every root run has an object of its own: it deletes
// them by the rules of home when their time has come, and gives its storage up when nothing is left in it. Rules DO30 to DO32.
//
// Always true: an alarm is set until the object has nothing: also between the end of a run and the look at its rule, and between
// the last deletion and the end of the object.

import type { RecordWrite, Store } from '../actor/ports.ts';
import { deletionKind } from '../engine/delete-run.ts';
import { sweptStatuses } from '../engine/retention.ts';
import type { LocalShard } from '../fleet/local-shard.ts';

// DO30: a commit that ends a run, or removes the last that is known of one, is looked at by the alarm.
export function watchEnds(store: Store, expectWork: () => void): Store {
  const isLast = ({ kind, value }: RecordWrite): boolean => kind === deletionKind && value === null;
  return {
    ...store,
    commit(commit, stamp) {
      if (commit.runs.some(({ row }) => row.endedAt !== null) || commit.records.some(isLast)) expectWork();
      return store.commit(commit, stamp);
    },
  };
}

const ended = { statuses: sweptStatuses, isRoot: true, limit: 1 } as const;

/** DO31: by the rules as they are at home now. Answers with when the object must be woken for the next; null: for none. */
export async function sweepEnded({ engine }: LocalShard): Promise<number | null> {
  const { host, retention } = engine.parts;
  const { rows } = await host.store.pageRuns(ended);
  return rows.length === 0 ? null : (await retention.sweep()).nextAt;
}

/** Whether it has no runs; what is remembered of those that it had is due at some time. */
export async function hasNoRuns(store: Store): Promise<boolean> {
  return (await store.pageRuns({ limit: 1 })).rows.length === 0;
}
