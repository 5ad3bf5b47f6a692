// Handlers: events from outside, and those of the journal.

import type { Engine } from '../../sdk/engine.ts';
import { placeOf } from '../../sdk/read-events.ts';
import type { SentEvent } from '../event-stream.ts';
import { LiveEvents } from '../live-events.ts';
import { openStream } from '../open-stream.ts';
import { invalidCursor } from '../page.ts';
import type { HandlersOf, Surroundings } from './handler.ts';
import { eventPage } from './looks.ts';

export const eventHandlers: HandlersOf<'publishEvent' | 'listEvents' | 'streamEvents'> = {
  async publishEvent({ body }, { engine }) {
    const { name, payload = {}, ...options } = body;
    const { fired, skipped, ...published } = await engine.publish(name, payload, options);
    return { ...published, fired: [...fired], skipped: skipped.map((one) => ({ ...one, code: one.code as never })) };
  },
  listEvents({ query }, { engine }) {
    const { limit: _, ...where } = query;
    return eventPage(engine.events({ ...where, follow: false }), query, ({ feedId }) => feedId);
  },
  async streamEvents({ query }, surroundings) {
    const { header, engine } = surroundings;
    const after = await feedPlace(engine, header('last-event-id') ?? query.after);
    const events = allEvents({ ...query, after }, surroundings);
    if (query.workflow !== undefined) return openStream(surroundings, events);
    return openStream(surroundings, new LiveEvents(events, (listener) => engine.watchProgress(listener)));
  },
};

/** SE2: the events of all runs have ids by the order in which they were committed. */
async function* allEvents(
  query: { readonly after: string; readonly workflow?: string },
  { engine, signal }: Surroundings,
): AsyncGenerator<SentEvent> {
  for await (const event of engine.events({ ...query, signal })) yield { id: event.feedId, data: event };
}

/** SE6: whoever goes on after what was never committed here is refused: they would wait, and miss what comes before it. */
async function feedPlace(engine: Engine, after: string | undefined): Promise<string> {
  if (after === 'start') return '0.0';
  const newest = await engine.newestEvent();
  if (after !== undefined && placeOf(after).row > placeOf(newest).row) throw invalidCursor();
  return after ?? newest;
}
