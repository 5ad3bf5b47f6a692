// Snapshot: a state as JSON and back. Encoding and decoding is the same as replaying the journal, only faster.
//
// Always true: groups stand in the order in which they were opened, so that a group's parent is there before it.

import type { Json } from '../../base/json.ts';
import type { GroupId, SpawnPlan, TokenId } from '../events.ts';
import type { Branch, EdgeProgress, Group, RunState, SpawnProgress, Token } from '../state.ts';
import { branchAt, hold, newBranch, refOf } from './branches.ts';

export interface EncodedState {
  readonly run: RunState['run'];
  readonly startedAt: number;
  readonly at: number;
  readonly outcome: RunState['outcome'];
  readonly endedAt: number | null;
  readonly output?: Json;
  readonly error: RunState['error'];
  readonly paused: boolean;
  readonly held: RunState['held'];
  readonly lastToken: TokenId;
  readonly lastGroup: GroupId;
  readonly childNodesUsed: number;
  readonly descendantsUsed: number;
  readonly givenUp: readonly string[];
  readonly root: EncodedBranch;
  readonly groups: readonly EncodedGroup[];
  readonly tokens: readonly EncodedToken[];
  readonly ready: readonly TokenId[];
}

type Scalars<T, K extends keyof T> = Pick<T, K>;

const groupFields = [
  'id',
  'name',
  'token',
  'node',
  'total',
  'tolerateFailures',
  'maxFailures',
  'homeJoin',
  'iterations',
  'spawned',
  'arrived',
  'ended',
  'failed',
  'settled',
  'bypassed',
  'join',
  'required',
  'firstArrivalAt',
  'deadline',
  'joined',
  'detachedLive',
  'closed',
  'openGroups',
] as const;
const tokenFields = [
  'id',
  'node',
  'via',
  'status',
  'attempt',
  'dispatch',
  'input',
  'dueAt',
  'since',
  'childRunId',
  'iterations',
  'lastError',
] as const;
const branchFields = ['index', 'ended', 'settled', 'detached', 'context', 'raw'] as const;

export interface EncodedGroup extends Scalars<Group, (typeof groupFields)[number]> {
  readonly parent: readonly [GroupId, number];
  readonly spawns: readonly SpawnProgress[];
  readonly branches: readonly EncodedBranch[];
}
export interface EncodedToken extends Scalars<Token, (typeof tokenFields)[number]> {
  readonly branch: readonly [GroupId, number];
  readonly isArrival?: true;
}
interface EncodedBranch extends Scalars<Branch, (typeof branchFields)[number]> {
  readonly writes?: readonly (readonly [string, Json])[];
  readonly edges?: EncodedEdges;
}
interface EncodedEdges {
  readonly taken: readonly (readonly [string, TokenId])[];
  readonly done: readonly string[];
  readonly finished: readonly number[];
}

export function encodeState(state: RunState): EncodedState {
  const { tokens } = state;
  return {
    run: state.run,
    startedAt: state.startedAt,
    at: state.at,
    outcome: state.outcome,
    endedAt: state.endedAt,
    ...(state.output === undefined ? {} : { output: state.output }),
    error: state.error,
    paused: state.paused,
    held: state.held,
    lastToken: state.lastToken,
    lastGroup: state.lastGroup,
    childNodesUsed: state.childNodesUsed,
    descendantsUsed: state.descendantsUsed,
    givenUp: [...state.givenUp],
    root: encodeBranch(state.root),
    groups: [...state.groups.values()].map(encodeGroup),
    tokens: [...tokens.values()].toSorted((a, b) => a.id - b.id).map(encodeToken),
    ready: state.ready.list((id) => tokens.get(id)?.status === 'ready'),
  };
}

function encodeGroup(group: Group): EncodedGroup {
  return {
    ...pick(group, groupFields),
    parent: refOf(group.parent),
    spawns: group.spawns,
    branches: group.branches.filter(() => true).map(encodeBranch),
  };
}

function encodeToken(token: Token): EncodedToken {
  const isArrival = token.branch.arrival === token.id;
  return { ...pick(token, tokenFields), branch: refOf(token.branch), ...(isArrival ? { isArrival } : {}) };
}

function encodeBranch(branch: Branch): EncodedBranch {
  return {
    ...pick(branch, branchFields),
    ...(branch.writes ? { writes: [...branch.writes] } : {}),
    ...(branch.edges ? { edges: encodeEdges(branch.edges) } : {}),
  };
}

