// Snapshot: a state as JSON and back. Encoding and decoding is the same as replaying the journal, only faster.
//
// Always true: groups stand in the order in which they were opened, so that a group's parent is there before it.

import { lengthOfJson } from '../../base/check-json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { PromptTexts, SpawnPlan, TokenId } from '../events.ts';
import { heldBy } from '../holds.ts';
import type { Branch, EdgeProgress, Group, RunState, SpawnProgress, Token } from '../state.ts';
import { Writes } from '../writes.ts';
import { branchAt, hasRoom, hold, newBranch, noteRoom, refOf } from './branches.ts';
import {
  type EncodedBranch,
  type EncodedEdges,
  type EncodedGroup,
  type EncodedState,
  type EncodedToken,
  type EncodedWrites,
  groupFields,
  type TokenWait,
} from './encoded-state.ts';
import { countStatus, keepStep } from './tokens.ts';

export function encodeState(state: RunState): EncodedState {
  return encodeWith(state, {
    held: [...state.held],
    root: encodeBranch(state.root),
    groups: [...state.groups.values()].map((group) => encodeGroup(group, begunBranches(group).map(encodeBranch))),
    tokens: tokensInOrder(state).map(encodeToken),
    outputs: { ...state.outputs },
  });
}

/** Without the holes of those that have not begun, which `filter` passes over. */
export const begunBranches = ({ branches }: Group): readonly Branch[] => branches.filter(() => true);

export const tokensInOrder = ({ tokens }: RunState): readonly Token[] =>
  [...tokens.values()].toSorted((a, b) => a.id - b.id);

/** What grows with the run: `snapshot-lines.ts` has each of them in lines of its own. */
type Contents = Pick<EncodedState, 'held' | 'root' | 'groups' | 'tokens'> & Required<Pick<EncodedState, 'outputs'>>;

export function encodeWith(state: RunState, { held, root, groups, tokens, outputs }: Contents): EncodedState {
  return {
    run: state.run,
    startedAt: state.startedAt,
    at: state.at,
    outcome: state.outcome,
    endedAt: state.endedAt,
    ...(state.output === undefined ? {} : { output: state.output }),
    error: state.error,
    paused: state.paused,
    held,
    lastToken: state.lastToken,
    lastGroup: state.lastGroup,
    childNodesUsed: state.childNodesUsed,
    descendantsUsed: state.descendantsUsed,
    givenUp: [...state.givenUp],
    root,
    groups,
    tokens,
    ready: state.ready.list(),
    tasksStarted: state.tasksStarted,
    suspended: state.suspended,
    ...(state.result === undefined ? {} : { result: state.result }),
    ...(state.run?.keepsOutputs ? { outputs, errors: { ...state.errors } } : {}),
    queue: [...state.queue.values()],
    received: [...state.received],
    credits: { ...state.credits },
  };
}

export function encodeGroup(group: Group, branches: readonly EncodedBranch[]): EncodedGroup {
  return {
    ...pick(group, groupFields),
    parent: refOf(group.parent),
    spawns: group.spawns,
    branches,
    ...(group.last ? { last: group.last.list() } : {}),
  };
}

const decodeWrites = (writes: EncodedWrites | undefined): Writes | null => (writes ? Writes.of(writes) : null);

/** Field by field: a snapshot of a large fan-out is mostly this. */
export function encodeToken(token: Token): EncodedToken {
  const { id, node, via, status, attempt, dispatch, input, dueAt, since, childRunId, iterations, lastError } = token;
  const { branch, continues, childSuspended, correlationId, asked, texts, result, waitLabel, paid } = token;
  const encoded: EncodedToken = {
    id,
    node,
    via,
    status,
    attempt,
    dispatch,
    input,
    dueAt,
    since,
    childRunId,
    iterations,
    lastError,
    branch: refOf(branch),
  };
  if (branch.arrival === id) encoded.isArrival = true;
  if (token.failure) encoded.failure = token.failure;
  if (continues !== null) encoded.continues = continues;
  if (token.steps) encoded.steps = [...token.steps.finished.values()];
  if (childSuspended || correlationId !== null || result !== undefined || paid !== null)
    encoded.wait = { childSuspended, correlationId, asked, result, paid, ...encodeWords(texts, waitLabel) };
  return encoded;
}

