// `heddle explain` on a file and against a server: what was decided, and what another definition would decide.

import { describe, expect, test } from 'vitest';
import { folderWith, heddle, type Outcome, startServer } from './command.testsuite.ts';

const choosing = (least: number) => ({
  id: 'choosing',
  initialNode: 'take',
  nodes: [
    { id: 'take', action: 'core.echo', inputMapping: { n: 'input.n' }, outputMapping: { 'state.n': 'result.n' } },
    { id: 'much' },
    { id: 'little' },
  ],
  transitions: [
    { from: 'take', to: 'much', priority: 0, condition: `state.n > ${least}` },
    { from: 'take', to: 'little', priority: 1 },
  ],
});

const files = {
  'choosing.json': choosing(5),
  'mended.json': choosing(1),
  'other.json': { id: 'other', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] },
  'broken.json': { ...choosing(1), initialNode: 'nowhere' },
};

describe.each(['file', 'server'] as const)('on a %s', (kind) => {
  async function explaining() {
    const cwd = folderWith(files);
    const env: Record<string, string> = {};
    if (kind === 'server') env['HEDDLE_URL'] = (await startServer(['serve', '--store', 'x.db'], { cwd })).url;
    else env['HEDDLE_STORE'] = 'x.db';
    const on = (...args: string[]): Promise<Outcome> => heddle(args, { cwd, env });
    const done = await on('start', 'choosing.json', '--input', '{"n": 3}', '--wait', '--quiet');
    expect(done.exitCode).toBe(0);
    return on;
  }

  test('[T479] one event, for people and for programs', async () => {
    const on = await explaining();
    const [told, json] = await Promise.all([
      on('explain', 'last', '--at', '2.1'),
      on('explain', 'last', '--at', '2.1', '--json'),
    ]);
    expect(told.exitCode).toBe(0);
    expect(told.stdout).toMatch(/^commit 2 of run \S+, /);
    for (const line of [
      '         #1 take dispatched\n',
      'came     task.result  {"token":1,"dispatch":1,"outcome":{"type":"completed","output":{"n":3}}}\n',
      '  output of take (#1)\n    state.n from result.n: 3\n',
      '  routing from take (#1, success)\n',
      '    not taken        to much, priority 0: state.n > 5 = false (state.n = 3)\n',
      '    taken            to little, priority 1: no condition\n',
      '> 2.1       context.updated ',
      'The same is decided again.\n',
    ])
      expect(told.stdout).toContain(line);
    expect(json.json).toMatchObject({ eventId: '2.1', command: { type: 'task.result' }, difference: null });
  });

  test('[T479] the whole run, and what another definition would have done', async () => {
    const on = await explaining();
    const [all, mended, mendedJson, result, other, broken, missing] = await Promise.all([
      on('explain', 'last'),
      on('explain', 'last', '--with', 'mended.json'),
      on('explain', 'last', '--with', 'mended.json', '--json'),
      on('explain', 'last', '--at', '2.0', '--output', '{"n": 9}'),
      on('explain', 'last', '--at', '2.0', '--with', 'other.json'),
      on('explain', 'last', '--with', 'broken.json'),
      on('explain', 'last', '--at', '9.0'),
    ]);
    expect([all.exitCode, all.stdout]).toEqual([
      0,
      expect.stringMatching(/^2 commits of run \S+ decided again, none otherwise than recorded\.\n/),
    ]);
    expect(mended.exitCode).toBe(1);
    expect(mended.stdout).toMatch(
      /^2\.3 +on task\.result, at \/node\n {2}recorded .*"little".*\n {2}would be .*"much"/,
    );
    expect(mended.stdout).toMatch(/2 commits of run \S+ decided again, 1 otherwise with this definition\.\n$/);
    expect(mendedJson.json).toMatchObject({ commits: 2, differences: [{ eventId: '2.3', pointer: '/node' }] });
    expect([result.exitCode, result.stdout]).toEqual([1, expect.stringContaining('Otherwise from 2.0 at /output/n: ')]);
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('it lacks node take')]);
    expect([broken.exitCode, broken.stderr]).toEqual([2, expect.stringContaining('/initialNode')]);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('Expected an event 9.0 of run')]);
  });
});
