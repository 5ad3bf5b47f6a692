// RunFold: a run as a drawing shows it at a moment, folded from its journal event by event: figures of nodes, ways and
// groups, spans for a timeline, and the state itself. The server and a browser fold with this one projection.
//
//   const fold = new RunFold({ drawing });
//   for await (const event of run.events()) fold.add(event);
//   fold.status; fold.nodes(); fold.edges(); fold.groups(); fold.spans(); fold.state
//
// Always true: an event costs what it changes, and nothing of it is kept but its figures; memory follows what lives at once
// (as the state does) and the bounds `spansMax` and `groupsMax`, not the length of the journal. What it answers with is
// never altered afterwards.

import type { Failure } from '../../base/failure.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { apply, copyState, emptyState } from '../apply/apply.ts';
import type { TokenId } from '../events.ts';
import { journaled, type RunEvent } from '../run-event.ts';
import type { RunState, Token } from '../state.ts';
import type { Drawing } from './drawing.ts';
import { EdgeTally, type EdgeView } from './edges.ts';
import { type GroupFigures, GroupHistory, type GroupTotals } from './groups.ts';
import { type Bearing, type NodeFigures, NodeTally, type NodeView } from './nodes.ts';
import { type Span, Spans, type SpanTotals } from './spans.ts';
import { type RunStatus, statusOf } from './status.ts';
import { Visits } from './visits.ts';

export interface RunFoldOptions {
  /**
   * What the run is shown on, as `getRunView` answers with it. Without it, nodes are those that were visited, ways are not
   * told, and who waits at a join counts as a visit of its node.
   */
  readonly drawing?: Drawing;
  /** How many spans that have ended are kept one by one; 10,000 unless told. */
  readonly spansMax?: number;
  /** How many groups that are over are kept one by one; 1,000 unless told. */
  readonly groupsMax?: number;
}

/** A prompt that somebody may answer, or that waits for its turn to be asked. */
export interface OpenPrompt {
  readonly token: TokenId;
  readonly node: string;
  readonly correlationId: string;
  readonly isAsked: boolean;
  readonly title: string | null;
  readonly since: number;
  readonly deadline: number | null;
}

/** A token that continues by itself at a time, unless something else comes first. */
export interface DueTimer {
  readonly token: TokenId;
  readonly node: string;
  readonly status: Token['status'];
  readonly dueAt: number;
}

/** A sub-run that a token waits for. */
export interface LiveSubrun {
  readonly token: TokenId;
  readonly node: string;
  readonly childRunId: string;
  readonly isSuspended: boolean;
}

/** The first event that something failed at. */
export interface FirstFailure {
  readonly eventId: string;
  /** How many events stood before it. */
  readonly index: number;
  readonly node: string | null;
}

export class RunFold {
  readonly #drawing: Drawing | null;
  readonly #options: RunFoldOptions;
  #run = emptyState();
  #visits: Visits;
  #edges = new EdgeTally();
  #groups: GroupHistory;
  #count = 0;
  /** Row and place of the last event, and its id. */
  #row = 0;
  #index = 0;
  #lastEvent: string | null = null;
  #firstFailure: FirstFailure | null = null;

  constructor(options: RunFoldOptions = {}) {
    const { drawing = null, spansMax = 10_000, groupsMax = 1_000 } = options;
    this.#options = options;
    this.#drawing = drawing;
    this.#visits = new Visits(drawing ?? nothingDrawn, new Spans(spansMax));
    this.#groups = new GroupHistory(groupsMax);
  }

