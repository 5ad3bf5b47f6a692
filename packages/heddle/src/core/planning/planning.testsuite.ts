// What the tests of rules share: a trial run that exists only as data. Each command goes through the pure door, and
// its plan comes back as a list.
//
// Always true, and checked at every command of every test: the plan is the same on a state that was never encoded and
// on one that went through a snapshot, the events alone lead to the state that planning left, and the facts among them
// lead planning to all of them again.

import { expect } from 'vitest';
import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { compileLowered } from '../../definition/compile-lowered.ts';
import type { Definition, NodeDefinition, TransitionDefinition } from '../../definition/definition.ts';
import { type Graph, type Policy, tokenPolicy } from '../../definition/graph.ts';
import { defaultLimits, type Limits } from '../../definition/limits.ts';
import type { Lowered, LoweredNode } from '../../definition/lowered.ts';
import { compileGraph } from '../../dialects/compile-graph.ts';
import { parseDefinition } from '../../dialects/parse.ts';
import { apply, copyState, emptyState } from '../apply/apply.ts';
import { encodeState } from '../apply/snapshot.ts';
import type {
  ChildChanged,
  ChildEnded,
  Command,
  CreditAnswer,
  EventArrival,
  InputReply,
  TaskOutcome,
} from '../commands.ts';
import type { Event, EventOf, EventType, RunStart, TokenId } from '../events.ts';
import { replayCommit } from '../replay/replay-commit.ts';
import type { RunState, Token } from '../state.ts';
import { makeCorrelationId } from './input.ts';
import { type Plan, plan, planInPlace } from './plan.ts';
import { tell, tellEffect } from './telling.testsuite.ts';

export interface TrialOptions {
  readonly input?: Json;
  readonly limits?: Partial<Limits>;
  readonly start?: Partial<RunStart>;
  readonly restore?: Json;
}

/** A definition of any dialect, or what a dialect is compiled to. */
export function compile(source: object, limits: Partial<Limits> = {}): Graph {
  const all = { ...defaultLimits, ...limits };
  if ('policy' in source) {
    return { ...compileLowered(source as Lowered, { version: 1, limits: all }), hash: 'lowered' };
  }
  const { definition, problems } = parseDefinition(source, { limits: all });
  if (!definition) throw new Error(`Expected a definition without errors, but: ${JSON.stringify(problems)}`);
  return compileGraph(definition, { version: 1, limits: all });
}

/** A definition of a few words: nodes that are only named pass through. */
export function flow(
  nodes: readonly (string | NodeDefinition)[],
  transitions: readonly TransitionDefinition[] = [],
  more: Partial<Definition> = {},
): Definition {
  const all = nodes.map((node) => (typeof node === 'string' ? { id: node } : node));
  return { id: 'trial', initialNode: all[0]?.id ?? '', nodes: all, transitions, ...more };
}

/** What a dialect of that policy might compile to. */
export function lowered(
  nodes: readonly (string | LoweredNode)[],
  transitions: readonly TransitionDefinition[] = [],
  { policy, ...more }: Partial<Omit<Lowered, 'policy'>> & { readonly policy?: Partial<Policy> } = {},
): Lowered {
  return { ...flow(nodes, transitions), policy: { ...tokenPolicy, ...policy }, ...more };
}

export const task = (id: string, more: Partial<NodeDefinition> = {}): NodeDefinition => ({ id, action: id, ...more });

export function startOf(graph: Graph, at: number, { input = {}, start = {} }: TrialOptions = {}): RunStart {
  return {
    runId: 'RUN0000001',
    workflow: graph.id,
    version: graph.version,
    hash: graph.hash,
    input,
    rootRunId: 'RUN0000001',
    parent: null,
    depth: 0,
    nodeBudget: graph.limits.nodesPerRunMax,
    descendantBudget: graph.limits.descendantsMax,
    deadline: graph.timeoutMs === null ? null : at + graph.timeoutMs,
    keyRunId: 'RUN0000001',
    retryOf: null,
    tags: {},
    trace: false,
    countsNodes: graph.edges !== null,
    ...(graph.policy.keepsOutputs ? { keepsOutputs: true } : {}),
    ...(graph.policy.oneAtATime ? { oneAtATime: true } : {}),
    ...start,
  };
}

interface Timed {
  readonly at?: number;
}

type Untimed<C> = C extends { readonly at: number } ? Omit<C, 'at'> & Timed : never;

export class Trial {
  readonly graph: Graph;
  at = 1_000;
  state: RunState = emptyState();
  /** Every event so far. */
  readonly journal: Event[] = [];
  private readonly live: RunState = emptyState();
  private last: Plan = { events: [], effects: [], trace: [], reply: { applied: false }, isUnfinished: false, cost: 0 };

  constructor(source: object, options: TrialOptions = {}) {
    this.graph = compile(source, options.limits);
    const restore = options.restore === undefined ? {} : { restore: options.restore };
    this.send({ type: 'start', start: startOf(this.graph, this.at, options), ...restore });
  }

  send(untimed: Untimed<Command>): Plan {
    const command = { ...untimed, at: untimed.at ?? this.at } as Command; // only `at` was missing
    this.at = command.at;
    const planned = plan(this.graph, this.state, command);
    const { state, ...told } = planned;
    expectSame(planInPlace(this.graph, this.live, command), told);
    if (planned.events.length > 0) {
      expectSame(encodeState(replayed(this.state, planned.events, state.at)), encodeState(state));
      this.expectDecidedAgain(planned.events, state.at);
    }
    expectSame(encodeState(this.live), encodeState(state));
    expectSame(countersOf(this.live), countersOf(copyState(state)));
    this.state = state;
    this.journal.push(...planned.events);
    this.last = planned;
    return planned;
  }

