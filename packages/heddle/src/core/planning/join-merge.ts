// The merge of a join: every arrived branch contributes what the merge's source gives in it. Rules MG7–MG11.

import { toJson } from '../../base/check-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { changePaths, type Path, readPath } from '../../base/path.ts';
import type { MergeStrategy } from '../../definition/definition.ts';
import type { Join, Merge } from '../../definition/graph.ts';
import { pathOf, targetOf } from '../apply/groups.ts';
import type { Write } from '../events.ts';
import type { Branch, Group } from '../state.ts';
import { changesOver } from './edits.ts';
import { type Evaluated, evaluate, refuseWrites } from './mapping.ts';
import { type Contribution, mergeContributions } from './merge.ts';
import type { Planning } from './planning.ts';
import { viewOf } from './scope.ts';

export function mergeBranches(
  p: Planning,
  group: Group,
  join: Join,
  arrived: readonly Branch[],
): { writes: readonly Write[] } | { failure: Failure } {
  const { merge, node: nodeId } = join;
  // MG7: without a merge nothing is written, and the run goes on.
  if (!merge) return { writes: [] };
  const merged = mergeValues(p, { ...merge, at: `join ${join.id}`, nodeId, group }, arrived);
  if ('failure' in merged) return merged;
  const { value } = merged;
  if (value === undefined) return { writes: [] };
  return planMergeWrites(p, { group, target: merge.target, strategy: merge.strategy, nodeId }, value);
}

/** What is merged, and where, for messages. */
interface Merging extends Pick<Merge, 'source' | 'strategy'> {
  readonly at: string;
  readonly nodeId: string;
  readonly group: Group;
}

/** The merged value of branches, in their order; undefined if there is nothing to write. */
export function mergeValues(
  p: Planning,
  merging: Merging,
  branches: readonly Branch[],
): { value: Json | undefined } | { failure: Failure } {
  const { strategy } = merging;
  const contributions: Contribution[] = [];
  for (const branch of branches) {
    const evaluated = contributionOf(p, branch, merging);
    if ('failure' in evaluated) return { failure: mergeFailure(merging, evaluated.failure) };
    // MG8: a branch whose source is missing contributes nothing.
    if (evaluated.value !== undefined) contributions.push({ index: branch.index, value: evaluated.value });
  }
  if (contributions.length === 0 && strategy === 'output_merge' && branches.length > 0) return { value: undefined };
  const value = mergeContributions(strategy, contributions);
  const checked = toJson(value, {
    bytesMax: p.graph.limits.mergedBytesMax,
    depthMax: p.graph.limits.jsonDepthMax,
    limitName: 'mergedBytesMax',
  });
  return checked.ok ? { value } : { failure: mergeFailure(merging, checked) };
}

/** MG10: `output_merge` of a path counts what the branch itself wrote there, not what it sees from before the fan-out. */
function contributionOf(p: Planning, branch: Branch, { source, strategy }: Merging): Evaluated {
  const isPath = /^(state|output)(\.[A-Za-z_]\w*)+$/.test(source.source);
  if (strategy !== 'output_merge' || !isPath) return evaluate(p, { branch }, source);
  return { value: writtenAt(branch, source.source) };
}

export function writtenAt({ writes }: Branch, path: string): Json | undefined {
  const changes: [Path, Json | undefined][] = [];
  for (const [target, value] of writes ?? []) {
    const isNear = target === path || target.startsWith(`${path}.`) || path.startsWith(`${target}.`);
    if (isNear) changes.push([pathOf(target), value]);
  }
  return readPath(changePaths({}, changes), pathOf(path));
}

export function planMergeWrites(
  p: Planning,
  { group, target, strategy, nodeId }: { group: Group; target: string; strategy: MergeStrategy; nodeId: string },
  value: Json,
): { writes: readonly Write[] } | { failure: Failure } {
  // MG9: the merged value replaces its target, in the branch that fanned out.
  // MG12: an object of `output_merge` is laid over what is there, key by key.
  const writes: readonly Write[] =
    strategy === 'output_merge'
      ? changesOver(pathOf(target), valueAt(p, group.parent, target), value).map(([path, leaf]) => [
          targetOf(path),
          leaf,
        ])
      : [[target, value]];
  const failure = refuseWrites(p, group.parent, writes);
  return failure ? { failure: { ...failure, nodeId } } : { writes };
}

function valueAt(p: Planning, branch: Branch, target: string): Json | undefined {
  const [section, ...path] = pathOf(target);
  const { state, output } = viewOf(p.state, branch);
  return readPath(section === 'output' ? output : state, path);
}

// MG11: a merge that cannot be evaluated, is too large or does not fit the state fails like its node.
function mergeFailure(
  { at, nodeId, group }: Merging,
  cause: { readonly code: string; readonly message: string },
): Failure {
  return {
    code: 'MERGE_FAILED',
    message: `Expected the branches of group ${group.name} to be merged at ${at}, but: ${cause.message}`,
    nodeId,
    details: { cause: cause.code },
  };
}
