// The merges of a join or a batch: every branch that counts contributes what the merge's source gives in it. Rules
// MG7–MG17.

import { toJson } from '../../base/check-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { changePaths, type Path, readPath } from '../../base/path.ts';
import { joinTarget, splitTarget } from '../../base/targets.ts';
import type { Merge } from '../../definition/graph.ts';
import { limitOrigin } from '../../definition/limits.ts';
import { writeInto } from '../apply/groups.ts';
import type { Write } from '../events.ts';
import type { Branch, Group } from '../state.ts';
import { spendValue } from './allowance.ts';
import { changesOver, weighed } from './edits.ts';
import { beginMapping, noteValue } from './explain.ts';
import { type Evaluated, evaluate, refuseWrites } from './mapping.ts';
import { type Contribution, mergeContributions } from './merge.ts';
import type { Planning } from './planning.ts';
import { type BranchEnd, composeView, readName } from './scope.ts';

/** What branches come to; a value of undefined: there was nothing to merge, and nothing is written. */
interface Merged {
  readonly value: Json | undefined;
  readonly writes: readonly Write[];
}

/** Whose branches are merged, and where, for messages. */
interface Site {
  readonly group: Group;
  readonly at: string;
  readonly nodeId: string;
}

// MG7: without a merge nothing is written, and the run continues.
export function mergeBranches(p: Planning, site: Site, merges: readonly Merge[]): Merged | { failure: Failure } {
  const writes: Write[] = [];
  let value: Json | undefined;
  if (p.decisions && merges.length > 0) beginMapping(p, 'merge', { node: site.nodeId });
  // MG13: merges are made in order: each finds at its target what those before it have written there.
  for (const merge of merges) {
    const merged = planMerge(p, site, merge, writes);
    if (p.decisions) noteValue(p, merge.target ?? 'result', merge.source?.source ?? '_branch', merged);
    if ('failure' in merged) return merged;
    for (const write of merged.writes) writes.push(write);
    value = merged.value;
  }
  const failure = writes.length > 0 ? refuseWrites(p, site.group.parent, writes) : null;
  return failure ? { failure: { ...failure, nodeId: site.nodeId } } : { value, writes };
}

function planMerge(p: Planning, site: Site, merge: Merge, before: readonly Write[]): Merged | { failure: Failure } {
  const contributions: Contribution[] = [];
  let counted = 0;
  for (const branch of site.group.branches) {
    const end = branch ? describeEnd(branch, site.group) : null; // one that has not begun is a hole
    if (end === null || (merge.include !== 'settled' && end.status !== 'completed')) continue;
    counted++;
    const evaluated = evaluateContribution(p, branch, end, merge);
    if ('failure' in evaluated) return { failure: mergeFailure(site, evaluated.failure) };
    // MG8: a branch whose source is missing contributes nothing.
    if (evaluated.value !== undefined) contributions.push({ index: branch.index, value: evaluated.value });
  }
  const isEmpty = counted === 0 && site.group.batch === null;
  if (contributions.length === 0 && merge.strategy === 'output_merge' && !isEmpty)
    return { value: undefined, writes: [] };
  return writeMerged(p, site, merge, { contributions, before });
}

/** MG16: how a branch that has settled did so; null for one that has not, or that no join needs. */
function describeEnd({ arrival, ended, failed, error }: Branch, { batch }: Group): BranchEnd | null {
  if (failed) return { status: 'failed', ...(error ? { error } : {}) };
  if (arrival !== null || (batch !== null && ended)) return { status: 'completed' };
  return ended ? { status: 'ended' } : null;
}

const plainPath = /^(state|output)(\.[A-Za-z_]\w*)+$/;

/** MG10: `output_merge` of a path counts what the branch itself wrote there, not what it sees from before the fan-out. */
function evaluateContribution(p: Planning, branch: Branch, end: BranchEnd, { source, strategy }: Merge): Evaluated {
  if (source === null) return weighed(p, describeBranch(p, branch, end));
  if (strategy !== 'output_merge' || !plainPath.test(source.source)) return evaluate(p, { branch, end }, source);
  return weighed(p, writtenAt(branch, source.source));
}

/** How a branch settled: its status, and its output or its error. */
function describeBranch(p: Planning, branch: Branch, end: BranchEnd): JsonObject {
  // A branch of a group has one.
  const { index, status, output, error } = readName(p.state, { branch, end }, '_branch') as Record<string, Json>;
  const given = { index, status, output, error };
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

export function writtenAt({ writes }: Branch, path: string): Json | undefined {
  const changes: [Path, Json | undefined][] = [];
  for (const [target, value] of writes ?? []) {
    const isNear = target === path || target.startsWith(`${path}.`) || path.startsWith(`${target}.`);
    if (isNear) changes.push([splitTarget(target), value]);
  }
  return readPath(changePaths({}, changes), splitTarget(path));
}

/** MG9: what is merged goes to the branch that fanned out. */
function writeMerged(
  p: Planning,
  site: Site,
  { target, strategy, existing }: Merge,
  { contributions, before }: { contributions: readonly Contribution[]; before: readonly Write[] },
): Merged | { failure: Failure } {
  const value = mergeContributions(strategy, contributions);
  const found = target === null || existing === 'replace' ? undefined : valueAt(p, site.group.parent, target, before);
  // Where there is nothing, or nothing comes to it, there is nothing to extend.
  const isExtended = existing === 'extend' && (found ?? null) !== null;
  const written = isExtended ? mergeContributions(strategy, contributions, found) : value;
  if (isExtended) spendValue(p, found); // the event holds it once more
  const refused = p.fatal ?? refuseSize(p, site, written);
  if (refused) return { failure: refused };
  if (target === null || (isExtended && contributions.length === 0)) return { value, writes: [] };
  if (existing !== 'overlay') return { value, writes: [[target, written]] };
  // MG12: an object is laid over what is there, key by key.
  const changes = changesOver(splitTarget(target), found, value);
  return { value, writes: changes.map(([path, leaf]): Write => [joinTarget(path), leaf]) };
}

function valueAt(p: Planning, branch: Branch, target: string, before: readonly Write[]): Json | undefined {
  const [section, ...path] = splitTarget(target);
  const { state, output } = writeInto(composeView(p.state, branch), before);
  return readPath(section === 'output' ? output : state, path);
}

function refuseSize(p: Planning, site: Site, value: Json): Failure | null {
  const { mergedBytesMax, jsonDepthMax } = p.graph.limits;
  const checked = toJson(value, { bytesMax: mergedBytesMax, depthMax: jsonDepthMax, limitName: 'mergedBytesMax' });
  if (checked.ok) return null;
  const limit = checked.code === 'TOO_LARGE' ? 'mergedBytesMax' : 'jsonDepthMax';
  return mergeFailure(site, { ...checked, message: `${checked.message}; ${limitOrigin(limit, p.graph)}` });
}

// MG11: a merge that cannot be evaluated, is too large or does not fit the state fails like its node.
function mergeFailure(
  { at, nodeId, group }: Site,
  cause: { readonly code: string; readonly message: string },
): Failure {
  return {
    code: 'MERGE_FAILED',
    message: `Expected the branches of group ${group.name} to be merged at ${at}, but: ${cause.message}`,
    nodeId,
    details: { cause: cause.code },
  };
}
