// What TypeScript makes of results. The compiler is half of the test: `tsc` fails where a line is not as it says.

import { expect, expectTypeOf, test } from 'vitest';
import type { Heddle } from '../api/heddle.ts';
import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { Client } from '../client/client.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { RunResult, RunSummary } from '../operations/run-results.ts';
import type { TestEngine } from '../testing/test-engine.ts';
import { openEngine } from './engine.testsuite.ts';

/** The ways to tell a result from another, as users write them. */
function tell(result: RunResult<{ readonly total: number }>): string {
  const { status, output, error } = result;
  if (status === 'completed') {
    expectTypeOf(output).toEqualTypeOf<{ readonly total: number }>();
    return `total ${output.total}`;
  }
  expectTypeOf(output).toEqualTypeOf<undefined>();
  expectTypeOf(error).toEqualTypeOf<Failure>(); // of a run that was set aside, too
  return `${error.code}: ${error.message}`;
}

test('the status of a result tells whether there is an output or an error', async () => {
  const { engine, script, settle, advance } = await openEngine({ scripted: ['add'] });
  const add = { id: 'a', action: 'add', outputMapping: { 'output.total': 'result' } };
  await engine.register({ id: 'sum', initialNode: 'a', nodes: [add], timeoutMs: 1000 });
  const runs = [];
  for (let count = 0; count < 4; count += 1) runs.push(await engine.start('sum'));
  await settle();
  script.next('add').complete(3);
  script.next('add').fail({ code: 'NO_SUM', message: 'no numbers' });
  await runs[2]?.cancel('not needed');
  await advance(1000);
  const results = await Promise.all(runs.map((run) => run.result<{ readonly total: number }>()));
  expect(results.map(tell)).toEqual([
    'total 3',
    'NO_SUM: no numbers',
    'CANCELLED: not needed',
    expect.stringMatching(/^RUN_TIMED_OUT: /),
  ]);
});

test('a status tells those of a summary apart, of a run that has not ended too', () => {
  expectTypeOf<Extract<RunSummary, { status: 'completed' }>['output']>().toEqualTypeOf<Json>();
  expectTypeOf<RunSummary['status']>().toEqualTypeOf<RunStatus>();
  const describe = (summary: RunSummary): string => {
    if (summary.status === 'failed') return summary.error.code;
    return summary.status === 'completed' ? typeof summary.output : String(summary.error?.code);
  };
  expect(describe).toBeTypeOf('function');
});

test('the engine, the client and the test kit answer with the same type', () => {
  expectTypeOf(({ engine }: TestEngine) => engine.run('r').result()).returns.resolves.toEqualTypeOf<RunResult>();
  expectTypeOf((client: Client) => client.run('r').result()).returns.resolves.toEqualTypeOf<RunResult>();
  expectTypeOf((heddle: Heddle) => heddle.run('r').result()).returns.resolves.toEqualTypeOf<RunResult>();
});
