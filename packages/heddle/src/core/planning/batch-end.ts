// The end of a batch: what its slices came to is merged in their order, and its node is done. Rules BA8 and BA9.

import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { BatchWork } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { Write } from '../events.ts';
import type { Group, Token } from '../state.ts';
import { mergeValues, planMergeWrites } from './join-merge.ts';
import { failNode, finishNode } from './nodes.ts';
import { nodeOf, type Planning, record } from './planning.ts';

export function finishBatch(p: Planning, group: Group): void {
  const token = p.state.tokens.get(group.batch as number);
  if (!token || !p.state.groups.has(group.id)) return;
  const merged = mergeSlices(p, group, token);
  if ('failure' in merged) {
    record(p, { type: 'group.closed', group: group.id });
    return failNode(p, token, merged.failure);
  }
  const { output, writes } = merged;
  record(p, {
    type: 'batch.completed',
    token: token.id,
    group: group.id,
    slices: group.total,
    ...(output === undefined ? {} : { output }),
  });
  if (writes.length > 0) record(p, { type: 'branches.merged', group: group.id, branch: refOf(group.parent), writes });
  record(p, { type: 'group.closed', group: group.id });
  finishNode(p, token, output === undefined ? {} : output, []);
}

/** BA8: slices that ended by a failure contribute nothing; the others as at a join, in the order of the list. */
function mergeSlices(
  p: Planning,
  group: Group,
  token: Token,
): { output: Json | undefined; writes: readonly Write[] } | { failure: Failure } {
  const { merge } = nodeOf(p, token.node).work as BatchWork; // the group is that of a batch
  const slices = group.branches.filter((branch) => !branch.failed);
  if (!merge || (slices.length === 0 && merge.strategy === 'output_merge')) return { output: undefined, writes: [] };
  const merged = mergeValues(p, { ...merge, at: `batch ${token.node}`, nodeId: token.node, group }, slices);
  if ('failure' in merged) return merged;
  const { value } = merged;
  // BA9: with a target the merged value is also written there, in the branch of the batch.
  if (value === undefined || merge.target === null) return { output: value, writes: [] };
  const planned = planMergeWrites(
    p,
    { group, target: merge.target, strategy: merge.strategy, nodeId: token.node },
    value,
  );
  return 'failure' in planned ? planned : { output: value, writes: planned.writes };
}