/** What a wait says to people. */
const encodeWords = (texts: PromptTexts | null, label: string | null): Pick<TokenWait, 'texts' | 'label'> => ({
  ...(texts ? { texts } : {}),
  ...(label === null ? {} : { label }),
});

/** As above. */
export function encodeBranch(branch: Branch): EncodedBranch {
  const { index, ended, failed, settled, detached, context, raw } = branch;
  const encoded: EncodedBranch = { index, ended, failed, settled, detached, context, raw };
  if (branch.writes) encoded.writes = branch.writes.list();
  if (branch.discarded) encoded.discarded = true;
  if (branch.error) encoded.error = branch.error;
  if (branch.edges) encoded.edges = encodeEdges(branch.edges);
  return encoded;
}

const encodeEdges = (edges: EdgeProgress): EncodedEdges => ({
  taken: [...edges.taken],
  done: [...edges.done],
  finished: [...edges.finished],
});

/** AP2: a decoded state is encoded the same and planned on the same. Fills an empty state. */
export function decodeState(state: RunState, snapshot: EncodedState): void {
  const encoded = withDefaults(snapshot);
  state.run = encoded.run;
  state.at = encoded.at;
  state.outcome = encoded.outcome;
  state.endedAt = encoded.endedAt;
  state.output = encoded.output;
  state.error = encoded.error;
  if (encoded.run && encoded.run.deadline !== null) state.timers.push({ type: 'run', at: encoded.run.deadline });
  if (encoded.run?.startAt !== undefined) state.timers.push({ type: 'start', at: encoded.run.startAt });
  decodeSituation(state, encoded);
  decodeWork(state, encoded);
}

/**
 * What `workflow.restored` tells: the work of another run, taken over by one that has just started, or the whole of a
 * run that continues from a snapshot.
 */
export function restoreState(state: RunState, encoded: Json, isWhole: boolean): void {
  // The event was made by `encodeState` (planning/lifecycle.ts) and its journal row is hash-chained.
  const from = withDefaults(encoded as unknown as EncodedState);
  if (isWhole) decodeSituation(state, from);
  decodeWork(state, from);
}

/** A command that came while the run is paused. */
export function holdCommand(state: RunState, command: JsonObject): void {
  state.held.push(command);
  const { type, token } = command;
  if (type === 'reply' || type === 'event') state.heldAnswers.set(token as TokenId, command); // both say whom they are for
}

/** AP3: a snapshot that an earlier version wrote lacks what that version did not know. */
function withDefaults(encoded: Partial<EncodedState>): EncodedState {
  const { tasksStarted = 0, suspended = false, queue = [], received = [] } = encoded;
  const { credits = { awaited: false, requested: 0, spent: 0 } } = encoded;
  // The rest was there from the first version on.
  return { ...encoded, tasksStarted, suspended, queue, received, credits } as EncodedState;
}

/** How the run stands, beside its work. */
function decodeSituation(state: RunState, encoded: EncodedState): void {
  state.startedAt = encoded.startedAt;
  state.paused = encoded.paused;
  for (const command of encoded.held) holdCommand(state, command);
  for (const childRunId of encoded.givenUp) state.givenUp.add(childRunId);
  state.suspended = encoded.suspended;
  for (const prompt of encoded.queue) state.queue.set(prompt.correlationId, prompt);
  Object.assign(state.credits, encoded.credits);
}

function decodeWork(state: RunState, encoded: EncodedState): void {
  state.lastToken = encoded.lastToken;
  state.lastGroup = encoded.lastGroup;
  state.childNodesUsed = encoded.childNodesUsed;
  state.descendantsUsed = encoded.descendantsUsed;
  state.root = decodeBranch(state, encoded.root, null);
  for (const group of encoded.groups) decodeGroup(state, group);
  for (const token of encoded.tokens) decodeToken(state, token);
  for (const id of new Set(encoded.ready)) state.ready.push(id); // once each, whoever made the snapshot
  for (const [id, received] of encoded.received) state.received.set(id, received);
  state.tasksStarted = encoded.tasksStarted;
  state.result = encoded.result;
  Object.assign(state.outputs, encoded.outputs);
  Object.assign(state.errors, encoded.errors);
}

