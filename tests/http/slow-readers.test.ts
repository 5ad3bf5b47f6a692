// Readers that do not read: they cost what the sockets hold and one event, are dropped, and hurt nobody else.

import { expect, test } from 'vitest';
import { systemClock } from '../../packages/heddle/src/actor/system-clock.ts';
import { EventStreams, type SentEvent } from '../../packages/heddle/src/http/event-stream.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { connectTo } from './raw-socket.testsuite.ts';
import { eventually, greeting, served } from './server.testsuite.ts';
import { readEvents } from './sse.testsuite.ts';

test('an event is asked of its source only when the reader has taken the one before', async () => {
  let asked = 0;
  async function* source(): AsyncGenerator<SentEvent> {
    for (;;) yield { id: String(++asked), data: {} };
  }
  const streams = new EventStreams(systemClock());
  const reader = streams.stream(source()).getReader();
  expect(asked).toBe(0);
  for (let taken = 1; taken <= 3; taken++) {
    await reader.read();
    expect(asked).toBe(taken);
  }
  await reader.cancel();
  expect(streams.count).toBe(0);
});

test('[SE3] a reader that has taken nothing for a while is dropped, and its source is told', async () => {
  const clock = new VirtualClock();
  const streams = new EventStreams(clock, { heartbeatMs: 10, slowReaderMs: 100 });
  let isEnded = false;
  async function* source(): AsyncGenerator<SentEvent> {
    try {
      for (let id = 1; ; id++) yield { id: String(id), data: {} };
    } finally {
      isEnded = true;
    }
  }
  const reader = streams.stream(source()).getReader();
  await reader.read();
  await clock.advance(100);
  expect([streams.count, isEnded]).toEqual([1, false]);
  await clock.advance(20);
  expect([streams.count, isEnded]).toEqual([0, true]);
  // What it had not taken is gone with it; it comes back with the id of what it had.
  expect(await reader.read()).toMatchObject({ done: true });
});

test('[SE3] [SV4] a reader that takes nothing is dropped with its connection, while others get everything', async () => {
  const server = await served({
    streams: { heartbeatMs: 400, slowReaderMs: 4_000 },
    connections: { stalledMs: 2_000 },
  });
  await server.client.register(greeting);
  const name = 'x'.repeat(250_000);
  const runs = await Promise.all(Array.from({ length: 16 }, () => server.client.start('greeting', { name })));
  for (const run of runs) await run.result();
  const last = await server.engine.newestEvent();
  const slow = await connectTo(server.url);
  slow.socket.pause();
  slow.send('GET /v1/events/stream?after=start HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await eventually(() => expect(server.streams.count).toBe(1));
  const quick = await readEvents(`${server.url}/v1/events/stream?after=start`);
  const read = await quick.until(({ id }) => id === last);
  expect(read.length).toBeGreaterThan(16 * 4);
  // What is left is the quick one, which has signs of life.
  await eventually(() => expect(server.streams.count).toBe(1));
  // Signs of life tell the time: by now nothing has moved on the other connection for longer than it may.
  for (let beat = 0; beat < 20; beat++) expect(await quick.heartbeat()).toMatch(/^:/);
  const received = slow.untilClosed();
  slow.socket.resume();
  const text = await received;
  expect(text).not.toContain(`id: ${last}\n`);
  expect(text.endsWith('0\r\n\r\n')).toBe(false);
});

test('[SV4] a reader that takes nothing is cut off, also if it has asked for something else behind it', async () => {
  const server = await served({ connections: { stalledMs: 200 } });
  const { id } = await server.engine.artifacts.put(new Uint8Array(12_000_000), 'text/plain');
  const slow = await connectTo(server.url);
  slow.socket.pause();
  const poll = JSON.stringify({ actions: ['nobody'], waitMs: 600 });
  const head = 'Host: 127.0.0.1\r\nContent-Type: application/json\r\n';
  slow.send(`GET /v1/artifacts/${id}?mimeType=text/plain HTTP/1.1\r\n${head}\r\n`);
  slow.send(`POST /v1/tasks/lease HTTP/1.1\r\n${head}Content-Length: ${poll.length}\r\n\r\n${poll}`);
  const polls = (): Promise<Response> =>
    server.ask('/v1/tasks/lease', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: poll,
    });
  // Each takes as long as the one behind the slow answer: by then nothing has moved there for longer than it may.
  await polls();
  await polls();
  slow.socket.resume();
  expect((await slow.untilClosed()).length).toBeLessThan(12_000_000);
});
