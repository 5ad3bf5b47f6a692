// ExplainEvents: the same without an engine: from the events of a run and its definition, as an engine anywhere gives
// them. Pure, and for any runtime: a browser explains a run that it has read over HTTP. Rule RD11.

import { HeddleError } from '../base/heddle-error.ts';
import { apply, emptyState } from '../core/apply/apply.ts';
import type { Event } from '../core/events.ts';
import type { Commit } from '../core/replay/facts.ts';
import { journaled, type RunEvent } from '../core/run-event.ts';
import type { Graph } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { compileParsed } from '../dialects/compile-graph.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { checkText } from '../operations/check-request.ts';
import type { Explanation, WhatIf } from '../operations/run-views.ts';
import { checkedLimits, checkOptions } from './check-options.ts';
import { checkWhatIf, explain, whatIfKinds } from './explanation.ts';
import { placeOf } from './read-events.ts';
import { noSuchEvent } from './state-at.ts';

export interface RunToExplain {
  /** The journal from its first event on, as `run.events()` and the API give it. */
  readonly events: readonly RunEvent[];
  /** The version that the run is pinned to, as `engine.definition(id, version)` gives it. */
  readonly definition: unknown;
  /** Those of the engine that decided, where they are not the default. */
  readonly limits?: Partial<Limits>;
  /** What actions cost there, where their nodes do not say. */
  readonly costOf?: (action: string) => number;
}

/** RD11: explains an event of a run from what can be read of it. */
export function explainEvents(run: RunToExplain, eventId: string, whatIf: WhatIf = {}): Explanation {
  checkOptions('explainEvents', run, { events: 'members', definition: 'other', limits: 'other', costOf: 'other' });
  checkOptions('explainEvents', whatIf, whatIfKinds);
  checkText('the id of an event', eventId);
  const [start] = run.events;
  if (start?.type !== 'workflow.started' || start.id !== '1.0') throw notFromTheStart(start);
  const { runId, version } = start;
  const limits = checkedLimits(run.limits);
  const compile = (definition: unknown): Graph => compiled(definition, { ...run, limits, version });
  const graph = compile(run.definition);
  const draft = whatIf.definition === undefined ? {} : { graph: compile(whatIf.definition) };
  const { row, index } = placeOf(eventId);
  const state = emptyState();
  for (const commit of commitsOf(run.events)) {
    if (commit.seq === row && index < commit.events.length)
      return explain(
        { runId, eventId, opening: { graph, state, commit } },
        { ...checkWhatIf(whatIf, limits), ...draft },
      );
    state.at = commit.at;
    for (const event of commit.events) apply(state, event);
  }
  throw noSuchEvent(runId, eventId);
}

function notFromTheStart(first: RunEvent | undefined): HeddleError {
  const found = first === undefined ? 'there are none' : `the first is ${first.type} (${first.id})`;
  const message = `Expected the events of a run from its first on, but ${found}; read them without \`after\``;
  return new HeddleError('EVENTS_INCOMPLETE', message);
}

function compiled(
  source: unknown,
  { limits, costOf, version }: Pick<RunToExplain, 'costOf'> & { readonly limits: Limits; readonly version: number },
): Graph {
  return compileParsed(parseDefinition(source, { limits }), { version, limits, ...(costOf ? { costOf } : {}) });
}

function commitsOf(events: readonly RunEvent[]): readonly Commit[] {
  const commits: { seq: number; at: number; events: Event[] }[] = [];
  for (const event of events) {
    const last = commits.at(-1);
    const { seq, at } = event;
    if (last?.seq === seq) last.events.push(journaled(event));
    else if (seq === (last?.seq ?? 0) + 1) commits.push({ seq, at, events: [journaled(event)] });
    else
      throw new HeddleError(
        'EVENTS_INCOMPLETE',
        `Expected the events of commit ${(last?.seq ?? 0) + 1}, but found ${event.id}`,
      );
  }
  return commits;
}
