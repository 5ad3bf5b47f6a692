// Spans of a run: its journal, told as spans: one for the run and one for every visit to a node. Pure. Rules OT….
//
// Always true: nothing that a run was given, wrote or answered is in a span: names, ids, numbers and codes alone.

import type { Failure } from '../base/failure.ts';
import { given } from '../base/given.ts';
import type { EncodedState } from '../core/apply/encoded-state.ts';
import type { Event, EventOf, TokenId } from '../core/events.ts';
import type { TimedEvent } from '../core/views/tokens.ts';
import { type Attributes, makeTraceId, runSpanId, type Span, type SpanEvent, tokenSpanId } from './span.ts';

/** What the journal does not say of a run. */
export interface RunFacts {
  /** The action of a node; null if it has none. */
  readonly actionOf: (node: string) => string | null;
  /** The root of the run that this one retries. */
  readonly retriedRootRunId: string | null;
}

export function spansOf(events: Iterable<TimedEvent>, facts: RunFacts): readonly Span[] {
  const fold = new SpanFold();
  for (const { at, event } of events) fold.add(at, event);
  return fold.spans(facts);
}

interface Visit {
  readonly token: TokenId;
  readonly node: string;
  readonly from: TokenId | null;
  readonly startAt: number;
  endAt: number | null;
  status: string;
  attempts: number;
  error: string | null;
  childRunId: string | null;
  readonly events: SpanEvent[];
  eventsLeftOut: number;
}

/** OT6: of a larger run the first visits are told, and how many were left out. */
const visitsMax = 10_000;
const eventsPerSpanMax = 64;

/** Takes a journal event by event, so that nobody needs to hold it whole. */
export class SpanFold {
  #run: EventOf<'workflow.started'> | null = null;
  #endAt = 0;
  #status = 'running';
  #error: string | null = null;
  #visitsLeftOut = 0;
  readonly #visits = new Map<TokenId, Visit>();

  get retryOf(): string | null {
    return this.#run?.retryOf ?? null;
  }

  get definition(): { readonly workflow: string; readonly version: number } | null {
    return this.#run;
  }

  add(at: number, event: Event): void {
    // What comes after the end belongs to other runs: a sub-run that nobody waited for.
    this.#endAt = Math.max(this.#endAt, this.#status === 'running' ? at : 0);
    if (event.type === 'workflow.started') this.#run = event;
    else if (event.type === 'workflow.completed' || event.type === 'workflow.cancelled') this.#end(event.type, null);
    else if (
      event.type === 'workflow.failed' ||
      event.type === 'workflow.timed_out' ||
      event.type === 'workflow.exhausted'
    )
      this.#end(event.type, event.error);
    else if (event.type === 'workflow.restored')
      this.#restore(at, event.state as unknown as EncodedState); // its own making
    else if (event.type === 'token.created') this.#create(at, event);
    else this.#follow(at, event);
  }

