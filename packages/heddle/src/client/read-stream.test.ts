// Streams that break without a word, in virtual time.

import { expect, test } from 'vitest';
import { VirtualClock, virtualStart } from '../testing/virtual-clock.ts';
import { AnsweredError } from './answers.ts';
import { readStream, type StreamState } from './read-stream.ts';

const encoder = new TextEncoder();

/** An answer with these texts; without an end it stays open, and nothing more comes. */
function answering(texts: readonly string[], { ends }: { readonly ends: boolean }): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(encoder.encode(text));
      if (ends) controller.close();
    },
  });
  return new Response(body);
}

test('a connection over which nothing comes, not even a sign of life, is given up and opened again where it was', async () => {
  const opened: (string | undefined)[] = [];
  const answers = [
    answering(['id: 1.0\ndata: {}\n\n', ': still here\n\n'], { ends: false }),
    answering(['id: 1.1\ndata: {}\n\n', 'event: end\ndata: {}\n\n'], { ends: true }),
  ];
  const states: StreamState[] = [];
  const clock = new VirtualClock();
  const events = readStream(
    async (after) => {
      opened.push(after);
      return answers[opened.length - 1] as Response; // there are as many as it opens
    },
    undefined,
    { forever: true, clock, onState: (state) => states.push(state) },
  );
  expect((await events.next()).value).toMatchObject({ id: '1.0' });
  const next = events.next();
  await clock.advance(44_000);
  expect(states).toEqual(['open']);
  expect(clock.nextAt).toBe(virtualStart + 45_000);
  await clock.advance(2_000);
  expect((await next).value).toMatchObject({ id: '1.1' });
  expect((await events.next()).done).toBe(true);
  expect([opened, states]).toEqual([
    [undefined, '1.0'],
    ['open', 'lost', 'open'],
  ]);
  expect(clock.nextAt).toBe(null);
});

test('whoever keeps trying waits longer each time, and never longer than ten seconds', async () => {
  const at: number[] = [];
  const leaving = new AbortController();
  const clock = new VirtualClock();
  const events = readStream(
    async () => {
      at.push(clock.now());
      throw new TypeError('fetch failed');
    },
    undefined,
    { forever: true, signal: leaving.signal, clock },
  );
  const next = events.next();
  await clock.advance(60_000);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(waits.slice(0, 9)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  leaving.abort();
  expect((await next).done).toBe(true);
  expect(clock.nextAt).toBe(null);
});

test('what the server does not do at all is asked for once', async () => {
  let tries = 0;
  const refusal = new AnsweredError(501, 'NOT_IN_THIS_PLACEMENT', 'Expected a run');
  const open = () => {
    tries += 1;
    return Promise.reject(refusal);
  };
  await expect(readStream(open, undefined, { forever: true }).next()).rejects.toBe(refusal);
  expect(tries).toBe(1);
});

test('without that it is tried six times in a row', async () => {
  const clock = new VirtualClock();
  let tries = 0;
  const events = readStream(
    async () => {
      tries += 1;
      throw new TypeError('fetch failed');
    },
    undefined,
    { clock },
  );
  const next = expect(events.next()).rejects.toThrow('fetch failed');
  await clock.advance(60_000);
  await next;
  expect(tries).toBe(6);
});
