// Batches: a node works through a list in slices, each a branch of a group of its own. Rules BA….
//
// Always true: the token of the batch waits until all slices have ended; no token of a slice arrives at a join outside.

import type { Failure } from '../../base/failure.ts';
import { given } from '../../base/given.ts';
import { isJsonArray, type Json } from '../../base/json.ts';
import { readPath } from '../../base/path.ts';
import type { BatchWork } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { Group, Token } from '../state.ts';
import { exceedsFanOutLimits, lineage, spawnBranches } from './fan-out.ts';
import { evaluate } from './mapping.ts';
import { nodeOf, noteFailing, type Planning, record } from './planning.ts';
import { describeValue, readName } from './scope.ts';

interface Ends {
  readonly finish: () => void;
  readonly fail: (failure: Failure) => void;
}

export function beginBatch(p: Planning, token: Token, work: BatchWork, { finish, fail }: Ends): void {
  const items = readItems(p, token, work);
  if ('failure' in items) return fail(items.failure);
  const { onSlice } = nodeOf(p, token.node);
  const [first] = onSlice;
  if (!first) return finish();
  // BA1: slices of `batchSize` in the order of the list, the last one maybe shorter; 0 makes one of the whole list.
  const size = work.batchSize === 0 ? Math.max(items.list.length, 1) : work.batchSize;
  const total = Math.ceil(items.list.length / size);
  if (exceedsFanOutLimits(p, token, total)) return;
  const group = p.state.lastGroup + 1;
  record(p, {
    type: 'fan_out.started',
    group,
    name: token.node,
    token: token.id,
    node: token.node,
    parent: refOf(token.branch),
    total,
    spawns: [
      {
        node: first.to,
        via: first.id,
        count: total,
        items: items.list,
        ...given({ itemVar: work.itemVar ?? undefined }),
        slices: { path: work.items, size },
        maxParallel: work.parallelBatches,
        ...lineage(token.iterations, token),
      },
    ],
    tolerateFailures: work.tolerateFailures,
    maxFailures: work.maxFailures,
    homeJoin: null,
    batch: token.id,
  });
  record(p, { type: 'token.waiting', token: token.id, for: 'batch', group });
  const opened = p.state.groups.get(group) as Group; // just recorded
  // BA4: an empty list has no slices: the batch is done at once, with what its merge makes of nothing.
  if (total === 0) p.steps.push({ type: 'check', group: opened });
  else spawnBranches(p, opened);
}

// BA6: the items are a list at the path, or the node fails.
function readItems(
  p: Planning,
  token: Token,
  { label, path, collection }: BatchWork,
): { list: readonly Json[] } | { failure: Failure } {
  const [root = '', ...rest] = path;
  // BA11: the list may be what an expression gives.
  const found = collection && evaluate(p, { branch: token.branch, failure: token.failure }, collection);
  if (found && 'failure' in found) return { failure: { ...found.failure, nodeId: token.node } };
  const value = found ? found.value : readPath(readName(p.state, token, root), rest);
  if (isJsonArray(value)) return { list: value };
  const message = `Expected a list at ${label} for the batch of node ${token.node}, but found ${describeValue(value)}`;
  return { failure: { code: 'BATCH_NOT_A_LIST', message, nodeId: token.node } };
}

/** BA7: as a slice ends the next begins; when the last has ended their outputs are merged and the node is done. */
export function checkSlices(p: Planning, group: Group): void {
  if (group.settled < group.total || p.failing?.has(group)) return;
  noteFailing(p, group); // once is enough
  p.steps.push({ type: 'merge-slices', group });
}
