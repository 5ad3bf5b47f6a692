// The same commands on a file, on a fleet, and against servers that have one: what they say is the same, but for the place.

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEngine, type FeedEvent, type RunEvent } from '../../packages/heddle/src/index.ts';
import { asking, echo, failing, folderWith, heddle, type Outcome, startServer, waiting } from './command.testsuite.ts';

const files = {
  'echo.json': echo,
  'failing.json': failing,
  'asking.json': asking,
  'waiting.json': waiting,
  'triggers.json': [
    { id: 'by-hand', type: 'manual', workflow: 'echo', input: { n: 'event.payload.n' } },
    { id: 'nightly', type: 'schedule', cron: '30 2 * * *', workflow: 'echo' },
  ],
};

interface Started {
  readonly runId: string;
}

const kinds = ['file', 'fleet', 'server', 'server of a fleet'] as const;

/** A place with the workflows in it, and the command on it. */
async function openPlace(kind: (typeof kinds)[number]) {
  const cwd = folderWith(files);
  const store = kind.endsWith('fleet') ? 'x' : 'x.db';
  if (kind === 'fleet') await (await createEngine({ store: { folder: path.join(cwd, store), shards: 3 } })).close();
  const shards = kind === 'server of a fleet' ? ['--shards', '3'] : [];
  const serve = async () => startServer(['serve', '--store', store, ...shards, '--definitions', '.'], { cwd });
  const isServer = kind.startsWith('server');
  const env: Record<string, string> = isServer ? { HEDDLE_URL: (await serve()).url } : { HEDDLE_STORE: store };
  const on = (...args: string[]): Promise<Outcome> => heddle(args, { cwd, env });
  const pipe = (stdin: string, ...args: string[]): Promise<Outcome> => heddle(args, { cwd, env, stdin });
  const ask = async (...args: string[]): Promise<unknown> => {
    const { exitCode, json, stderr } = await on(...args, '--json');
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('heddle:')]);
    return json;
  };
  const start = async (...args: string[]): Promise<string> => ((await ask('start', ...args)) as Started).runId;
  return { on, pipe, ask, start, isServer };
}

describe.each(kinds)('on a %s', (kind) => {
  test('start, runs, show, cancel, pause, retry', async () => {
    const { on, ask, start, isServer } = await openPlace(kind);
    const asked = await start('asking.json', '--tag', 'who=ada', '--idempotency-key', 'a-1');
    const waited = await on('start', 'failing.json', '--wait', '--json', '--quiet');
    expect([waited.exitCode, waited.json]).toMatchObject([1, { status: 'failed', error: { code: 'BROKEN' } }]);
    const { runId: failed } = waited.json as Started;
    const list = async (...args: string[]) =>
      ((await ask('runs', ...args)) as readonly Started[]).map(({ runId }) => runId);
    const [page, found] = await Promise.all([
      on('runs', '--limit', '1'),
      list('--all', '--since', '1h', '--search', 'fail'),
    ]);
    expect(found).toEqual([failed]);
    expect(page.stdout).toMatch(new RegExp(`^run .*\\n${failed} +failing v1 +failed .*BROKEN\\n$`));
    const [, cursor = ''] =
      /^There are more; continue with --after (\S+), or list them --all\.\n$/.exec(page.stderr) ?? [];
    expect(await list('--after', cursor, '--status', 'suspended', '--status', 'failed')).toEqual([asked]);

    expect((await on('pause', asked)).stdout).toBe(`${asked}  paused\n`);
    const resumed = await on('resume', asked);
    // Without a server it goes on with it, until it can do no more.
    if (isServer) expect([resumed.exitCode, resumed.stdout]).toEqual([0, `${asked}  resumes\n`]);
    else expect([resumed.exitCode, resumed.stderr]).toEqual([1, expect.stringContaining('"OK?" waits for an answer')]);
    const cancelled = await on('cancel', '--tag', 'who=ada', '--reason', 'no more');
    expect([cancelled.stdout, cancelled.stderr]).toEqual([`${asked}  cancelled\n`, '1 run found.\n']);
    expect((await on('delete', asked, failed.slice(1))).stdout).toBe(`${asked}  deleted\n`);
    expect(await ask('retry', failed)).toEqual({ runId: failed, applied: true, retriedAs: expect.any(String) });
  });

  test('prompts, reply, publish, watch, events', async () => {
    const { on, ask, start } = await openPlace(kind);
    const [asked, waiter] = [await start('asking.json'), await start('waiting.json')];
    const [prompt] = (await ask('prompts')) as readonly { readonly correlationId: string }[];
    expect(prompt).toMatchObject({ runId: asked, title: 'OK?', workflow: 'asking' });
    expect((await on('reply', prompt?.correlationId ?? '', '--payload', '{"ok": true}')).stdout).toBe(
      'Answered "OK?".\n',
    );
    const published = await on('publish', 'paid', '--payload', '{"sum": 7}');
    expect(published.stdout).toBe('1 run waited for it, 0 triggers fired.\n');

    const [watched, followed, all] = await Promise.all([
      on('watch', 'last', '--json'),
      on('events', waiter, '--follow', '--json'),
      on('events', '--all', '--json'),
    ]);
    const result = { runId: waiter, status: 'completed', output: { sum: 7 }, error: null };
    expect([watched.exitCode, watched.json]).toEqual([0, result]);
    expect(watched.stderr).toMatch(/^ +0\.00 s {2}waiting +started, .*\n.* wait +the event came: \{"sum":7\}\n/s);
    const read = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as RunEvent & FeedEvent);
    const types = read(followed.stdout).map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(['workflow.started', 'workflow.completed']);
    expect(new Set(read(all.stdout).map(({ runId }) => runId))).toEqual(new Set([asked, waiter]));
  });

  test('triggers, actions', async () => {
    const { on, ask, start } = await openPlace(kind);
    await start('echo.json');
    expect((await on('triggers', 'create', 'triggers.json')).stdout).toBe('by-hand  created\nnightly  created\n');
    expect(await ask('triggers', 'disable', 'nightly')).toMatchObject({ id: 'nightly', enabled: false });
    const fired = (await on('triggers', 'fire', 'by-hand', '--input', '{"n": 3}')).stdout.trim();
    const [{ stdout: listed }, run, actions] = await Promise.all([
      on('triggers', 'list'),
      ask('show', fired),
      ask('actions'),
    ]);
    expect(listed).toMatch(/by-hand +manual +echo +on\nnightly +schedule +echo +off\n/);
    expect(actions).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'core.echo', place: 'local' })]));
    expect(run).toMatchObject({ runId: fired, workflow: 'echo' });
    expect((await on('triggers', 'remove', 'nightly')).stdout).toBe('nightly  removed\n');
  });
});

