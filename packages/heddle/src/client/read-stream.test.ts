// Streams that break without a word, in virtual time.

import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readStream, type StreamState } from './read-stream.ts';

/** Whether reading leads to it: the test runner, and tests of other files, share the process and have timers of their own. */
const ours = new AsyncLocalStorage<true>();
/** Timers of ours that are still set. */
const timers = new Set<unknown>();

const nextOf = <Item>(stream: AsyncGenerator<Item>): Promise<IteratorResult<Item>> =>
  ours.run(true, () => stream.next());

beforeEach(() => {
  vi.useFakeTimers();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, ms?: number) => {
    const timer = set(() => {
      timers.delete(timer);
      work();
    }, ms);
    if (ours.getStore()) timers.add(timer);
    return timer;
  });
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    timers.delete(timer);
    clear(timer);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  timers.clear();
});

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
  const events = readStream(
    async (after) => {
      opened.push(after);
      return answers[opened.length - 1] as Response; // there are as many as it opens
    },
    undefined,
    { forever: true, onState: (state) => states.push(state) },
  );
  expect((await nextOf(events)).value).toMatchObject({ id: '1.0' });
  const next = nextOf(events);
  await vi.advanceTimersByTimeAsync(44_000);
  expect(states).toEqual(['open']);
  expect(timers.size).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await next).value).toMatchObject({ id: '1.1' });
  expect((await nextOf(events)).done).toBe(true);
  expect([opened, states]).toEqual([
    [undefined, '1.0'],
    ['open', 'lost', 'open'],
  ]);
  expect(timers.size).toBe(0);
});

test('whoever keeps trying waits longer each time, and never longer than ten seconds', async () => {
  const at: number[] = [];
  const leaving = new AbortController();
  const events = readStream(
    async () => {
      at.push(Date.now());
      throw new TypeError('fetch failed');
    },
    undefined,
    { forever: true, signal: leaving.signal },
  );
  const next = nextOf(events);
  await vi.advanceTimersByTimeAsync(60_000);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(waits.slice(0, 9)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  leaving.abort();
  expect((await next).done).toBe(true);
  expect(timers.size).toBe(0);
});

test('without that it is tried six times in a row', async () => {
  let tries = 0;
  const events = readStream(async () => {
    tries += 1;
    throw new TypeError('fetch failed');
  }, undefined);
  const next = expect(nextOf(events)).rejects.toThrow('fetch failed');
  await vi.advanceTimersByTimeAsync(60_000);
  await next;
  expect(tries).toBe(6);
});
