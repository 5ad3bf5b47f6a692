// By work: what workers ask: tasks of all shards, and words about those that they have.

import { untilFirst } from '../actor/first-signal.ts';
import { groupBy } from '../base/group-by.ts';
import type { Call } from '../engine/performer.ts';
import type { RequestOf } from '../operations/operations.ts';
import type { OneLease } from '../operations/work.ts';
import { readLeaseText } from '../work/lease.ts';
import type { LeasedTask } from '../work/work-office.ts';
import type { Routes } from './route.ts';
import type { Shard, Shards } from './shards.ts';

export const workRoutes: Routes = {
  leaseTasks: async (shards, request, call) => ({ tasks: await leaseTasks(shards, request, call) }),

  heartbeatTasks: async (shards, { tasks }) => ({
    tasks: await eachByLease(shards, tasks, async (shard, some) => (await shard.perform('heartbeatTasks', some)).tasks),
  }),

  finishTasks: async (shards, { tasks }) => ({
    tasks: await eachByLease(shards, tasks, async (shard, some) => (await shard.perform('finishTasks', some)).tasks),
  }),

  releaseTasks: async (shards, { tasks }) => ({
    tasks: await eachByLease(shards, tasks, async (shard, some) => (await shard.perform('releaseTasks', some)).tasks),
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

/** Each has its own answer, in their order. */
async function eachByLease<Item extends OneLease, Answer>(
  shards: Shards,
  items: readonly Item[],
  ask: (shard: Shard, some: { readonly tasks: readonly Item[] }) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const placed = groupBy(items.entries(), ([, item]) => shardOfLease(shards, item));
  await Promise.all(
    [...placed].map(async ([shard, some]) => {
      const found = await ask(shard, { tasks: some.map(([, item]) => item) });
      for (const [at, [index]] of some.entries()) answers[index] = found[at] as Answer; // one for each
    }),
  );
  return answers;
}

type LeaseRequest = RequestOf<'leaseTasks'>;

/** SH9: each shard is asked for its share, then in turn for the rest, each call beginning with the next; whoever waits does so at all. */
async function leaseTasks(shards: Shards, request: LeaseRequest, call: Call): Promise<readonly LeasedTask[]> {
  const { max = 1, waitMs = 0 } = request;
  const { present } = shards;
  const first = present.indexOf(shards.anyOne());
  const inTurn = [...present.slice(first), ...present.slice(0, first)];
  const askOne = async (shard: Shard, most: number): Promise<readonly LeasedTask[]> =>
    shard.absence ? [] : (await shard.perform('leaseTasks', { ...request, max: most, waitMs: 0 }, call)).tasks;
  const share = Math.floor(max / inTurn.length);
  const found = share === 0 ? [] : (await Promise.all(inTurn.map((shard) => askOne(shard, share)))).flat();
  for (const shard of inTurn) if (found.length < max) found.push(...(await askOne(shard, max - found.length)));
  return found.length > 0 || waitMs === 0 || call.signal?.aborted ? found : waitAtAll(shards, request, call);
}

async function waitAtAll(shards: Shards, request: LeaseRequest, call: Call): Promise<readonly LeasedTask[]> {
  const { max = 1 } = request;
  const enough = new AbortController();
  const askAll = (signal: AbortSignal): Promise<readonly (readonly LeasedTask[])[]> =>
    Promise.all(
      shards.present.map(async (shard) => {
        const { tasks } = await shard.perform('leaseTasks', request, { ...call, signal });
        if (tasks.length > 0) enough.abort();
        return tasks;
      }),
    );
  const tasks = (await untilFirst([call.signal, enough.signal], askAll)).flat();
  // Two may have found some at the same time: others get what is too much.
  const excess = tasks.slice(max).map(({ lease }) => ({ lease }));
  if (excess.length > 0) await workRoutes.releaseTasks?.(shards, { tasks: excess }, call);
  return tasks.slice(0, max);
}
