import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { echo, folderWith, heddle, startHeddle, startServer } from './command.testsuite.ts';

const rendering = {
  id: 'rendering',
  initialNode: 'call',
  nodes: [
    { id: 'call', workflow: 'echo' },
    { id: 'render', action: 'render' },
  ],
  transitions: [{ from: 'call', to: 'render' }],
};

/** Tells how far it is, and goes on when the test has seen it. */
const actions = `
import { existsSync } from 'node:fs';
export async function render({ progress }) {
  progress(0.42, 'frame 42');
  while (!existsSync(new URL('seen', import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 10));
  return {};
}
`;

test('a run on a server is told as it goes on, with how far its tasks are and the runs below it; so it is from its file', async () => {
  const cwd = folderWith({ 'rendering.json': rendering, 'echo.json': echo, 'actions.mjs': actions });
  const { url } = await startServer(['serve', '--store', 'w.db', '--definitions', '.', '--actions', 'actions.mjs'], {
    cwd,
  });
  const { json } = await heddle(['start', 'rendering', '--json', '--url', url], { cwd });
  const { runId } = json as { readonly runId: string };
  const [remote, local] = [
    ['--url', url],
    ['--store', 'w.db'],
  ].map((flags) => startHeddle(['watch', runId, ...flags], { cwd }));
  await Promise.all([remote?.finds(/render +42 % {2}frame 42\n/), local?.sees('render          starts')]);
  writeFileSync(path.join(cwd, 'seen'), '');
  for (const { exitCode, stdout, stderr } of [await remote?.ends(), await local?.ends()].flatMap((one) => one ?? [])) {
    expect([exitCode, stdout]).toEqual([0, '{}\n']);
    const lines = stderr.split('\n').map((line) => line.slice(11));
    expect(lines.slice(0, 6)).toEqual([
      `rendering       started, version 1, run ${runId}`,
      expect.stringMatching(/^call {12}calls echo, run /),
      expect.stringMatching(/^echo {12}started, version 1, run /),
      'say             starts',
      expect.stringMatching(/^say {13}done in /),
      expect.stringMatching(/^echo {12}completed in /),
    ]);
    expect(lines.at(-2)).toMatch(/^rendering {7}completed in /);
  }
});
