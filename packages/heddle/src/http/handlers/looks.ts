// Handlers: looks into a run.

import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { isTerminal } from '../../core/views/status.ts';
import { placeOf } from '../../engine/read-events.ts';
import type { Run } from '../../engine/run.ts';
import type { Page } from '../../operations/parts.ts';
import type { RunSummary } from '../../operations/run-results.ts';
import type { SentEvent } from '../event-stream.ts';
import { LiveEvents } from '../live-events.ts';
import { openStream } from '../open-stream.ts';
import { askedPage, itemsPerPage, slicedPage } from '../page.ts';
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
  getState({ runId }, { engine }) {
    return engine.run(runId).state();
  },
  getStateAt({ runId, eventId }, { engine }) {
    return engine.run(runId).stateAt(eventId);
  },
  async listTokens({ runId, ...paging }, { engine }) {
    return slicedPage(await engine.run(runId).tokens(), paging, ({ id }) => String(id));
  },
  async listNodes({ runId, ...paging }, { engine }) {
    return slicedPage(await engine.run(runId).nodes(), paging, ({ nodeId }) => nodeId);
  },
  async listRunEvents({ runId, limit, ...place }, { engine }) {
    const run = engine.run(runId);
    await run.status(); // a run that is not there is told
    return eventPage(run.events({ follow: false, ...place }), limit);
  },
  async streamRunEvents({ runId, ...place }, context) {
    const { engine, header, signal } = context;
    const run = engine.run(runId);
    const after = header('last-event-id') ?? place.after;
    if (after !== undefined) placeOf(after); // one that is none is told
    // SE5: whoever comes back to a run that has ended, and has had everything, is told that there is nothing to come back for.
    if (isOver(await run.summary()) && after !== undefined && (await hasNoMore(run, after))) return null;
    const ofRun: typeof engine.watchProgress = (listener) =>
      engine.watchProgress((progress) => {
        if (progress.runId === run.id) listener(progress);
      });
    return openStream(context, new LiveEvents(eventsOf(run, after, signal), ofRun));
  },
  listRunTrace({ runId, limit, ...place }, { engine }) {
    return eventPage(engine.run(runId).trace({ follow: false, ...place }), limit);
  },
  async streamRunTrace({ runId, ...place }, context) {
    const { engine, header, signal } = context;
    const run = engine.run(runId);
    const after = header('last-event-id') ?? place.after;
    // Also tells of a run that is not there or not traced, and of an id that is none.
    const next = await firstOf(run.trace({ ...afterOf(after), follow: false }));
    const isAtEnd = next === null ? isOver(await run.summary()) : next.id === after;
    if (after !== undefined && isAtEnd) return null;
    return openStream(context, traceOf(run, after, signal));
  },
  getExecution({ runId }, { engine }) {
    return engine.run(runId).execution();
  },
  getDataflow({ runId }, { engine }) {
    return engine.run(runId).dataflow();
  },
  getThreads({ runId }, { engine }) {
    return engine.run(runId).threads();
  },
  getSnapshot({ runId }, { engine }) {
    return engine.run(runId).snapshot();
  },
  async restoreRun({ snapshot }, { engine }) {
    return { runId: (await engine.restore(snapshot)).id };
  },
  simulateRouting({ runId, tokenId, ...outcome }, { engine }) {
    return engine.introspection.simulateRouting(runId, tokenId, outcomeOf(outcome));
  },
  explainEvent({ runId, eventId, ...whatIf }, { engine }) {
    return engine.run(runId).explain(eventId, whatIf);
  },
  replayRun({ runId, ...options }, { engine }) {
    return engine.run(runId).replay(options);
  },
  listGroups({ runId, at }, { engine }) {
    return engine.introspection.simulateSynchronization(runId, at);
  },
  listRunArtifacts({ runId, ...paging }, { engine }) {
    return askedPage(
      paging,
      (page) => engine.artifacts.list(runId, page),
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
  limit: number = itemsPerPage,
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