  #end(type: Event['type'], error: Failure | null): void {
    this.#status = type.slice('workflow.'.length);
    this.#error = error?.code ?? null;
  }

  #create(at: number, { token, node, from, count = 1 }: EventOf<'token.created'>): void {
    for (let i = 0; i < count; i++) this.#visit({ token: token + i, node, from: from ?? null }, at);
  }

  #restore(at: number, { tokens }: EncodedState): void {
    for (const { id, node } of tokens) this.#visit({ token: id, node, from: null }, at);
  }

  #visit(place: Pick<Visit, 'token' | 'node' | 'from'>, startAt: number): void {
    if (this.#visits.size >= visitsMax) {
      this.#visitsLeftOut++;
      return;
    }
    const untold = { endAt: null, status: 'running', attempts: 0, error: null, childRunId: null };
    this.#visits.set(place.token, { ...place, startAt, ...untold, events: [], eventsLeftOut: 0 });
  }

  #follow(at: number, event: Event): void {
    if (event.type === 'token.completed') this.#close([event.token], 'completed', at);
    else if (event.type === 'tokens.completed') this.#close(event.tokens, 'completed', at);
    else if (event.type === 'tokens.cancelled') this.#close(event.tokens, 'cancelled', at);
    else if (event.type === 'tokens.timed_out') this.#close(event.tokens, 'timed_out', at);
    else if (event.type === 'task.failed') this.#fail(at, event);
    else if (event.type === 'tasks.lost') for (const token of event.tokens) this.#note(token, at, 'task.lost', {});
    else if (event.type === 'task.dispatched' || event.type === 'subworkflow.dispatched') this.#handOut(at, event);
    else if (event.type === 'task.attempt_failed') {
      const { attempt, error, retryAt } = event;
      const retry = { 'heddle.attempt': attempt, 'error.type': error.code, 'heddle.retry_after_ms': retryAt - at };
      this.#note(event.token, at, 'task.attempt_failed', retry);
    } else this.#followWaits(at, event);
  }

  #followWaits(at: number, event: Event): void {
    if (event.type === 'input.requested' || event.type === 'input.resumed' || event.type === 'input.expired')
      this.#note(event.token, at, event.type, {});
    else if (event.type === 'event.awaited' || event.type === 'event.received' || event.type === 'timer.fired')
      this.#note(event.token, at, event.type, {});
  }

  /** OT3: an attempt is an event of its visit's span, not a span: tried again or recovered, a visit is still one. */
  #handOut(at: number, event: EventOf<'task.dispatched'> | EventOf<'subworkflow.dispatched'>): void {
    const visit = this.#visits.get(event.token);
    if (visit === undefined) return;
    visit.attempts = event.attempt;
    if (event.type === 'subworkflow.dispatched') visit.childRunId = event.childRunId;
    const handOut = event.type === 'task.dispatched' ? { 'heddle.dispatch': event.dispatch } : {};
    this.#note(event.token, at, event.type, { 'heddle.attempt': event.attempt, ...handOut });
  }

  #fail(at: number, { token, error }: EventOf<'task.failed'>): void {
    const visit = this.#visits.get(token);
    if (visit !== undefined) visit.error = error.code;
    this.#close([token], 'failed', at);
  }

  #close(tokens: readonly TokenId[], status: string, at: number): void {
    for (const token of tokens) {
      const visit = this.#visits.get(token);
      if (visit !== undefined) Object.assign(visit, { status, endAt: at });
    }
  }

  #note(token: TokenId, at: number, name: string, attributes: Attributes): void {
    const visit = this.#visits.get(token);
    if (visit === undefined) return;
    if (visit.events.length < eventsPerSpanMax) visit.events.push({ at, name, attributes });
    else visit.eventsLeftOut++;
  }

  /** The run's first, then those of its visits in the order in which they began. */
  spans(facts: RunFacts): readonly Span[] {
    const run = this.#run;
    if (run === null) return [];
    const whole = this.#runSpan(run, facts);
    return [whole, ...[...this.#visits.values()].map((visit) => this.#visitSpan(whole, visit, { run, facts }))];
  }

  // OT4: the span of a sub-run lies below that of the visit that called it; a retry is linked to what it retries.
  #runSpan(run: EventOf<'workflow.started'>, { retriedRootRunId }: RunFacts): Span {
    const { runId, parent, retryOf } = run;
    const retried =
      retryOf === null ? [] : [{ traceId: makeTraceId(retriedRootRunId ?? retryOf), spanId: runSpanId(retryOf) }];
    return {
      traceId: makeTraceId(run.rootRunId),
      spanId: runSpanId(runId),
      parentSpanId: parent === null ? null : tokenSpanId(parent.runId, parent.token),
      name: run.workflow,
      startAt: run.at,
      endAt: this.#endAt,
      attributes: {
        ...listAttributes(run),
        'heddle.run.status': this.#status,
        ...given({
          'heddle.run.retry_of': retryOf ?? undefined,
          'error.type': this.#error ?? undefined,
          'heddle.spans_left_out': this.#visitsLeftOut || undefined,
        }),
      },
      events: [],
      eventsLeftOut: 0,
      links: retried,
      error: this.#error,
    };
  }

  #visitSpan(whole: Span, visit: Visit, { run, facts }: { run: EventOf<'workflow.started'>; facts: RunFacts }): Span {
    const { token, node, from, status, attempts, error, childRunId } = visit;
    const action = facts.actionOf(node);
    return {
      traceId: whole.traceId,
      spanId: tokenSpanId(run.runId, token),
      parentSpanId: whole.spanId,
      name: node,
      startAt: visit.startAt,
      endAt: visit.endAt ?? this.#endAt,
      attributes: {
        ...listAttributes(run),
        'heddle.node.id': node,
        'heddle.token.id': token,
        'heddle.token.status': visit.endAt === null ? this.#status : status,
        ...given({
          'heddle.token.from': from ?? undefined,
          'heddle.action': action ?? undefined,
          'heddle.attempts': attempts || undefined,
          'heddle.child_run.id': childRunId ?? undefined,
          'error.type': error ?? undefined,
        }),
      },
      events: visit.events,
      eventsLeftOut: visit.eventsLeftOut,
      links: [],
      error: error ?? (status === 'timed_out' ? 'TIMED_OUT' : null),
    };
  }
}

function listAttributes({ runId, workflow, version }: EventOf<'workflow.started'>): Attributes {
  return { 'heddle.run.id': runId, 'heddle.workflow.id': workflow, 'heddle.workflow.version': version };
}