  /** RD4 at every command of every test: what was decided follows from the state before it and the recorded facts. */
  private expectDecidedAgain(events: readonly Event[], at: number): void {
    const commit = { seq: 1, at, events: JSON.parse(JSON.stringify(events)) as Event[] };
    const { difference } = replayCommit({ graph: this.graph, state: this.state, commit });
    if (difference) expectSame(difference.replayed, difference.recorded);
  }

  get events(): readonly Event[] {
    return this.last.events;
  }
  get effects(): Plan['effects'] {
    return this.last.effects;
  }
  get isUnfinished(): boolean {
    return this.last.isUnfinished;
  }
  get reply(): Plan['reply'] {
    return this.last.reply;
  }
  /** The events of the last command, in few words. */
  get told(): string[] {
    return this.last.events.map(tell);
  }
  /** The effects of the last command, in few words. */
  get requested(): string[] {
    return this.last.effects.map(tellEffect);
  }
  get error(): Failure | null {
    return this.state.error;
  }
  get context(): { readonly state: JsonObject; readonly output: JsonObject } {
    return this.state.root.context ?? { state: {}, output: {} };
  }

  /** Events of one type, of the last command. */
  of<T extends EventType>(type: T): EventOf<T>[] {
    return this.last.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** The token's task answers. */
  answer(token: TokenId, outcome: TaskOutcome, dispatch?: number): Plan {
    return this.send({
      type: 'task.result',
      token,
      dispatch: dispatch ?? this.state.tokens.get(token)?.dispatch ?? 1,
      outcome,
    });
  }

  complete(token: TokenId, output: Json = {}): Plan {
    return this.answer(token, { type: 'completed', output });
  }

  fail(token: TokenId, code = 'BROKEN', more: Partial<Extract<TaskOutcome, { type: 'failed' }>> = {}): Plan {
    const failure = { code, message: `${code} it is` };
    return this.answer(token, { type: 'failed', failure, retryable: true, retryAfterMs: null, retry: null, ...more });
  }

  childEnded(token: TokenId, more: Partial<ChildEnded> = {}): Plan {
    const childRunId = this.state.tokens.get(token)?.childRunId ?? 'none';
    return this.send({
      type: 'child.ended',
      token,
      childRunId,
      status: 'completed',
      nodesUsed: 1,
      descendantsUsed: 0,
      ...more,
    });
  }

  childChanged(token: TokenId, type: ChildChanged['type'], childRunId?: string): Plan {
    const known = this.state.tokens.get(token)?.childRunId ?? 'none';
    return this.send({ type, token, childRunId: childRunId ?? known });
  }

  /** A person answers the token's prompt. */
  respond(token: TokenId, payload: Json = {}, more: Partial<InputReply> & Timed = {}): Plan {
    const correlationId = makeCorrelationId(this.state.run?.runId ?? '', token);
    return this.send({ type: 'reply', token, correlationId, payload, ...more });
  }

  /** An event comes for a token that waits for one. */
  deliver(token: TokenId, eventId: string, more: Partial<EventArrival> & Timed = {}): Plan {
    const { correlationId, node = '' } = this.state.tokens.get(token) ?? {};
    const work = this.graph.nodes.get(node)?.work;
    const event = work?.type === 'event' ? work.event : 'none';
    const correlation = correlationId ?? '';
    const expiresAt = this.at + 60_000;
    return this.send({ type: 'event', token, eventId, event, correlation, payload: { eventId }, expiresAt, ...more });
  }

  /** The ledger answers; without a token, about the whole run. */
  credit(amount: number, more: Partial<CreditAnswer> & Timed = {}): Plan {
    return this.send({ type: 'credits.answer', granted: true, amount, balance: 0, ...more });
  }

  /** Time passes, and the alarm rings. */
  alarmAt(at: number): Plan {
    return this.send({ type: 'alarm', at });
  }

  /** Live tokens as `id node status`, in the order of their ids. */
  get tokens(): string[] {
    return [...this.state.tokens.values()].map((token) => `${token.id} ${token.node} ${token.status}`);
  }

  /** The live tokens at a node, in the order of their ids. */
  tokensAt(node: string): Token[] {
    return [...this.state.tokens.values()].filter((token) => token.node === node).toSorted((a, b) => a.id - b.id);
  }

  ids(node: string): TokenId[] {
    return this.tokensAt(node).map(({ id }) => id);
  }
}

/** What a snapshot does not keep, since it follows from the tokens and groups. */
function countersOf(state: RunState): unknown {
  const { dispatched, waitingForChildren, childrenSuspended, waitingForOthers, waitingForCredits, timed } = state;
  const { inputBytes } = state;
  const spawnable = [...(state.spawnable ?? [])].map(({ id }) => id).toSorted((a, b) => a - b);
  return {
    inputBytes,
    dispatched,
    waitingForChildren,
    childrenSuspended,
    waitingForOthers,
    waitingForCredits,
    timed,
    spawnable,
  };
}

function replayed(before: RunState, events: readonly Event[], at: number): RunState {
  const state = copyState(before);
  state.at = at;
  for (const event of JSON.parse(JSON.stringify(events)) as Event[]) apply(state, event);
  return state;
}

/** Equal as JSON; the slow comparison, which shows where they differ, is left to those that do. */
function expectSame(found: unknown, expected: unknown): void {
  const [foundText, expectedText] = [JSON.stringify(found), JSON.stringify(expected)];
  if (foundText !== expectedText) expect(JSON.parse(foundText)).toEqual(JSON.parse(expectedText));
}
