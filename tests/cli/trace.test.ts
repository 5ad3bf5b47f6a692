// The trace of a run on the command line: in a file, with a server, and after the server was killed.

import { expect, test } from 'vitest';
import type { RunTraceEvent } from '../../packages/heddle/src/index.ts';
import { asking, echo, folderWith, heddle, type Outcome, startHeddle, startServer } from './command.testsuite.ts';

const linesOf = ({ stdout }: Outcome): RunTraceEvent[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunTraceEvent);

test('[T478] heddle run --trace keeps the trace in its file, for heddle trace', async () => {
  const cwd = folderWith({ 'echo.json': echo });
  const run = await heddle(['run', 'echo.json', '--input', '{"n":1}', '--store', 't.db', '--trace', '--json'], { cwd });
  const { runId } = run.json as { readonly runId: string };
  expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining(`heddle trace ${runId} --store t.db`)]);
  const trace = linesOf(await heddle(['trace', 'last', '--store', 't.db', '--json'], { cwd }));
  expect(trace.map(({ type }) => type)).toContain('decision.routing.start');
  expect(trace[0]).toMatchObject({ runId, id: '1.0', seq: 1 });
  const [, second] = trace;
  const rest = await heddle(['trace', runId, '--store', 't.db', '--json', '--after', second?.id ?? ''], { cwd });
  expect(linesOf(rest)).toEqual(trace.slice(2));
  const shown = await heddle(['trace', runId, '--store', 't.db', '--follow'], { cwd });
  expect(shown.stdout.split('\n')).toHaveLength(trace.length + 1);
  expect(shown.stdout).toMatch(
    /^1\.0 .* operation\.tokens\.status_updated +\{"event":"token\.created","tokens":\[1\]\}/,
  );
});

test('[T478] without --trace there is nothing to read, and without a file nothing to keep: both are said', async () => {
  const cwd = folderWith({ 'echo.json': echo });
  await heddle(['run', 'echo.json', '--store', 't.db'], { cwd });
  const untraced = await heddle(['trace', 'last', '--store', 't.db'], { cwd });
  expect([untraced.exitCode, untraced.stderr]).toEqual([
    2,
    expect.stringContaining('with --trace on the command line'),
  ]);
  const unkept = await heddle(['run', 'echo.json', '--trace'], { cwd });
  expect([unkept.exitCode, unkept.stdout]).toEqual([2, '']);
  expect(unkept.stderr).toContain('Expected --store FILE with --trace');
});

test('[T478] a run on a server is traced, followed while it waits, and traced on after the server was killed', async () => {
  const cwd = folderWith({ 'asking.json': asking });
  const serve = ['serve', '--store', 's.db', '--definitions', '.'];
  const first = await startServer(serve, { cwd });
  const started = await heddle(['start', 'asking', '--trace', '--json', '--url', first.url], { cwd });
  const { runId } = started.json as { readonly runId: string };
  const [remote, local] = [
    ['--url', first.url],
    ['--store', 's.db'],
  ].map((place) => startHeddle(['trace', runId, '--follow', ...place], { cwd }));
  for (const following of [remote, local]) {
    await following?.sees('dispatch.batch.complete');
    following?.child.kill('SIGINT');
    expect((await following?.ends())?.exitCode).toBe(0);
  }
  const before = linesOf(await heddle(['trace', runId, '--json', '--url', first.url], { cwd }));
  first.child.kill('SIGKILL');
  await first.ends();
  const second = await startServer(serve, { cwd });
  const following = startHeddle(['trace', runId, '--follow', '--json', '--url', second.url], { cwd });
  await following.sees('dispatch.batch.complete');
  await heddle(['reply', runId, '--payload', '{"ok":true}', '--url', second.url], { cwd });
  const live = linesOf(await following.ends());
  const after = linesOf(await heddle(['trace', runId, '--json', '--url', second.url], { cwd }));
  expect(live).toEqual(after);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.map(({ type }) => type).slice(before.length)).toContain('decision.routing.start');
});
