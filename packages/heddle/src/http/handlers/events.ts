// Handlers: events from outside, and those of the journal.

import type { Engine } from '../../engine/engine.ts';
import { placeOf } from '../../engine/read-events.ts';
import type { SentEvent } from '../event-stream.ts';
import { LiveEvents } from '../live-events.ts';
import { openStream } from '../open-stream.ts';
import { invalidCursor } from '../page.ts';
import type { HandlersOf, RequestContext } from './handler.ts';
import { eventPage } from './looks.ts';

export const eventHandlers: HandlersOf<'publishEvent' | 'listEvents' | 'streamEvents'> = {
  publishEvent({ name, payload, ...options }, { engine }) {
    return engine.publish(name, payload, options);
  },
  listEvents({ limit, ...where }, { engine }) {
    return eventPage(engine.events({ ...where, follow: false }), limit, ({ feedId }) => feedId);
  },
  async streamEvents(where, context) {
    const { header, engine } = context;
    const after = await feedPlace(engine, header('last-event-id') ?? where.after);
    const events = allEvents({ ...where, after }, context);
    if (where.workflow !== undefined) return openStream(context, events);
    return openStream(context, new LiveEvents(events, (listener) => engine.watchProgress(listener)));
  },
};

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
  if (after !== undefined && placeOf(after).row > placeOf(newest).row) throw invalidCursor();
  return after ?? newest;
}
