// By work: what workers ask: tasks of all shards, and words about those that they have.

import { untilFirst } from '../actor/first-signal.ts';
import { asError } from '../actor/store-error.ts';
import type { Call } from '../engine/performer.ts';
import type { RequestOf } from '../operations/operations.ts';
import type { OneLease } from '../operations/work.ts';
import { readLeaseText } from '../work/lease.ts';
import { describeRefusal } from '../work/lease-answers.ts';
import type { FinishAnswer, HeartbeatAnswer, ReleaseAnswer } from '../work/task-reports.ts';
import type { LeasedTask } from '../work/work-office.ts';
import { eachInItsShard } from './each-in-its-shard.ts';
import type { Routes } from './route.ts';
import type { Shard, Shards } from './shards.ts';

export const workRoutes: Routes = {
  leaseTasks: async (shards, request, call) => ({ tasks: await leaseTasks(shards, request, call) }),

  heartbeatTasks: async (shards, { tasks }) => ({
    tasks: await eachInItsShard(tasks, shardIn(shards), {
      ask: async (shard, some) => (await shard.perform('heartbeatTasks', { tasks: some })).tasks,
      refuse: ({ lease }, absence): HeartbeatAnswer => ({ lease, ok: false, ...describeRefusal(absence) }),
    }),
  }),

  finishTasks: async (shards, { tasks }) => ({
    tasks: await eachInItsShard(tasks, shardIn(shards), {
      ask: async (shard, some) => (await shard.perform('finishTasks', { tasks: some })).tasks,
      refuse: ({ lease }, absence): FinishAnswer => ({ lease, applied: false, error: describeRefusal(absence) }),
    }),
  }),

  releaseTasks: async (shards, { tasks }) => ({
    tasks: await eachInItsShard(tasks, shardIn(shards), {
      ask: async (shard, some) => (await shard.perform('releaseTasks', { tasks: some })).tasks,
      refuse: ({ lease }, absence): ReleaseAnswer => ({ lease, ok: false, ...describeRefusal(absence) }),
    }),
  }),

  async announceActions({ present }, request) {
    for (const shard of present) await shard.perform('announceActions', request);
    return undefined;
  },

  async withdrawActions({ present }, request) {
    for (const shard of present) await shard.perform('withdrawActions', request);
    return undefined;
  },
};

/** A lease names its run; of what is none, any shard says so. */
export const shardOfLease = (shards: Shards, { lease }: OneLease): Shard =>
  shards.ofId(readLeaseText(lease)?.runId ?? '');

const shardIn =
  (shards: Shards) =>
  (one: OneLease): Shard =>
    shardOfLease(shards, one);

type LeaseRequest = RequestOf<'leaseTasks'>;

/** SH9: each shard is asked for its share, then in turn for the rest, each call beginning with the next; whoever waits does so at all. */
async function leaseTasks(shards: Shards, request: LeaseRequest, call: Call): Promise<readonly LeasedTask[]> {
  const { max = 1, waitMs = 0 } = request;
  const { present } = shards;
  const first = present.indexOf(shards.anyOne());
  const inTurn = [...present.slice(first), ...present.slice(0, first)];
  const failures: Error[] = [];
  const askOne = (shard: Shard, most: number): Promise<readonly LeasedTask[]> =>
    leasedFrom(shard, { ...request, max: most, waitMs: 0 }, call, failures);
  const share = Math.floor(max / inTurn.length);
  const shares = share === 0 ? [] : await Promise.all(inTurn.map((shard) => askOne(shard, share)));
  const found = shares.flat();
  // What gave less than its share has no more.
  const fruitful = inTurn.filter((_, place) => (shares[place]?.length ?? share) === share);
  for (const shard of fruitful) if (found.length < max) found.push(...(await askOne(shard, max - found.length)));
  if (found.length > 0) return found;
  refuseFailed(failures);
  return waitMs === 0 || call.signal?.aborted ? found : waitAtAll(shards, request, call);
}

/** Of one that fails the others keep nothing: what they gave is the worker's, or lost to all until its lease is over. */
async function leasedFrom(
  shard: Shard,
  request: LeaseRequest,
  call: Call,
  failures: Error[],
): Promise<readonly LeasedTask[]> {
  if (shard.absence) return [];
  try {
    return (await shard.perform('leaseTasks', request, call)).tasks;
  } catch (error) {
    if (!call.signal?.aborted) failures.push(asError(error)); // who has gone is told nothing
    return [];
  }
}

/** Whoever got nothing is told why. */
function refuseFailed([failure]: readonly Error[]): void {
  if (failure !== undefined) throw failure;
}

async function waitAtAll(shards: Shards, request: LeaseRequest, call: Call): Promise<readonly LeasedTask[]> {
  const { max = 1 } = request;
  const enough = new AbortController();
  const failures: Error[] = [];
  const askAll = (signal: AbortSignal): Promise<readonly (readonly LeasedTask[])[]> =>
    Promise.all(
      shards.present.map(async (shard) => {
        const tasks = await leasedFrom(shard, request, { ...call, signal }, failures);
        if (tasks.length > 0 || failures.length > 0) enough.abort();
        return tasks;
      }),
    );
  const tasks = (await untilFirst([call.signal, enough.signal], askAll)).flat();
  if (tasks.length === 0) refuseFailed(failures);
  // Two may have found some at the same time: others get what is too much.
  const excess = tasks.slice(max).map(({ lease }) => ({ lease }));
  if (excess.length > 0) await workRoutes.releaseTasks?.(shards, { tasks: excess }, call);
  return tasks.slice(0, max);
}
