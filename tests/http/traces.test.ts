// Traces of a real server: what a collector is given of runs whose worker was lost and whose server was restarted.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCollector } from '../../packages/heddle/src/telemetry/collector.testsuite.ts';
import { makeTraceId, runSpanId, tokenSpanId } from '../../packages/heddle/src/telemetry/span.ts';
import { eventually, newFolder, served } from './server.testsuite.ts';

const flow = {
  id: 'flow',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'work', retry: { maxAttempts: 3, backoff: 'none', initialDelayMs: 1 } },
    { id: 'b', action: 'work' },
  ],
  transitions: [{ id: 't', from: 'a', to: 'b' }],
};

test('[OT2][OT3][OT5] a visit is one span, whatever became of workers and servers', async () => {
  const collector = await openCollector();
  onTestFinished(() => collector.close());
  const store = join(newFolder(), 'heddle.db');
  const traces = { endpoint: collector.endpoint, attributes: { place: 'here' } };
  const lease = async ({ client }: Awaited<ReturnType<typeof served>>, leaseMs = 60_000): Promise<string> => {
    const [task] = await client.tasks.lease({ actions: ['work'], leaseMs, waitMs: 60_000 });
    return task?.lease ?? '';
  };

  const first = await served({ store, traces });
  await first.client.register(flow);
  const { id } = await first.client.start('flow');
  await first.client.tasks.finish([{ lease: await lease(first), error: { message: 'not yet' } }]);
  await lease(first, 1); // a worker that is never heard of again
  const kept = await lease(first);
  await first.close({ graceMs: 0 });
  expect(collector.taken).toEqual([]);

  // The worker has outlived the server.
  const second = await served({ store, traces });
  await second.client.tasks.finish([{ lease: kept, output: {} }]);
  await second.client.tasks.finish([{ lease: await lease(second), output: {} }]);
  expect(await second.client.run(id).result()).toMatchObject({ status: 'completed' });
  await eventually(() => expect(collector.taken.length).toBeGreaterThan(0));
  await second.close();

  // A third one has nothing left to send.
  const third = await served({ store, traces });
  const other = await third.client.start('flow');
  await other.cancel();
  await eventually(() => expect(collector.taken.some(({ traceId }) => traceId === makeTraceId(other.id))).toBe(true));
  const spans = collector.taken.filter(({ traceId }) => traceId === makeTraceId(id));
  expect(spans.map(({ name, spanId }) => ({ name, spanId }))).toEqual([
    { name: 'flow', spanId: runSpanId(id) },
    { name: 'a', spanId: tokenSpanId(id, 1) },
    { name: 'b', spanId: tokenSpanId(id, 2) },
  ]);
  await eventually(() => expect(third.engine.spanCounts).toEqual({ exported: 2, dropped: 0 }));
  const figures = await (await third.ask('/metrics')).text();
  expect(figures).toContain('heddle_spans_exported_total{tenant="default"} 2\n');
});
