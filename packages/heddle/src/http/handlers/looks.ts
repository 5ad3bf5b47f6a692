// Handlers: looks into a run.

import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { isTerminal } from '../../core/views/status.ts';
import { placeOf } from '../../sdk/read-events.ts';
import type { Run } from '../../sdk/run.ts';
import type { RunSummary } from '../../sdk/run-result.ts';
import type { SentEvent } from '../event-stream.ts';
import { LiveEvents } from '../live-events.ts';
import { openStream } from '../open-stream.ts';
import { askedPage, itemsPerPage, type Page, type Paging, slicedPage } from '../page.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf } from './handler.ts';

export const lookHandlers: HandlersOf<
  | 'getState'
  | 'getStateAt'
  | 'listTokens'
  | 'listNodes'
  | 'listRunEvents'
  | 'streamRunEvents'
  | 'listRunTrace'
  | 'streamRunTrace'
  | 'getExecution'
  | 'getDataflow'
  | 'getThreads'
  | 'getSnapshot'
  | 'restoreRun'
  | 'simulateRouting'
  | 'explainEvent'
  | 'replayRun'
  | 'listGroups'
  | 'listRunArtifacts'
> = {
  getState({ params }, { engine }) {
    return engine.run(params.runId).state();
  },
  getStateAt({ params }, { engine }) {
    return engine.run(params.runId).stateAt(params.eventId);
  },
  async listTokens({ params, query }, { engine }) {
    return slicedPage(await engine.run(params.runId).tokens(), query, ({ id }) => String(id));
  },
  async listNodes({ params, query }, { engine }) {
    return slicedPage(await engine.run(params.runId).nodes(), query, ({ nodeId }) => nodeId);
  },
  async listRunEvents({ params, query }, { engine }) {
    const run = engine.run(params.runId);
    await run.status(); // a run that is not there is told
    return eventPage(run.events({ follow: false, ...afterOf(query.after) }), query);
  },
  async streamRunEvents({ params, query }, surroundings) {
    const { engine, header, signal } = surroundings;
    const run = engine.run(params.runId);
    const after = header('last-event-id') ?? query.after;
    if (after !== undefined) placeOf(after); // one that is none is told
    // SE5: whoever comes back to a run that has ended, and has had everything, is told that there is nothing to come back for.
    if (isOver(await run.summary()) && after !== undefined && (await hasNoMore(run, after))) return null;
    const ofRun: typeof engine.watchProgress = (listener) =>
      engine.watchProgress((progress) => {
        if (progress.runId === run.id) listener(progress);
      });
    return openStream(surroundings, new LiveEvents(eventsOf(run, after, signal), ofRun));
  },
  listRunTrace({ params, query }, { engine }) {
    return eventPage(engine.run(params.runId).trace({ follow: false, ...afterOf(query.after) }), query);
  },
  async streamRunTrace({ params, query }, surroundings) {
    const { engine, header, signal } = surroundings;
    const run = engine.run(params.runId);
    const after = header('last-event-id') ?? query.after;
    // Also tells of a run that is not there or not traced, and of an id that is none.
    const next = await firstOf(run.trace({ ...afterOf(after), follow: false }));
    const isAtEnd = next === null ? isOver(await run.summary()) : next.id === after;
    if (after !== undefined && isAtEnd) return null;
    return openStream(surroundings, traceOf(run, after, signal));
  },
  getExecution({ params }, { engine }) {
    return engine.run(params.runId).execution();
  },
  getDataflow({ params }, { engine }) {
    return engine.run(params.runId).dataflow();
  },
  getThreads({ params }, { engine }) {
    return engine.run(params.runId).threads();
  },
  getSnapshot({ params }, { engine }) {
    return engine.run(params.runId).snapshot();
  },
  async restoreRun({ body }, { engine }) {
    return { runId: (await engine.restore(body)).id };
  },
  simulateRouting({ params, body }, { engine }) {
    return engine.introspection.simulateRouting(params.runId, body.tokenId, outcomeOf(body));
  },
  explainEvent({ params, body }, { engine }) {
    const { eventId, ...whatIf } = body;
    return engine.run(params.runId).explain(eventId, whatIf);
  },
  replayRun({ params, body }, { engine }) {
    return engine.run(params.runId).replay(body);
  },
  async listGroups({ params, query }, { engine }) {
    const { groups, ifTimeWere } = await engine.introspection.simulateSynchronization(params.runId, query.at);
    return { groups: [...groups], ifTimeWere };
  },
  async listRunArtifacts({ params, query }, { engine }) {
    return askedPage(
      query,
      (page) => engine.artifacts.list(params.runId, page),
      ({ id }) => id,
    );
  },
};

function outcomeOf({ output, error }: { readonly output?: Json; readonly error?: Failure }) {
  if ((output === undefined) === (error === undefined)) {
    const message = 'Expected either an output or an error, but found both or neither';
    throw new RequestError(422, 'REQUEST_INVALID', message);
  }
  return error === undefined ? { output: output ?? null } : { error };
}

const afterOf = (after: string | undefined) => (after === undefined ? {} : { after });

/** SE1: the events of a run have the ids that they have in its journal; a reader goes on after the last that it had. */
async function* eventsOf(run: Run, after: string | undefined, signal: AbortSignal): AsyncGenerator<SentEvent> {
  for await (const event of run.events({ ...afterOf(after), signal })) yield { id: event.id, data: event };
  // A reader that was told of the end does not come back; one whose server went away does.
  if (isOver(await run.summary())) yield { name: 'end', data: {} };
}

const isOver = ({ status, quarantine }: RunSummary): boolean => isTerminal(status) || quarantine !== null;

const hasNoMore = async (run: Run, after: string): Promise<boolean> =>
  (await firstOf(run.events({ after, follow: false }))) === null;

/** As above. Nothing follows the event that says that the trace reached its limit. */
async function* traceOf(run: Run, after: string | undefined, signal: AbortSignal): AsyncGenerator<SentEvent> {
  let isFull = false;
  for await (const event of run.trace({ ...afterOf(after), signal })) {
    isFull = event.type === 'trace.dropped';
    yield { id: event.id, data: event };
  }
  if (isFull || isOver(await run.summary())) yield { name: 'end', data: {} };
}

/** Null if there is none. */
async function firstOf<Item>(items: AsyncIterator<Item>): Promise<Item | null> {
  const { done, value } = await items.next();
  await items.return?.();
  return done === true ? null : value;
}

/** Of a page. */
const eventCharactersMax = 4_194_304;

export async function eventPage<Event extends { readonly id: string }>(
  events: AsyncIterator<Event>,
  { limit = itemsPerPage }: Paging,
  idOf: (event: Event) => string = ({ id }) => id,
): Promise<Page<Event>> {
  const items: Event[] = [];
  let hasMore = true;
  // HT16: a page of large events is short, and says where the next goes on.
  for (let characters = 0; hasMore && items.length < limit && characters < eventCharactersMax; ) {
    const { done, value } = await events.next();
    hasMore = done !== true;
    if (done === true) break;
    items.push(value);
    characters += JSON.stringify(value).length;
  }
  hasMore = hasMore && (await events.next()).done !== true;
  await events.return?.();
  const last = items.at(-1);
  return { items, next: hasMore && last !== undefined ? idOf(last) : null };
}