test('what cannot be is told in one sentence with the next step, and as JSON', async () => {
  const { on, start } = await openPlace('server');
  const asked = await start('asking');
  const told = [
    [['reply', asked, '--payload', '{"ok": 1}'], 'PAYLOAD_INVALID: '],
    [['show', 'nope'], 'RUN_NOT_FOUND: Expected a run nope, but there is none'],
    [['cancel'], 'RUN_MISSING: Expected a run to cancel, but none was named; name its id, or `last`, or say which: '],
    [['start', 'nope'], 'WORKFLOW_NOT_FOUND: '],
    [
      ['runs', '--url', 'nowhere'],
      'URL_INVALID: Expected the address of a server, such as http://127.0.0.1:4100, but ',
    ],
    [
      ['runs', '--url', 'http://127.0.0.1:9'],
      'SERVER_UNREACHABLE: Expected a Heddle server at http://127.0.0.1:9, but ',
    ],
    [
      ['runs', '--url', 'http://a', '--store', 'x.db'],
      'OPTION_INVALID: Expected --store or --url, but both were given',
    ],
    [['keys', 'create', '--scope', 'run:reed'], 'COMMAND_INVALID'],
    [
      ['reply', asked],
      `PAYLOAD_MISSING: Expected an answer to "OK?", but there is no --payload and no terminal to ask at; give --payload '{"ok": …}'.`,
    ],
    [
      ['reply', 'nope', '--payload', '{}'],
      'PROMPT_NOT_FOUND: Expected a run or an open prompt nope, but there is none; ',
    ],
    [['db', 'backup', 'x.db'], 'OPTION_INVALID: Expected no path, but x.db was given: http://'],
    [['start', 'asking', '--dely', '1s'], 'COMMAND_INVALID'],
  ] as const;
  const outcomes = await Promise.all(told.map(([args]) => on(...args, '--json')));
  for (const [index, [, sentence]] of told.entries()) {
    const { exitCode, json, stderr } = outcomes[index] ?? {};
    const [code] = sentence.split(':');
    expect([exitCode, json]).toMatchObject([2, { error: { code } }]);
    if (code === 'COMMAND_INVALID') continue;
    expect(stderr).toContain(`heddle: ${sentence}`);
    expect(stderr?.match(/\n/g)).toHaveLength(1);
  }
  expect(outcomes.at(-1)?.stderr).toContain('(Did you mean --delay?)');
});

