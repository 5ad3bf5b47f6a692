// Handlers: streams of events, as Server-Sent Events. Rules SE….

import type { Run } from '../../api/run.ts';
import { isTerminal } from '../../core/views/status.ts';
import type { Engine } from '../../engine/engine.ts';
import { placeOf } from '../../engine/read-events.ts';
import type { StreamName } from '../../operations/carrier.ts';
import { invalidCursor } from '../../operations/pages.ts';
import type { RunSummary } from '../../operations/run-results.ts';
import type { SentEvent } from '../event-stream.ts';
import { LiveEvents } from '../live-events.ts';
import { openStream } from '../open-stream.ts';
import type { HandlersOf, RequestContext } from './handler.ts';

export const streamHandlers: HandlersOf<StreamName> = {
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

  async streamEvents(where, context) {
    const { header, engine } = context;
    const after = await feedPlace(engine, header('last-event-id') ?? where.after);
    const events = allEvents({ ...where, after }, context);
    if (where.workflow !== undefined) return openStream(context, events);
    return openStream(context, new LiveEvents(events, (listener) => engine.watchProgress(listener)));
  },
};

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

/** SE2: the events of all runs have ids by the order in which they were committed. */
async function* allEvents(
  where: { readonly after: string; readonly workflow?: string },
  { engine, signal }: RequestContext,
): AsyncGenerator<SentEvent> {
  for await (const event of engine.events({ ...where, signal })) yield { id: event.feedId, data: event };
}

/** SE6: whoever goes on after what was never committed here is refused: they would wait, and miss what comes before it. */
async function feedPlace(engine: Engine, after: string | undefined): Promise<string> {
  if (after === 'start') return '0.0';
  const newest = await engine.newestEvent();
  if (after !== undefined && !isCommitted(after, newest)) throw invalidCursor();
  return after ?? newest;
}

/** In every shard, if it is a fleet's (SH7): there it is several places, and an empty one where nothing was read. */
function isCommitted(after: string, newest: string): boolean {
  const [places, ends] = [after.split(','), newest.split(',')];
  const isWithin = (place: string, shard: number): boolean => placeOf(place).row <= placeOf(ends[shard] ?? '').row; // there are as many
  const isNowhere = (place: string): boolean => place === '' && places.length > 1;
  return places.length <= ends.length && places.every((place, shard) => isNowhere(place) || isWithin(place, shard));
}