const encodeEdges = (edges: EdgeProgress): EncodedEdges => ({
  taken: [...edges.taken],
  done: [...edges.done],
  finished: [...edges.finished],
});

/** AP2: a decoded state is encoded the same and planned on the same. Fills an empty state. */
export function decodeState(state: RunState, encoded: EncodedState): void {
  state.run = encoded.run;
  state.startedAt = encoded.startedAt;
  state.at = encoded.at;
  state.outcome = encoded.outcome;
  state.endedAt = encoded.endedAt;
  state.output = encoded.output;
  state.error = encoded.error;
  state.paused = encoded.paused;
  state.held = encoded.held;
  if (encoded.run && encoded.run.deadline !== null) state.timers.push({ type: 'run', at: encoded.run.deadline });
  for (const childRunId of encoded.givenUp) state.givenUp.add(childRunId);
  decodeWork(state, encoded);
}

/** The work of another run, taken over by one that has just started: what `workflow.restored` tells. */
export function restoreState(state: RunState, encoded: Json): void {
  // The event was made by `encodeState` (planning/lifecycle.ts) and its journal row is hash-chained.
  decodeWork(state, encoded as unknown as EncodedState);
}

function decodeWork(state: RunState, encoded: EncodedState): void {
  state.lastToken = encoded.lastToken;
  state.lastGroup = encoded.lastGroup;
  state.childNodesUsed = encoded.childNodesUsed;
  state.descendantsUsed = encoded.descendantsUsed;
  state.root = decodeBranch(state, encoded.root, null);
  for (const group of encoded.groups) decodeGroup(state, group);
  for (const token of encoded.tokens) decodeToken(state, token);
  for (const id of encoded.ready) state.ready.push(id);
}

function decodeGroup(state: RunState, encoded: EncodedGroup): void {
  const parent = branchAt(state, encoded.parent);
  const spawns = encoded.spawns.map((spawn: SpawnPlan & SpawnProgress) => ({ ...spawn }));
  const group: Group = { ...pick(encoded, groupFields), parent, spawns, branches: [] };
  for (const branch of encoded.branches) group.branches[branch.index] = decodeBranch(state, branch, group);
  state.groups.set(group.id, group);
  parent.groups ??= new Set();
  parent.groups.add(group.id);
  if (!group.joined) {
    parent.live++;
    hold(parent, group.node, 1);
  }
  if (group.deadline !== null) state.timers.push({ type: 'join', at: group.deadline, group: group.id });
}

function decodeToken(state: RunState, encoded: EncodedToken): void {
  const branch = branchAt(state, encoded.branch);
  const token: Token = { ...pick(encoded, tokenFields), input: encoded.input, branch, previous: null, next: null };
  state.tokens.set(token.id, token);
  keepIn(branch, token, encoded.isArrival === true);
  if (token.status === 'dispatched') state.dispatched++;
  if (token.status === 'waiting_for_subworkflow') state.waitingForChildren++;
  if (token.dueAt !== null) state.timers.push({ type: 'token', at: token.dueAt, token: token.id });
}

/** Like `attach`, for a branch whose counts of settled branches are decoded already. */
function keepIn(branch: Branch, token: Token, isArrival: boolean): void {
  token.next = branch.firstToken;
  if (branch.firstToken) branch.firstToken.previous = token;
  branch.firstToken = token;
  if (isArrival) branch.arrival = token.id;
  else branch.live++;
  if (!isArrival && token.status !== 'waiting_for_edges') hold(branch, token.node, 1);
}

function decodeBranch(state: RunState, encoded: EncodedBranch, group: Group | null): Branch {
  const { edges } = encoded;
  return {
    ...newBranch(group, encoded.index, state.run?.countsNodes ?? false),
    ...pick(encoded, branchFields),
    raw: encoded.raw,
    context: encoded.context ? { ...encoded.context } : null,
    writes: encoded.writes ? new Map(encoded.writes) : null,
    edges: edges
      ? {
          taken: new Map(edges.taken),
          done: new Set(edges.done),
          finished: new Set(edges.finished),
        }
      : null,
  };
}

function pick<T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) picked[key] = from[key];
  return picked as Pick<T, K>; // every key was just copied
}
