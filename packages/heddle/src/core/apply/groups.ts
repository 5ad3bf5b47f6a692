// Appliers of group, edge and context events: fan-outs open and close, branches end, values are written.

import { assert, InvariantError } from '../../base/assert.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { changePaths, type Path } from '../../base/path.ts';
import { splitTarget } from '../../base/targets.ts';
import type { BranchRef, EventOf, GroupId, Write } from '../events.ts';
import { heldBy } from '../holds.ts';
import type { Branch, Context, Group, RunState } from '../state.ts';
import { Writes } from '../writes.ts';
import { branchAt, countSettled, hasRoom, hold, lowerLive, noteRoom, raiseLive } from './branches.ts';

function groupAt(state: RunState, id: GroupId): Group {
  const group = state.groups.get(id);
  if (!group) throw new InvariantError(`Expected group ${id} to be open, but it is not`);
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
  const group: Group = {
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
    spawnsWithRoom: spawns.filter(hasRoom).length,
    spawnable: (state.spawnable ??= new Set()),
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
    batch: event.batch ?? null,
    keepsLast: event.keepsLast ?? false,
    last: null,
  };
  state.groups.set(event.group, group);
  noteRoom(group);
  state.lastGroup = event.group;
  parent.groups ??= new Set();
  parent.groups.add(event.group);
  if (parent.group) parent.group.openGroups++;
  raiseLive(parent);
  hold(parent, heldBy(event), 1);
}

export function decideFanIn(state: RunState, event: EventOf<'fan_in.completed' | 'fan_in.failed'>): void {
  const group = groupAt(state, event.group);
  group.joined = true;
  group.last = null;
  noteRoom(group);
  clearDeadline(state, group);
  releaseParent(group);
}

function clearDeadline(state: RunState, group: Group): void {
  if (group.deadline !== null) state.timed--;
  group.deadline = null;
}

/** The group no longer keeps its parent from being settled. */
function releaseParent(group: Group): void {
  hold(group.parent, heldBy(group), -1);
  lowerLive(group.parent);
}

export function detachBranches(state: RunState, event: EventOf<'branches.detached'>): void {
  const group = groupAt(state, event.group);
  for (const index of event.indices) {
    const branch = group.branches[index];
    if (!branch) throw new InvariantError(`Expected branch ${index} of group ${group.id} to be open, but it is not`);
    branch.detached = true;
    group.detachedLive++;
  }
}

export function endBranch(state: RunState, event: EventOf<'branch.ended'>): void {
  const branch = branchAt(state, event.branch);
  const { group } = branch;
  assert(group, 'Expected a branch of a group to end, but it is the run itself');
  branch.ended = true;
  // What a slice came to is merged when all have ended; what a join left alone further in still reads it.
  if (group.batch === null && !hasGroups(branch)) branch.raw = undefined;
  branch.edges = null;
  countSettled(branch, group);
  group.ended++;
  branch.failed = event.how === 'failed';
  branch.error = event.error ? boundedError(event.error) : null;
  if (branch.failed) group.failed++;
  else if (group.keepsLast) group.last = branch.writes ?? new Writes();
}

const codeLengthMax = 200;
const messageLengthMax = 500;

/** BR5: of a tolerated failure as much is kept as 100,000 branches may have: at most a kilobyte. The journal has it all. */
function boundedError({ code, message, nodeId, attempts }: Failure): Failure {
  return {
    code: cut(code, codeLengthMax),
    message: cut(message, messageLengthMax),
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}

const cut = (text: string, lengthMax: number): string =>
  text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;

/** Nothing of it is left, and nothing that was still to be looked at may wake it. */
export function failAbandoned(state: RunState, event: EventOf<'branch.abandoned_failed'>): void {
  const branch = branchAt(state, event.branch);
  branch.ended = true;
  branch.edges = null;
}

/** Nobody will merge it. What a join left alone further in reads it on, and then it goes with its group. */
export function discardWrites(state: RunState, event: EventOf<'branch.discarded'>): void {
  const branch = branchAt(state, event.branch);
  if (hasGroups(branch)) branch.discarded = true;
  else branch.writes = null;
}

const hasGroups = ({ groups }: Branch): boolean => groups !== null && groups.size > 0;

/** A group in whose branches an inner join left something alone is kept until that is gone. */
export function closeGroup(state: RunState, event: EventOf<'group.closed'>): void {
  let group: Group | null = groupAt(state, event.group);
  clearDeadline(state, group);
  if (!group.joined) releaseParent(group);
  group.joined = true;
  group.closed = true;
  noteRoom(group);
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
  if (branch.context) branch.context = writeInto(branch.context, writes);
  else {
    branch.writes ??= new Writes();
    for (const [target, value] of writes) branch.writes.set(target, value);
  }
}

/** A context with values written at targets, or removed there. */
export function writeInto(context: Context, writes: Iterable<Write>): Context {
  const changes: Record<'state' | 'output', [Path, Json | undefined][]> = { state: [], output: [] };
  for (const [target, value] of writes) {
    const [section, ...path] = splitTarget(target);
    changes[section === 'output' ? 'output' : 'state'].push([path, value]);
  }
  // Paths of targets are never empty, so that what was an object stays one.
  return {
    state: changePaths(context.state, changes.state) as JsonObject, // see above
    output: changePaths(context.output, changes.output) as JsonObject, // see above
  };
}

export function settleEdges(state: RunState, event: EventOf<'edges.settled'>): void {
  const branch = branchAt(state, event.branch);
  branch.edges ??= { taken: new Map(), done: new Set(), finished: new Set() };
  for (const region of event.regions ?? []) branch.edges.finished.add(region);
  for (const node of event.skipped) branch.edges.done.add(node);
}

export function completeEdgeJoin(state: RunState, event: EventOf<'edge_join.completed'>): void {
  const { edges } = branchAt(state, event.branch);
  edges?.done.add(event.node);
  for (const edge of event.again?.edges ?? []) edges?.taken.delete(edge);
  for (const node of event.again?.joins ?? []) edges?.done.delete(node);
}