export function decodeGroup(state: RunState, encoded: EncodedGroup): void {
  const parent = branchAt(state, encoded.parent);
  const spawns = encoded.spawns.map((spawn: SpawnPlan & SpawnProgress) => ({ ...spawn }));
  const last = decodeWrites(encoded.last);
  // A group of an earlier version has neither.
  const batch = (encoded as Partial<EncodedGroup>).batch ?? null;
  const keepsLast = (encoded as Partial<EncodedGroup>).keepsLast ?? false; // as above
  const group: Group = {
    ...pick(encoded, groupFields),
    batch,
    keepsLast,
    parent,
    spawns,
    spawnsWithRoom: spawns.filter(hasRoom).length,
    spawnable: (state.spawnable ??= new Set()),
    branches: [],
    last,
  };
  noteRoom(group);
  for (const branch of encoded.branches) group.branches[branch.index] = decodeBranch(state, branch, group);
  state.groups.set(group.id, group);
  parent.groups ??= new Set();
  parent.groups.add(group.id);
  if (!group.joined) {
    parent.live++;
    hold(parent, heldBy(group), 1);
  }
  if (group.deadline === null) return;
  state.timed++;
  state.timers.push({ type: 'join', at: group.deadline, group: group.id });
}

export function decodeToken(state: RunState, encoded: EncodedToken): void {
  const { isArrival, steps = [] } = encoded;
  const branch = branchAt(state, encoded.branch);
  const token = makeToken(encoded, branch);
  state.tokens.set(token.id, token);
  state.inputBytes += token.inputBytes;
  for (const step of steps) keepStep(state, token, step);
  keepIn(branch, token, isArrival === true);
  countStatus(state, token, 1);
  if (token.childSuspended) state.childrenSuspended++;
  if (token.dueAt === null) return;
  state.timed++;
  state.timers.push({ type: 'token', at: token.dueAt, token: token.id });
}

/** Field by field, in the order of `newToken`: by copying the rest of an object each took 20 µs. */
function makeToken(encoded: EncodedToken, branch: Branch): Token {
  const { wait, input } = encoded;
  return {
    id: encoded.id,
    node: encoded.node,
    via: encoded.via,
    branch,
    status: encoded.status,
    attempt: encoded.attempt,
    dispatch: encoded.dispatch,
    input,
    inputBytes: input === undefined ? 0 : lengthOfJson(input),
    steps: null,
    dueAt: encoded.dueAt,
    since: encoded.since,
    childRunId: encoded.childRunId,
    continues: encoded.continues ?? null,
    childSuspended: wait?.childSuspended ?? false,
    correlationId: wait?.correlationId ?? null,
    asked: wait?.asked ?? false,
    texts: wait?.texts ?? null,
    result: wait?.result,
    waitLabel: wait?.label ?? null,
    paid: wait?.paid ?? null,
    iterations: encoded.iterations,
    lastError: encoded.lastError,
    failure: encoded.failure ?? null,
    previous: null,
    next: null,
  };
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

export function decodeBranch(state: RunState, encoded: EncodedBranch, group: Group | null): Branch {
  const branch = newBranch(group, encoded.index, state.run?.countsNodes ?? false);
  branch.ended = encoded.ended;
  branch.failed = encoded.failed ?? false;
  branch.settled = encoded.settled;
  branch.detached = encoded.detached;
  branch.error = encoded.error ?? null;
  branch.raw = encoded.raw;
  branch.context = encoded.context ? { ...encoded.context } : null;
  branch.writes = decodeWrites(encoded.writes);
  branch.discarded = encoded.discarded ?? false;
  branch.edges = encoded.edges ? decodeEdges(encoded.edges) : null;
  return branch;
}

const decodeEdges = ({ taken, done, finished }: EncodedEdges): EdgeProgress => ({
  taken: new Map(taken),
  done: new Set(done),
  finished: new Set(finished),
});

function pick<T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) picked[key] = from[key];
  return picked as Pick<T, K>; // every key was just copied
}
