import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, heddle } from './command.testsuite.ts';

test('the demo kills its run in the middle of a step, and the run goes on and ends', async () => {
  const folder = folderWith();
  const { exitCode, stdout } = await heddle(['demo'], { env: { TMPDIR: folder } });
  expect(exitCode).toBe(0);
  const [project] = readdirSync(folder);
  const store = path.join(folder, project!, 'heddle.db');
  const calls = readFileSync(path.join(folder, project!, 'bank.log'), 'utf8')
    .trim()
    .split('\n');
  expect(new Set(calls.map((call) => call.split(' ')[0])).size).toBe(1);
  expect(new Set(calls.map((call) => call.split(' ').at(-1))).size).toBe(2);
  for (const sight of [
    /check +fans out into 6 branches/,
    /label\[2\] +attempt 1 failed, again in 900 ms: FLAKY/,
    /joins 6 branches/,
    /✗ kill -9 \d+: the process is gone, in the middle of charge/,
    /1 step was interrupted; handed out again, same key/,
    /receipt +calls receipt, run/,
    /order +completed in/,
    /output +\{"parcels":\["apples","pears","plums","figs","dates","nuts"\],"paid":42,/,
    /audit +clean: 2 runs/,
  ]) {
    expect(stdout).toMatch(sight);
  }
  const { json } = await heddle(['runs', '--sub-runs', '--store', store, '--json']);
  expect(json).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
});
