import { expect, test } from 'vitest';
import type { TaskProgress } from '../actor/observers.ts';
import { systemClock } from '../actor/system-clock.ts';
import { openAccess } from './access.ts';
import { EventStreams, type SentEvent } from './event-stream.ts';
import { LiveEvents } from './live-events.ts';
import { openStream } from './open-stream.ts';

test('[SE4] a reader that is refused listens to nothing afterwards', async () => {
  const streams = new EventStreams(systemClock(), { streamsMax: 1 });
  const listeners = new Set<(progress: TaskProgress) => void>();
  const live = (): LiveEvents =>
    new LiveEvents(nothing(), (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    });
  const reader = { streams, access: openAccess };
  const first = openStream(reader, live());
  expect(() => openStream(reader, live())).toThrow('streamsMax');
  expect(listeners.size).toBe(1);
  await first.cancel();
  expect(listeners.size).toBe(0);
  streams.close();
});

async function* nothing(): AsyncGenerator<SentEvent> {
  // There is no event.
}
