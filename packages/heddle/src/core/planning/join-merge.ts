// The merge of a join: every arrived branch contributes what the merge's source gives in it. Rules MG7–MG11.

import { toJson } from '../../base/check-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { Join, Merge } from '../../definition/graph.ts';
import type { Write } from '../events.ts';
import type { Branch, Group } from '../state.ts';
import { evaluate, refuseWrites } from './mapping.ts';
import { type Contribution, mergeContributions } from './merge.ts';
import type { Planning } from './planning.ts';

export function mergeBranches(
  p: Planning,
  group: Group,
  join: Join,
  arrived: readonly Branch[],
): { writes: Write[] } | { failure: Failure } {
  const { merge } = join;
  // MG7: without a merge nothing is written, and the run goes on.
  if (!merge) return { writes: [] };
  const contributions: Contribution[] = [];
  for (const branch of arrived) {
    const evaluated = evaluate(p, { branch }, merge.source);
    if ('failure' in evaluated) return { failure: mergeFailure(group, join, evaluated.failure) };
    // MG8: a branch whose source is missing contributes nothing.
    if (evaluated.value === undefined) continue;
    if (merge.strategy === 'output_merge' && isInherited(p, branch, merge, evaluated.value)) continue;
    contributions.push({ index: branch.index, value: evaluated.value });
  }
  if (contributions.length === 0 && merge.strategy === 'output_merge' && arrived.length > 0) return { writes: [] };
  const value = mergeContributions(merge.strategy, contributions);
  const checked = toJson(value, {
    bytesMax: p.graph.limits.mergedBytesMax,
    depthMax: p.graph.limits.jsonDepthMax,
    limitName: 'mergedBytesMax',
  });
  if (!checked.ok) return { failure: mergeFailure(group, join, checked) };
  // MG9: the merged value replaces its target, in the branch that fanned out.
  const writes: Write[] = [[merge.target, value]];
  const failure = refuseWrites(p, group.parent, writes);
  return failure ? { failure: { ...failure, nodeId: join.node } } : { writes };
}

/** MG10: `output_merge` does not count again what a branch only sees from before the fan-out. */
function isInherited(p: Planning, branch: Branch, { source }: Merge, value: Json): boolean {
  if (source.roots.has('_branch') || !branch.group) return false;
  const touches = (target: string) => isWithin(target, source.source) || isWithin(source.source, target);
  if ([...(branch.writes?.keys() ?? [])].some(touches)) return false;
  const before = evaluate(p, { branch: branch.group.parent }, source);
  return !('failure' in before) && Object.is(before.value, value);
}

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`);

// MG11: a merge that cannot be evaluated, is too large or does not fit the state fails like its node.
function mergeFailure(group: Group, join: Join, cause: { readonly code: string; readonly message: string }): Failure {
  return {
    code: 'MERGE_FAILED',
    message: `Expected the branches of group ${group.name} to be merged at join ${join.id}, but: ${cause.message}`,
    nodeId: join.node,
    details: { cause: cause.code },
  };
}
