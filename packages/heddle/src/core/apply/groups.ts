// Appliers of group, edge and context events: fan-outs open and close, branches end, values are written.

import { assert } from '../../base/assert.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type Path, writePath } from '../../base/path.ts';
import type { BranchRef, EventOf, GroupId, Write } from '../events.ts';
import type { Branch, Group, RunState } from '../state.ts';
import { branchAt, countSettled, hold, lowerLive, raiseLive } from './branches.ts';

function groupAt(state: RunState, id: GroupId): Group {
  const group = state.groups.get(id);
  assert(group, `Expected group ${id} to be open, but it is not`);
  return group;
}

export function startFanOut(state: RunState, event: EventOf<'fan_out.started'>): void {
  const parent = branchAt(state, event.parent);
  let first = 0;
  const spawns = event.spawns.map((plan) => {
    const spawn = { ...plan, first, spawned: 0, underWay: 0 };
    first += plan.count;
    return spawn;
  });
  state.groups.set(event.group, {
    id: event.group,
    name: event.name,
    token: event.token,
    node: event.node,
    parent,
    total: event.total,
    spawns,
    tolerateFailures: event.tolerateFailures,
    maxFailures: event.maxFailures,
    homeJoin: event.homeJoin,
    iterations: event.iterations ?? null,
    branches: [],
    spawned: 0,
    arrived: 0,
    ended: 0,
    failed: 0,
    settled: 0,
    bypassed: false,
    join: null,
    required: 0,
    firstArrivalAt: null,
    deadline: null,
    joined: false,
    detachedLive: 0,
    closed: false,
    openGroups: 0,
  });
  state.lastGroup = event.group;
  parent.groups ??= new Set();
  parent.groups.add(event.group);
  if (parent.group) parent.group.openGroups++;
  raiseLive(parent);
  hold(parent, event.node, 1);
}

export function completeFanIn(state: RunState, event: EventOf<'fan_in.completed'>): void {
  const group = groupAt(state, event.group);
  group.joined = true;
  group.deadline = null;
  releaseParent(group);
}

/** The group no longer keeps its parent from being settled. */
function releaseParent(group: Group): void {
  hold(group.parent, group.node, -1);
  lowerLive(group.parent);
}

export function detachBranches(state: RunState, event: EventOf<'branches.detached'>): void {
  const group = groupAt(state, event.group);
  for (const index of event.indices) {
    const branch = group.branches[index];
    assert(branch, `Expected branch ${index} of group ${group.id} to be open, but it is not`);
    branch.detached = true;
    group.detachedLive++;
  }
}

export function endBranch(state: RunState, event: EventOf<'branch.ended'>): void {
  const branch = branchAt(state, event.branch);
  const { group } = branch;
  assert(group, 'Expected a branch of a group to end, but it is the run itself');
  branch.ended = true;
  branch.raw = undefined;
  branch.edges = null;
  countSettled(branch, group);
  group.ended++;
  if (event.how === 'failed') group.failed++;
}

/** Nothing of it is left, and nothing that was still to be looked at may wake it. */
export function failAbandoned(state: RunState, event: EventOf<'branch.abandoned_failed'>): void {
  const branch = branchAt(state, event.branch);
  branch.ended = true;
  branch.edges = null;
}

export function discardWrites(state: RunState, event: EventOf<'branch.discarded'>): void {
  branchAt(state, event.branch).writes = null;
}

/** A group in whose branches an inner join left something alone is kept until that is gone. */
export function closeGroup(state: RunState, event: EventOf<'group.closed'>): void {
  let group: Group | null = groupAt(state, event.group);
  if (!group.joined) releaseParent(group);
  group.joined = true;
  group.closed = true;
  while (group?.closed && group.openGroups === 0) {
    const { parent }: Group = group;
    state.groups.delete(group.id);
    parent.groups?.delete(group.id);
    if (parent.group) parent.group.openGroups--;
    group = parent.group;
  }
}

export function writeValues(state: RunState, ref: BranchRef, writes: readonly Write[]): void {
  const branch = branchAt(state, ref);
  for (const [target, value] of writes) {
    if (branch.context) writeToContext(branch.context, target, value);
    else writeToOverlay(branch, target, value);
  }
}

function writeToContext(context: { state: JsonObject; output: JsonObject }, target: string, value: Json): void {
  const path = pathOf(target);
  const section = path[0] === 'output' ? 'output' : 'state';
  context[section] = writePath(context[section], path.slice(1), value) as JsonObject;
}

/** A write replaces what was written below it before. */
function writeToOverlay(branch: Branch, target: string, value: Json): void {
  const writes = (branch.writes ??= new Map());
  if (writes.size > 0) for (const key of writes.keys()) if (key.startsWith(`${target}.`)) writes.delete(key);
  writes.delete(target);
  writes.set(target, value);
}

/** Targets are dotted keys; a key that has dots itself cannot be a target. */
export const pathOf = (target: string): Path => target.split('.');

export function settleEdges(state: RunState, event: EventOf<'edges.settled'>): void {
  const branch = branchAt(state, event.branch);
  branch.edges ??= { taken: new Map(), done: new Set(), finished: new Set() };
  for (const region of event.regions) branch.edges.finished.add(region);
  for (const node of event.skipped) branch.edges.done.add(node);
}

export function completeEdgeJoin(state: RunState, event: EventOf<'edge_join.completed'>): void {
  branchAt(state, event.branch).edges?.done.add(event.node);
}
