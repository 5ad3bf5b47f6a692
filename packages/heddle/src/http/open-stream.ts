// Open stream: a stream of events for one more reader, if there is room.

import type { SentEvent } from './event-stream.ts';
import type { RequestContext } from './handlers/handler.ts';
import { RequestError } from './problem-document.ts';

/** SE4: a server has at most so many readers; one more is refused and may come again. */
export function openStream(
  { streams, access }: Pick<RequestContext, 'streams' | 'access'>,
  source: AsyncIterator<SentEvent>,
): ReadableStream<Uint8Array> {
  if (!streams.isFull) return streams.stream(source, access);
  void source.return?.(); // whoever listens for it hears nothing more
  const message = 'Expected room for one more reader of events by the limit streamsMax, but there is none';
  throw new RequestError(503, 'LIMIT_EXCEEDED', message, { limit: 'streamsMax', headers: { 'retry-after': '5' } });
}
