// Branches: the bookkeeping that tokens and groups share. Who lives where, and what a branch adds up to.
//
// Always true: `live` is the length of the branch's token list without its arrival, plus its attached open groups.

import { InvariantError } from '../../base/assert.ts';
import type { BranchRef } from '../events.ts';
import type { Branch, Group, Liveness, RunState, SpawnProgress, Token } from '../state.ts';

export function newBranch(group: Group | null, index: number, countsNodes: boolean): Branch {
  return {
    group,
    index,
    live: 0,
    arrival: null,
    ended: false,
    failed: false,
    error: null,
    settled: false,
    detached: false,
    discarded: false,
    context: group === null ? { state: {}, output: {} } : null,
    writes: null,
    raw: undefined,
    firstToken: null,
    groups: null,
    holds: countsNodes ? new Map() : null,
    edges: null,
    liveness: null,
  };
}

export function branchAt(state: RunState, [group, index]: BranchRef): Branch {
  if (group === 0) return state.root;
  const branch = state.groups.get(group)?.branches[index];
  if (!branch) throw new InvariantError(`Expected branch ${index} of group ${group} to be open, but it is not`);
  return branch;
}

export function refOf(branch: Branch): BranchRef {
  return branch.group === null ? rootRef : [branch.group.id, branch.index];
}

const rootRef: BranchRef = [0, 0];

export function attach(branch: Branch, token: Token): void {
  token.branch = branch;
  token.previous = null;
  token.next = branch.firstToken;
  if (branch.firstToken) branch.firstToken.previous = token;
  branch.firstToken = token;
  raiseLive(branch);
  hold(branch, token.node, 1);
}

/** Takes a token out of its branch. An arrival was no longer counted as living there. */
export function detach(token: Token): void {
  const { branch, previous, next } = token;
  if (previous) previous.next = next;
  else branch.firstToken = next;
  if (next) next.previous = previous;
  token.previous = null;
  token.next = null;
  if (token.status !== 'waiting_for_edges' && branch.arrival !== token.id) hold(branch, token.node, -1);
  if (branch.arrival === token.id) branch.arrival = null;
  else lowerLive(branch);
}

/** Counts who holds a node or a fan-out (see `holds.ts`), where the graph has edge joins. */
export function hold({ holds, liveness }: Branch, place: string, change: 1 | -1): void {
  if (holds === null) return;
  const count = (holds.get(place) ?? 0) + change;
  holds.set(place, count);
  if (count === 0 && liveness) lookAgain(liveness, place);
}

/** Whether something can still come to it is asked anew. */
function lookAgain({ graph, toLookAt }: Liveness, place: string): void {
  const region = graph.regionOf.get(place);
  if (region !== undefined) toLookAt.push(region);
}

/** A branch in which something lives again (a token that ended was followed by others) is not settled after all. */
export function raiseLive(branch: Branch): void {
  branch.live++;
  const { group } = branch;
  if (branch.live > 1 || !group) return;
  if (branch.detached) group.detachedLive++;
  else if (branch.settled) {
    branch.settled = false;
    group.settled--;
    changeSpawn(group, spawnOf(group, branch.index), { spawned: 0, underWay: 1 });
  }
}

export function lowerLive(branch: Branch): void {
  branch.live--;
  if (branch.live < 0)
    throw new InvariantError(`Expected branch ${branch.index} to have live tokens, but it has none left to end`);
  if (branch.live === 0 && branch.group) settle(branch, branch.group);
}

/** Nothing lives in the branch any more. A branch that neither arrived nor is detached is settled by `branch.ended`. */
function settle(branch: Branch, group: Group): void {
  if (branch.detached) group.detachedLive--;
  else if (branch.arrival !== null) countSettled(branch, group);
}

export function countSettled(branch: Branch, group: Group): void {
  if (branch.settled) return;
  branch.settled = true;
  group.settled++;
  changeSpawn(group, spawnOf(group, branch.index), { spawned: 0, underWay: -1 });
}

/** A branch of a spawn begins, is settled, or lives again. */
export function changeSpawn(group: Group, spawn: SpawnProgress, change: { spawned: 0 | 1; underWay: 1 | -1 }): void {
  const hadRoom = hasRoom(spawn);
  spawn.spawned += change.spawned;
  spawn.underWay += change.underWay;
  const gained = Number(hasRoom(spawn)) - Number(hadRoom);
  if (gained === 0) return;
  group.spawnsWithRoom += gained;
  noteRoom(group);
}

export function hasRoom({ count, spawned, underWay, maxParallel }: SpawnProgress): boolean {
  return spawned < count && (maxParallel === undefined || underWay < maxParallel);
}

/** Keeps the group among those of which branches may begin, or not. */
export function noteRoom(group: Group): void {
  if (group.spawnsWithRoom > 0 && !group.joined) group.spawnable.add(group);
  else group.spawnable.delete(group);
}

/** The spawn that a branch belongs to. */
export function spawnOf(group: Group, index: number): SpawnProgress {
  const { spawns } = group;
  let low = 0;
  let high = spawns.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((spawns[middle]?.first ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  const found = spawns[low];
  const spawn = found && index >= found.first && index < found.first + found.count ? found : undefined;
  if (!spawn)
    throw new InvariantError(`Expected branch ${index} of group ${group.id} to belong to a spawn, but it does not`);
  return spawn;
}