describe('who may use a server', () => {
  test('a key that was made on the file is asked for from then on; keys are rotated and revoked', async () => {
    const cwd = folderWith(files);
    const made = await heddle(['keys', 'create', 'ops', '--store', 'k.db', '--json'], { cwd });
    const { key, id } = made.json as { readonly key: string; readonly id: string };
    const reader = (
      await heddle(['keys', 'create', '--scope', 'run:read', '--expires', '1d', '--store', 'k.db'], { cwd })
    ).stdout.trim();
    const { url } = await startServer(['serve', '--store', 'k.db'], { cwd });
    const on = (args: readonly string[], HEDDLE_KEY: string) =>
      heddle(args, { cwd, env: { HEDDLE_URL: url, HEDDLE_KEY } });
    const nobody = await heddle(['runs', '--url', url], { cwd });
    expect([nobody.exitCode, nobody.stderr]).toEqual([
      2,
      expect.stringMatching(/^heddle: KEY_INVALID: .*Give a key with --key, or HEDDLE_KEY\.\n$/),
    ]);
    expect((await on(['runs'], reader)).exitCode).toBe(0);
    expect((await on(['keys', 'list'], reader)).stderr).toContain('heddle: SCOPE_MISSING: ');
    const rotated = (await on(['keys', 'rotate', id, '--grace', '0s', '--json'], key)).json as { readonly key: string };
    expect((await on(['runs'], key)).exitCode).toBe(2);
    expect((await on(['keys', 'list'], rotated.key)).stdout.trim().split('\n')).toHaveLength(4);
    expect((await on(['keys', 'revoke', id, '--json'], rotated.key)).json).toEqual({ revoked: id });
  });
});

test.each(kinds)(
  'secrets of a %s are piped in, listed without their values, and removed',
  async (kind) => {
    const { on, pipe } = await openPlace(kind);
    const set = await pipe('hush-hush\n', 'secrets', 'set', 'github', '--host', 'api.github.com');
    expect([set.stdout, set.stderr]).toEqual(['github  version 1, for api.github.com\n', '']);
    const listed = await on('secrets', 'list', '--json');
    expect(listed.json).toMatchObject([{ name: 'github', hosts: ['api.github.com'], version: 1 }]);
    expect(listed.stdout).not.toContain('hush-hush');
    expect((await on('secrets', 'remove', 'github')).stdout).toBe('github  removed\n');
    expect((await pipe('short', 'secrets', 'set', 'github')).stderr).toMatch(/^heddle: SECRET_INVALID: /);
  },
  60_000,
);

describe('the file of a server', () => {
  test('is written to through the server alone, which the sentence names; it is measured and copied beside it', async () => {
    const cwd = folderWith(files);
    const server = await startServer(['serve', '--store', 'heddle.db', '--definitions', '.'], { cwd });
    const { runId } = (
      await heddle(['start', 'echo', '--wait', '--input', '{"n": 1}', '--json', '--quiet', '--url', server.url], {
        cwd,
      })
    ).json as Started;
    const locked = await heddle(['cancel', runId], { cwd });
    expect([locked.exitCode, locked.stderr]).toEqual([
      2,
      expect.stringMatching(/^heddle: STORE_LOCKED: .* ask that one: --url http:\S+\.\n$/),
    ]);
    expect((await heddle(['db', 'stats', '--json'], { cwd })).json).toMatchObject({
      runs: { byStatus: { completed: 1 } },
    });
    const kept = await heddle(['db', 'backup', '--url', server.url], { cwd });
    expect(kept.stdout).toMatch(
      /^http:\S+ keeps a copy on its own machine: \S+\.db, in the folder .*\.backups beside its file\.\n$/,
    );
    expect((await heddle(['db', 'backup', 'copy.db', '--json'], { cwd })).json).toEqual({ path: 'copy.db' });
    expect((await heddle(['show', 'last', '--store', 'copy.db', '--json'], { cwd })).json).toMatchObject({
      runId,
      output: { n: 1 },
    });
    expect((await heddle(['db', 'vacuum', '--store', 'copy.db'], { cwd })).stdout).toMatch(
      /^copy\.db: \S+ \wB before, \S+ \wB now\.\n$/,
    );
  });
});
