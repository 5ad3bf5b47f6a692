// Visits: every visit of every node, followed as the journal is read: its span, and what it adds to the figures of its node.
//
// Always true: how a token stands is taken from the state that the appliers made; this decides only what is a visit.

import { InvariantError } from '../../base/assert.ts';
import type { Json } from '../../base/json.ts';
import { refOf } from '../apply/branches.ts';
import type { EncodedState } from '../apply/encoded-state.ts';
import { tokensInOrder } from '../apply/snapshot.ts';
import type { Event, TokenId } from '../events.ts';
import { makePathId, type PathPart } from '../path-id.ts';
import type { Branch, RunState, Token } from '../state.ts';
import type { Drawing, DrawnTransition } from './drawing.ts';
import { NodeTally } from './nodes.ts';
import { followSpan, type LiveSpan, type Spans } from './spans.ts';
import type { TokenViewStatus } from './tokens.ts';

export class Visits {
  readonly spans: Spans;
  readonly nodes = new Map<string, NodeTally>();
  readonly #drawing: Drawing;
  readonly #transitions: ReadonlyMap<string, DrawnTransition>;
  /** Tokens that came to a join, with its node. */
  readonly #arrivals = new Map<TokenId, string>();
  /** Outputs that a retry has taken over, by node. */
  #outputs: Readonly<Record<string, Json>> = {};

  constructor(drawing: Drawing, spans: Spans) {
    this.spans = spans;
    this.#drawing = drawing;
    this.#transitions = new Map(drawing.transitions.map((transition) => [transition.id, transition]));
  }

  /** After the event was applied. */
  add(event: Event, at: number, state: RunState): void {
    if (event.type === 'token.created') {
      for (let i = 0; i < (event.count ?? 1); i++) this.#enter(tokenOf(state, event.token + i), at, event.from ?? null);
    } else if (event.type === 'workflow.restored') {
      this.#outputs = (event.state as unknown as EncodedState).outputs ?? {}; // its own making
      for (const token of tokensInOrder(state)) this.#enter(token, at, null);
    } else for (const id of tokensIn(event)) this.#follow(id, event, at, state);
    if (event.type === 'edges.settled') for (const node of event.skipped) this.#tally(node).skip();
  }

  copy(): Visits {
    const copy = new Visits(this.#drawing, this.spans.copy());
    for (const [id, tally] of this.nodes) copy.nodes.set(id, tally.copy());
    for (const [token, node] of this.#arrivals) copy.#arrivals.set(token, node);
    copy.#outputs = this.#outputs;
    return copy;
  }

  #tally(nodeId: string): NodeTally {
    const known = this.nodes.get(nodeId);
    if (known) return known;
    const tally = new NodeTally(nodeId);
    this.nodes.set(nodeId, tally);
    return tally;
  }

  #enter(token: Token, at: number, from: TokenId | null): void {
    const { id, node, via, branch, status, attempt } = token;
    // A node that a compiler made is not shown (VW8).
    if (node === this.#drawing.hiddenNode) return;
    const tally = this.#tally(node);
    if (this.#isArrival(token)) {
      this.#arrivals.set(id, node);
      tally.addArrivals(1);
      return;
    }
    tally.enter(id, at, { status, attempt });
    this.spans.open({
      token: id,
      node,
      from,
      via,
      branch: refOf(branch),
      pathId: makePathId(partsOf(branch)),
      status,
      kind: null,
      readyAt: at,
      startedAt: null,
      endedAt: null,
      attempt,
      attempts: [],
      hasInput: token.input !== undefined,
    });
  }

  #follow(id: TokenId, event: Event, at: number, state: RunState): void {
    const token = state.tokens.get(id);
    const span = this.spans.find(id);
    if (!span) {
      if (!token) this.#endArrival(id);
      return;
    }
    const tally = this.#tally(span.node);
    if (event.type === 'task.dispatched' || event.type === 'subworkflow.dispatched')
      tally.addAttempts(event.attempt - span.attempt);
    this.#keepOutcome(tally, span, event, at);
    followSpan(span, event, at);
    const before = span.status;
    span.status = token ? token.status : fateOf(event);
    if (span.status !== before) tally.move(id, before, span.status);
    if (token) return;
    span.endedAt = at;
    tally.leave(at);
    this.spans.close(span);
  }

  #keepOutcome(tally: NodeTally, { token, node, hasInput }: LiveSpan, event: Event, at: number): void {
    const output = outputOf(event);
    if (output !== undefined) tally.setOutput(token, output);
    if (event.type === 'task.attempt_failed' || event.type === 'task.failed') tally.setError(token, event.error);
    if (event.type === 'token.waiting' && event.for === 'action')
      tally.setAwaitedAction(token, { action: event.action, since: at });
    // A node whose output was taken over (ND6) was not handed out.
    if (event.type !== 'token.completed' || hasInput || !Object.hasOwn(this.#outputs, node)) return;
    tally.setOutput(token, this.#outputs[node] as Json); // it is there
  }

  #endArrival(id: TokenId): void {
    const node = this.#arrivals.get(id);
    if (node === undefined) return;
    this.#arrivals.delete(id);
    this.#tally(node).addArrivals(-1);
  }

  /** VW10: who comes to a join only waits for others, or is one too many: the visit is what continues from there. */
  #isArrival({ via, branch }: Token): boolean {
    const transition = via === null ? undefined : this.#transitions.get(via);
    if (transition?.joins === undefined) return transition?.isOverEdges ?? false;
    // As in rules SY1, SY3 and BA5: outside the group of the join it is passed straight through.
    for (let { group } = branch; group && group.batch === null; group = group.parent.group)
      if (transition.joins === null || transition.joins === group.name) return true;
    return false;
  }
}

function tokenOf({ tokens }: RunState, id: TokenId): Token {
  const token = tokens.get(id);
  if (!token) throw new InvariantError(`Expected token ${id} to live when it was created, but it does not`);
  return token;
}

/** The tokens of this run that an event is about. */
function tokensIn(event: Event): readonly TokenId[] {
  if (event.type === 'input_queue.joined' || event.type === 'input_queue.left') return []; // maybe of another run
  if ('tokens' in event) return event.tokens;
  return 'token' in event && event.token !== undefined ? [event.token] : [];
}

function outputOf(event: Event): Json | undefined {
  if (event.type === 'input.resumed' || event.type === 'event.received') return event.payload;
  const gives =
    event.type === 'task.completed' || event.type === 'subworkflow.completed' || event.type === 'batch.completed';
  return gives ? event.output : undefined;
}

/** How the tokens ended that an event has ended. */
function fateOf(event: Event): TokenViewStatus {
  if (event.type === 'tokens.cancelled') return 'cancelled';
  if (event.type === 'tokens.timed_out') return 'timed_out';
  if (event.type !== 'task.failed') return 'completed';
  return event.error.code === 'SUBWORKFLOW_TIMED_OUT' ? 'timed_out' : 'failed';
}

function partsOf(branch: Branch): readonly PathPart[] {
  const parts: PathPart[] = [];
  for (let { group, index } = branch; group; { group, index } = group.parent)
    parts.push({ node: group.node, index, total: group.total });
  return parts.toReversed();
}