  /** VW14: the next event of the journal is applied, and what it changes is counted. */
  add(told: RunEvent): void {
    // VW15: each once and in order; else nothing of it is added.
    const { at, seq, id } = told;
    const isSameRow = seq === this.#row && this.#lastEvent !== null;
    const index = isSameRow ? this.#index + 1 : 0;
    if (!(isSameRow || seq === this.#row + 1) || id !== `${seq}.${index}`) throw outOfOrder(this.#lastEvent, id);
    const event = journaled(told);
    this.#groups.add(event, at, this.#run);
    this.#noteFailure(told);
    this.#run.at = at;
    apply(this.#run, event);
    if (event.type === 'token.created') this.#edges.add(event, at);
    this.#visits.add(event, at, this.#run);
    this.#row = seq;
    this.#index = index;
    this.#lastEvent = id;
    this.#count++;
  }

  /** How many events were added, and the id of the last. */
  get count(): number {
    return this.#count;
  }

  get lastEvent(): string | null {
    return this.#lastEvent;
  }

  get at(): number {
    return this.#run.at;
  }

  // -------------------------------------------------------------------------------------------------------- the run

  /** What the events add up to. Not to be altered; it changes with the next event. */
  get run(): Readonly<RunState> {
    return this.#run;
  }

  get status(): RunStatus {
    return statusOf(this.#run);
  }

  get input(): Json {
    return this.#run.run?.input ?? null;
  }

  get state(): JsonObject {
    return this.#run.root.context?.state ?? {};
  }

  /** What the run has written as its output so far; `result` is what it ended with. */
  get output(): JsonObject {
    return this.#run.root.context?.output ?? {};
  }

  get result(): Json | undefined {
    return this.#run.output;
  }

  get error(): Failure | null {
    return this.#run.error;
  }

  get firstFailure(): FirstFailure | null {
    return this.#firstFailure;
  }

  // ---------------------------------------------------------------------------------------------------- the drawing

  /** Every node of the drawing, in its order. */
  nodes(): readonly NodeFigures[] {
    const bearing = this.#bearing();
    return this.#nodeIds().map((id) => this.#tallyOf(id).figures(bearing));
  }

  node(nodeId: string): NodeFigures {
    return this.#tallyOf(nodeId).figures(this.#bearing());
  }

  /** As `listNodes` answers: with outputs. */
  nodeViews(): readonly NodeView[] {
    const bearing = this.#bearing();
    return this.#nodeIds().map((id) => this.#tallyOf(id).view(bearing));
  }

  /** Every way of the drawing, in its order. */
  edges(): readonly EdgeView[] {
    return this.#drawing ? this.#edges.view(this.#drawing) : [];
  }

  /** Instances of fan-outs and batches: those that are over, then those that are open. */
  groups(): readonly GroupFigures[] {
    return this.#groups.list(this.#run);
  }

  /** What groups add up to that are over and no longer kept one by one. */
  groupTotals(): readonly GroupTotals[] {
    return this.#groups.totals();
  }

  // ---------------------------------------------------------------------------------------------------- the timeline

  /** Of visits that have ended, in that order, then of those that live. */
  spans(): Iterable<Span> {
    return this.#visits.spans.list();
  }

  /** What spans add up to that are no longer kept one by one, by node. */
  spanTotals(): readonly SpanTotals[] {
    return this.#visits.spans.totals();
  }

  // --------------------------------------------------------------------------------------------------- what it waits for

  prompts(): readonly OpenPrompt[] {
    if (this.#run.waitingForOthers === 0) return [];
    return this.#live().flatMap(({ id, node, status, correlationId, asked, texts, since, dueAt }) =>
      status === 'waiting_for_input'
        ? [
            {
              token: id,
              node,
              correlationId: correlationId ?? '',
              isAsked: asked,
              title: texts?.title ?? null,
              since,
              deadline: dueAt,
            },
          ]
        : [],
    );
  }

  /** The earliest first. */
  timers(): readonly DueTimer[] {
    if (this.#run.timed === 0) return [];
    return this.#live()
      .flatMap(({ id, node, status, dueAt }) => (dueAt === null ? [] : [{ token: id, node, status, dueAt }]))
      .toSorted((a, b) => a.dueAt - b.dueAt);
  }

  subruns(): readonly LiveSubrun[] {
    if (this.#run.waitingForChildren === 0) return [];
    return this.#live().flatMap(({ id, node, childRunId, childSuspended }) =>
      childRunId === null ? [] : [{ token: id, node, childRunId, isSuspended: childSuspended }],
    );
  }

  /** The same, to continue by itself: what is added to one does not change the other. */
  copy(): RunFold {
    const copy = new RunFold(this.#options);
    copy.#run = copyState(this.#run);
    copy.#visits = this.#visits.copy();
    copy.#edges = this.#edges.copy();
    copy.#groups = this.#groups.copy();
    copy.#count = this.#count;
    copy.#row = this.#row;
    copy.#index = this.#index;
    copy.#lastEvent = this.#lastEvent;
    copy.#firstFailure = this.#firstFailure;
    return copy;
  }

  #nodeIds(): readonly string[] {
    return this.#drawing?.nodes ?? [...this.#visits.nodes.keys()];
  }

  #tallyOf(nodeId: string): NodeTally {
    return this.#visits.nodes.get(nodeId) ?? new NodeTally(nodeId);
  }

  #bearing(): Bearing {
    const { outcome, error, run } = this.#run;
    return { failure: outcome === 'failed' ? error : null, oneAtATime: run?.oneAtATime ?? false };
  }

  #live(): readonly Token[] {
    return [...this.#run.tokens.values()];
  }

  #noteFailure(told: RunEvent): void {
    if (this.#firstFailure || !failures.has(told.type)) return;
    const node = 'token' in told ? this.#run.tokens.get(told.token ?? 0)?.node : undefined;
    const { nodeId } = 'error' in told ? (told.error ?? {}) : {};
    this.#firstFailure = { eventId: told.id, index: this.#count, node: node ?? nodeId ?? null };
  }
}

const nothingDrawn: Drawing = { nodes: [], transitions: [], hiddenNode: null };

const failures: ReadonlySet<string> = new Set([
  'task.attempt_failed',
  'task.failed',
  'workflow.failed',
  'workflow.timed_out',
]);

function outOfOrder(last: string | null, id: string): HeddleError {
  const expected = last === null ? 'the first event of a journal, 1.0' : `the event after ${last}`;
  return new HeddleError('EVENTS_INCOMPLETE', `Expected ${expected}, but found ${id}`, {
    hint: 'Read the journal again from the last event that was added.',
  });
}
