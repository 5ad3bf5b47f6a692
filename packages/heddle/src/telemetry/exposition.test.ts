import { describe, expect, test } from 'vitest';
import { Histogram, NamedCounts } from './counts.ts';
import { Exposition } from './exposition.ts';

describe('the text of figures', () => {
  test('[MT1] has every family once, in the order of the table, with escaped labels and a line end at the end', () => {
    const exposition = new Exposition();
    exposition.add('heddle_runs_started_total', { tenant: 'a', workflow: 'quote " slash \\ line\nend' }, 2);
    exposition.add('heddle_runs', { status: 'running' }, 1);
    exposition.add('heddle_runs_started_total', { tenant: 'b', workflow: 'ünïcode' }, 0.5);
    exposition.add('heddle_event_streams', {}, Number.POSITIVE_INFINITY);
    expect(exposition.text().split('\n')).toEqual([
      '# HELP heddle_runs Runs that are stored, by status; of each status up to 10000 are counted.',
      '# TYPE heddle_runs gauge',
      'heddle_runs{status="running"} 1',
      '# HELP heddle_runs_started_total Runs that began, by workflow.',
      '# TYPE heddle_runs_started_total counter',
      String.raw`heddle_runs_started_total{tenant="a",workflow="quote \" slash \\ line\nend"} 2`,
      'heddle_runs_started_total{tenant="b",workflow="ünïcode"} 0.5',
      '# HELP heddle_event_streams Readers of live events.',
      '# TYPE heddle_event_streams gauge',
      'heddle_event_streams +Inf',
      '',
    ]);
  });

  test('[MT1] has of a histogram how many are at most so long, all of them, their sum and their number', () => {
    const histogram = new Histogram();
    for (const ms of [5, 6, 90, 4_000_000]) histogram.observe(ms);
    const exposition = new Exposition();
    exposition.addHistogram('heddle_task_duration_seconds', { action: 'x' }, histogram);
    const lines = exposition.text().split('\n').slice(2);
    expect([lines.length, lines[0], lines[1], lines[3], lines[4]]).toEqual([
      20,
      'heddle_task_duration_seconds_bucket{action="x",le="0.005"} 1',
      'heddle_task_duration_seconds_bucket{action="x",le="0.01"} 2',
      'heddle_task_duration_seconds_bucket{action="x",le="0.05"} 2',
      'heddle_task_duration_seconds_bucket{action="x",le="0.1"} 3',
    ]);
    expect(lines.slice(15, 19)).toEqual([
      'heddle_task_duration_seconds_bucket{action="x",le="3600"} 3',
      'heddle_task_duration_seconds_bucket{action="x",le="+Inf"} 4',
      'heddle_task_duration_seconds_sum{action="x"} 4000.101',
      'heddle_task_duration_seconds_count{action="x"} 4',
    ]);
  });
});

test('[MT2] the names after the first 200 share the figures of one', () => {
  const counts = new NamedCounts(() => ({ count: 0 }));
  for (let round = 0; round < 2; round++)
    for (let name = 0; name < 1_000; name++) counts.of(`workflow-${name}`).count++;
  const entries = [...counts.entries()];
  expect(entries.length).toBe(201);
  expect(entries.filter(([, { count }]) => count === 2).length).toBe(200);
  expect(entries.at(-1)).toEqual(['other', { count: 1_600 }]);
});
