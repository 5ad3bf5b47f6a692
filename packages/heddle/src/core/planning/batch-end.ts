// The end of a batch: what its slices came to is merged in their order, and its node is done. Rules BA8 and BA9.

import type { BatchWork } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { Group } from '../state.ts';
import { discardedBy } from './branch-end.ts';
import { mergeBranches } from './join-merge.ts';
import { failNode, finishNode } from './nodes.ts';
import { nodeOf, type Planning, record } from './planning.ts';

/**
 * BA8: slices that ended by a failure contribute nothing unless they are included; the others as at a join, in the order
 * of the list.
 * BA9: with a target the merged value is also written there, in the branch of the batch.
 */
export function finishBatch(p: Planning, group: Group): void {
  // Only groups of batches come here.
  const token = p.state.tokens.get(group.batch as number);
  if (!token || !p.state.groups.has(group.id)) return;
  const { merge } = nodeOf(p, token.node).work as BatchWork; // the group is that of a batch
  const site = { group, at: `batch ${token.node}`, nodeId: token.node };
  const merges = merge ? [merge] : [];
  const merged = mergeBranches(p, site, merges);
  if ('failure' in merged) {
    record(p, { type: 'group.closed', group: group.id });
    return failNode(p, token, merged.failure);
  }
  const { value: output, writes } = merged;
  record(p, {
    type: 'batch.completed',
    token: token.id,
    group: group.id,
    slices: group.total,
    ...(output === undefined ? {} : { output }),
    ...discardedBy(merges, group.branches),
  });
  if (writes.length > 0) record(p, { type: 'branches.merged', group: group.id, branch: refOf(group.parent), writes });
  record(p, { type: 'group.closed', group: group.id });
  finishNode(p, token, output === undefined ? {} : output, []);
}
