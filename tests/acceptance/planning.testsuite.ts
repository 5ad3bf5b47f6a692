// What the tests of the pure core share: small words to build definitions with, and a run that is nothing but a state,
// a list of commands and what planning answered.

import type { TokenView } from '../../packages/heddle/src/core/views/tokens.ts';
import { tokensOf } from '../../packages/heddle/src/core/views/tokens.ts';
import type { Json, JsonObject } from '../../packages/heddle/src/exports.ts';
import { defaultLimits } from '../../packages/heddle/src/exports.ts';
import {
  apply,
  type Command,
  compileGraph,
  type Effect,
  type Event,
  emptyState,
  encodeState,
  type Graph,
  type Plan,
  parseDefinition,
  plan,
  type RunState,
} from '../../packages/heddle/src/testing.ts';

// ---------------------------------------------------------------------------------------------------- definitions

type More = Readonly<Record<string, unknown>>;

/** A node whose work is the action `work`. */
export const task = (id: string, more: More = {}) => ({ id, action: 'work', ...more });

/** A node that passes tokens on, or does what `more` says. */
export const node = (id: string, more: More = {}) => ({ id, ...more });

export const go = (from: string, to: string, more: More = {}) => ({ from, to, ...more });

/** A workflow that starts at its first node. */
export const flow = (nodes: readonly { id: string }[], transitions: readonly object[] = [], more: More = {}) => ({
  id: 'w',
  initialNode: nodes[0]?.id,
  nodes,
  transitions,
  ...more,
});

/** `split` fans out over `input.items` to `work`; its branches meet at `join` as `synchronization` says; `done` ends. */
export const fan = (synchronization: More, more: { split?: More; work?: More; flow?: More } = {}) =>
  flow(
    [node('split'), task('work', more.work), task('join'), node('done')],
    [
      go('split', 'work', {
        foreach: { collection: 'input.items', itemVar: 'item' },
        siblingGroup: 'g',
        ...more.split,
      }),
      go('work', 'join', { synchronization: { siblingGroup: 'g', ...synchronization } }),
      go('join', 'done'),
    ],
    more.flow,
  );

export function graphOf(definition: unknown): Graph {
  const parsed = parseDefinition(definition, { limits: defaultLimits });
  if (!parsed.definition) throw new Error(JSON.stringify(parsed.problems, null, 2));
  return compileGraph(parsed.definition, { version: 1, limits: defaultLimits });
}

// ------------------------------------------------------------------------------------------------------- pure runs

type Untimed<C> = C extends { readonly at: number } ? Omit<C, 'at'> : never;
type RunStart = Extract<Command, { type: 'start' }>['start'];
type Planned = Plan & { readonly state: RunState };

export interface Row {
  readonly at: number;
  readonly events: readonly Event[];
}

/** One command, with everything that planning was given and gave. */
export interface Step {
  readonly command: Command;
  readonly before: RunState;
  readonly planned: Planned;
}

export class PlannedRun {
  readonly graph: Graph;
  readonly steps: Step[] = [];
  at = 1_000;
  state: RunState = emptyState();

  constructor(definition: unknown) {
    this.graph = graphOf(definition);
  }

  static started(definition: unknown, input: Json = {}, start: Partial<RunStart> = {}): PlannedRun {
    const run = new PlannedRun(definition);
    run.start(input, start);
    return run;
  }

  send(command: Untimed<Command>): Planned {
    const timed = { ...command, at: this.at } as Command; // it has all but the time
    const planned = plan(this.graph, this.state, timed);
    this.steps.push({ command: timed, before: this.state, planned });
    this.state = planned.state;
    return planned;
  }

  start(input: Json = {}, start: Partial<RunStart> = {}, restore?: Json): Planned {
    const command = { type: 'start', start: { ...startOf(this.graph, input, this.at), ...start } } as const;
    return this.send(restore === undefined ? command : { ...command, restore });
  }

  /** Answers the oldest task that is handed out at a node, or the one of a branch. */
  complete(nodeId: string, output: Json = {}, index?: number): Planned {
    const { id, dispatch } = this.dispatched(nodeId, index);
    return this.send({ type: 'task.result', token: id, dispatch, outcome: { type: 'completed', output } });
  }

  fail(nodeId: string, index?: number): Planned {
    const { id, dispatch } = this.dispatched(nodeId, index);
    const failure = { code: 'BROKEN', message: 'it broke' };
    const outcome = { type: 'failed', failure, retryable: true, retryAfterMs: null, retry: null } as const;
    return this.send({ type: 'task.result', token: id, dispatch, outcome });
  }

  /** Tells that the sub-run of a node has ended. */
  endChild(nodeId: string, end: { status: string; output?: Json; error?: { code: string; message: string } }): Planned {
    const token = [...this.state.tokens.values()].find((t) => t.node === nodeId && t.childRunId !== null);
    if (!token) throw new Error(`Expected a token at ${nodeId} to wait for a sub-run, but none does`);
    const childRunId = token.childRunId as string;
    return this.send({ type: 'child.ended', token: token.id, childRunId, nodesUsed: 1, descendantsUsed: 0, ...end });
  }

