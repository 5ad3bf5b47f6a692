import { describe, expect, test } from 'vitest';
import { createTestEngine } from '../testing/test-engine.ts';
import { EngineFigures } from './engine-figures.ts';
import { EngineMeter } from './engine-meter.ts';
import { Exposition } from './exposition.ts';

const flow = {
  id: 'flow',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'first', retry: { maxAttempts: 2, backoff: 'none', initialDelayMs: 1_000, jitter: 0 } },
    { id: 'b', action: 'second' },
  ],
  transitions: [{ id: 'a-b', from: 'a', to: 'b' }],
};

async function metered(workers = false) {
  const meter = new EngineMeter();
  const { onCommit, onError } = meter;
  const opened = await createTestEngine({
    ...(workers ? { workers } : { scripted: ['first', 'second'] }),
    onCommit,
    onError,
  });
  await opened.engine.register(flow);
  return { ...opened, meter };
}

/** Without histograms' buckets, and what is zero. */
function linesOf(write: (exposition: Exposition) => void): readonly string[] {
  const exposition = new Exposition();
  write(exposition);
  const lines = exposition.text().trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('#') && !line.includes('_bucket') && !line.endsWith(' 0'));
}

describe('what an engine has committed', () => {
  test('[MT6] tasks that find nobody who has their action are counted, under its name', async () => {
    const meter = new EngineMeter();
    const { onCommit } = meter;
    const { engine, settle } = await createTestEngine({ missingActions: 'wait', onCommit });
    await engine.register(flow);
    await engine.start('flow');
    await engine.start('flow');
    await settle();
    expect(linesOf((exposition) => meter.writeTo(exposition, {}))).toContain(
      'heddle_tasks_without_action_total{action="first"} 2',
    );
  });

  test('[MT3] is counted by workflow and action, each once, with how long it took', async () => {
    const { engine, script, settle, advance, meter } = await metered();
    await engine.start('flow');
    await settle();
    await advance(30);
    script.next('first').fail({ code: 'BUSY', message: 'later' });
    await settle();
    await advance(1_000);
    await advance(70);
    script.next('first').complete({});
    await settle();
    script.next('second').fail({ code: 'NO', message: 'never' });
    await settle();
    expect(linesOf((exposition) => meter.writeTo(exposition, { tenant: 'x' }))).toEqual([
      'heddle_runs_started_total{tenant="x",workflow="flow"} 1',
      'heddle_runs_ended_total{tenant="x",workflow="flow",status="failed"} 1',
      'heddle_run_duration_seconds_sum{tenant="x",workflow="flow"} 1.1',
      'heddle_run_duration_seconds_count{tenant="x",workflow="flow"} 1',
      'heddle_node_executions_total{tenant="x",workflow="flow"} 2',
      'heddle_task_attempts_total{tenant="x",action="first",outcome="completed"} 1',
      'heddle_task_attempts_total{tenant="x",action="first",outcome="failed"} 1',
      'heddle_task_attempts_total{tenant="x",action="second",outcome="failed"} 1',
      'heddle_task_retries_total{tenant="x",action="first"} 1',
      'heddle_task_duration_seconds_sum{tenant="x",action="first"} 0.1',
      'heddle_task_duration_seconds_count{tenant="x",action="first"} 2',
      'heddle_task_duration_seconds_count{tenant="x",action="second"} 1',
    ]);
  });

  test('[MT3] is counted although the worker was lost, or the run was cancelled', async () => {
    const { engine, settle, advance, meter } = await metered(true);
    const run = await engine.start('flow');
    await settle();
    await engine.tasks.lease({ actions: ['first'], leaseMs: 1_000 });
    await advance(1_001);
    await engine.tasks.lease({ actions: ['first'] });
    await run.cancel('enough');
    await settle();
    expect(linesOf((exposition) => meter.writeTo(exposition, {})).filter((line) => !line.includes('seconds'))).toEqual([
      'heddle_runs_started_total{workflow="flow"} 1',
      'heddle_runs_ended_total{workflow="flow",status="cancelled"} 1',
      'heddle_node_executions_total{workflow="flow"} 1',
      'heddle_tasks_lost_total{action="first"} 1',
    ]);
  });
});

test('[MT4] what is read from the store is read once in five seconds', async () => {
  const { engine, store, clock, settle, advance } = await metered(true);
  const figures = new EngineFigures({ engine, store, clock });
  const scrape = async () => {
    const exposition = new Exposition();
    await figures.writeTo(exposition, {});
    return exposition.text();
  };
  await engine.start('flow');
  await settle();
  const first = await scrape();
  expect(first).toContain('heddle_runs{status="running"} 1\n');
  expect(first).toContain('heddle_tasks_waiting{action="first"} 1\n');
  await engine.start('flow');
  await settle();
  await advance(4_999);
  expect(await scrape()).toBe(first);
  await advance(1);
  expect(await scrape()).toContain('heddle_runs{status="running"} 2\n');
});