  /** The token that waits at a node. */
  waiting(nodeId: string) {
    const found = [...this.state.tokens.values()].find((t) => t.node === nodeId && t.status.startsWith('waiting'));
    if (!found) throw new Error(`Expected a token to wait at ${nodeId}, but none does`);
    return found;
  }

  /** Answers the prompt of a node. */
  reply(nodeId: string, payload: Json = {}): Planned {
    const { id: token, correlationId } = this.waiting(nodeId);
    return this.send({ type: 'reply', token, correlationId: correlationId ?? '', payload });
  }

  /** An event comes for the token that waits at a node. */
  publish(nodeId: string, event: string, eventId: string): Planned {
    const { id: token, correlationId } = this.waiting(nodeId);
    const expiresAt = this.at + 1_000;
    return this.send({
      type: 'event',
      token,
      eventId,
      event,
      correlation: correlationId ?? '',
      payload: { eventId },
      expiresAt,
    });
  }

  /** The ledger answers for the token that waits at a node, or for the whole run. */
  credit(nodeId: string | null, amount: number, granted = true): Planned {
    const token = nodeId === null ? {} : { token: this.waiting(nodeId).id };
    return this.send({ type: 'credits.answer', granted, amount, balance: 0, ...token });
  }

  advance(ms: number): Planned {
    this.at += ms;
    return this.send({ type: 'alarm' });
  }

  dispatched(nodeId: string, index?: number) {
    const found = [...this.state.tokens.values()].find(
      (t) => t.node === nodeId && t.status === 'dispatched' && (index === undefined || t.branch.index === index),
    );
    if (!found) throw new Error(`Expected a task of ${nodeId} to be handed out, but none is`);
    return found;
  }

  get rows(): Row[] {
    return this.steps
      .map(({ planned }) => ({ at: planned.state.at, events: planned.events }))
      .filter(({ events }) => events.length > 0);
  }

  get events(): Event[] {
    return this.steps.flatMap(({ planned }) => [...planned.events]);
  }

  get effects(): Effect[] {
    return this.steps.flatMap(({ planned }) => [...planned.effects]);
  }

  /** Every token that it ever had. */
  get tokens(): TokenView[] {
    return tokensOf(this.rows.flatMap(({ at, events }) => events.map((event) => ({ at, event }))));
  }

  tokensAt(nodeId: string): TokenView[] {
    return this.tokens.filter((token) => token.node === nodeId);
  }

  eventsOf<T extends Event['type']>(type: T): Extract<Event, { type: T }>[] {
    return eventsOf(this.events, type);
  }

  /** The values of the run, outside every branch. */
  get context(): { state: JsonObject; output: JsonObject } {
    return { state: this.state.root.context?.state ?? {}, output: this.state.root.context?.output ?? {} };
  }
}

function startOf(graph: Graph, input: Json, at: number): RunStart {
  return {
    runId: 'run-1',
    workflow: graph.id,
    version: graph.version,
    hash: graph.hash,
    input,
    rootRunId: 'run-1',
    parent: null,
    depth: 0,
    nodeBudget: graph.limits.nodesPerRunMax,
    descendantBudget: graph.limits.descendantsMax,
    deadline: graph.timeoutMs === null ? null : at + graph.timeoutMs,
    keyRunId: 'run-1',
    retryOf: null,
    tags: {},
    trace: false,
    countsNodes: graph.edges !== null,
    ...(graph.policy.keepsOutputs ? { keepsOutputs: true } : {}),
    ...(graph.policy.oneAtATime ? { oneAtATime: true } : {}),
  };
}

/** The state that rows of events add up to, as JSON. */
export function replayed(rows: readonly Row[]): Json {
  const state = emptyState();
  for (const { at, events } of rows) {
    state.at = at;
    for (const event of events) apply(state, event);
  }
  return encoded(state);
}

/** A state as JSON: what two states are compared by. */
export const encoded = (state: RunState): Json => JSON.parse(JSON.stringify(encodeState(state))) as Json;

export const typesOf = ({ events }: { readonly events: readonly { readonly type: string }[] }): string[] =>
  events.map(({ type }) => type);

export function eventsOf<T extends Event['type']>(events: readonly Event[], type: T): Extract<Event, { type: T }>[] {
  return events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
}

/** Freezes a value and all that it holds, the contents of maps and sets included. */
export function deepFreeze<T>(value: T, seen: Set<unknown> = new Set()): T {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  if (ArrayBuffer.isView(value)) return value; // JavaScript cannot freeze it.
  if (value instanceof Map) for (const [key, item] of value) [key, item].forEach((part) => deepFreeze(part, seen));
  if (value instanceof Set) for (const item of value) deepFreeze(item, seen);
  for (const item of Object.values(value)) deepFreeze(item, seen);
  return Object.freeze(value);
}
