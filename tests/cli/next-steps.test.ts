// What somebody new needs to be told: why a run does not go on, what was probably meant, where things are.

import { describe, expect, test } from 'vitest';
import {
  asking,
  echo,
  failing,
  folderWith,
  heddle,
  holding,
  holdingActions,
  type Outcome,
  startHeddle,
  startServer,
} from './command.testsuite.ts';

/** Its work is done by nobody here. */
const outside = { id: 'outside', initialNode: 'far', nodes: [{ id: 'far', action: 'words.longest' }] };

const fetching = {
  id: 'fetching',
  initialNode: 'fetch',
  nodes: [
    {
      id: 'fetch',
      action: 'http.request',
      inputMapping: { url: 'input.url' },
      outputMapping: { 'output.status': 'result.status' },
    },
  ],
};

const files = {
  'asking.json': asking,
  'echo.json': echo,
  'failing.json': failing,
  'outside.json': outside,
  'hook.json': { id: 'hook', type: 'webhook', workflow: 'echo', public: true },
};

/** A place with the workflows in it, and the command on it. */
async function openPlace(kind: 'file' | 'server') {
  const cwd = folderWith(files);
  const url =
    kind === 'server' ? (await startServer(['serve', '--store', 'x.db', '--definitions', '.'], { cwd })).url : null;
  const env: Record<string, string> = url === null ? { HEDDLE_STORE: 'x.db' } : { HEDDLE_URL: url };
  const on = (...args: string[]): Promise<Outcome> => heddle(args, { cwd, env });
  return { on, cwd, env, url, name: url ?? 'x.db' };
}

const sent = { 'content-type': 'application/json' };

interface Listed {
  readonly runId: string;
  readonly createdAt: number;
}

describe.each(['file', 'server'] as const)('on a %s', (kind) => {
  test('[HT9] what a filter has found is retried once, however often it is asked for', async () => {
    const { on } = await openPlace(kind);
    for (const n of ['1', '2'])
      expect((await on('start', 'failing.json', '--wait', '--quiet', '--tag', `n=${n}`)).exitCode).toBe(1);
    const listed = async () => (await on('runs', '--json')).json as readonly Listed[];
    const until = new Date(Math.max(...(await listed()).map(({ createdAt }) => createdAt)) + 1).toISOString();
    const retry = async () => (await on('retry', '--status', 'failed', '--until', until)).stdout.trim().split('\n');
    const first = await retry();
    expect(first).toHaveLength(2);
    const before = await listed();
    expect([await retry(), await listed()]).toEqual([first, before]);
    const keyed = await on('retry', '--status', 'failed', '--idempotency-key', 'k');
    expect([keyed.exitCode, keyed.stderr]).toEqual([
      2,
      expect.stringContaining('heddle: OPTION_INVALID: Expected one run with --idempotency-key, but '),
    ]);
  });

  test('a workflow that is not there is guessed', async () => {
    const { on, name } = await openPlace(kind);
    if (kind === 'file') {
      const none = 'there are no workflows yet; name a file with a definition to register it.';
      expect((await on('start', 'ecko')).stderr).toContain(`be registered in x.db, but it is not; ${none}\n`);
    }
    await on('start', 'echo.json');
    const start = await on('start', 'ecko');
    const guess = 'did you mean "echo"?\n';
    expect([start.exitCode, start.stderr]).toEqual([
      2,
      `heddle: WORKFLOW_NOT_FOUND: Expected workflow ecko to be registered in ${name}, but it is not; ${guess}`,
    ]);
    const told = `There is no workflow ecko in ${name}; ${guess}`;
    expect((await on('runs', '--workflow', 'ecko')).stderr).toBe(told);
    expect((await on('cancel', '--workflow', 'ecko')).stderr).toBe(`0 runs found.\n${told}`);
    expect((await on('events', '--all', '--workflow', 'ecko')).stderr).toBe(told);
    expect((await on('start', 'quite-another')).stderr).toMatch(/but it is not; registered are .*\becho\b.*\.\n$/);
    expect((await on('runs', '--workflow', 'echo', '--status', 'failed')).stderr).toBe('');
  });

  test('a delayed start says when it begins, and so does show; a long output is cut', async () => {
    const { on } = await openPlace(kind);
    const late = await on('start', 'echo.json', '--delay', '1h');
    expect(late.stderr).toMatch(/^It begins at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\n/);
    expect((await on('show', late.stdout.trim())).stdout).toMatch(/ {2}asked for {2}\S+ \S+\n {2}begins +\S+ \S+\n/);

    const long = { ...echo, id: 'long', nodes: [{ ...echo.nodes[0], outputMapping: { 'output.text': 'input.text' } }] };
    const cwd = folderWith({ 'long.json': { ...long, inputSchema: {} }, 'in.json': { text: 'x'.repeat(5_000) } });
    await heddle(['run', 'long.json', '--input', '@in.json', '--store', 'l.db', '--quiet'], { cwd });
    const shown = await heddle(['show', 'last', '--store', 'l.db'], { cwd });
    expect(shown.stdout).toMatch(/ {2}output .*"x{1900,2000}… \(3,0\d\d more characters; --json for all\)\n/s);
    const { json } = await heddle(['show', 'last', '--store', 'l.db', '--json'], { cwd });
    expect(json).toMatchObject({ output: { text: 'x'.repeat(5_000) } });
  });

  test('a webhook is told with where it is called', async () => {
    const { on, url } = await openPlace(kind);
    await on('start', 'echo.json');
    const address = `${url ?? ''}/v1/webhooks/default/hook`;
    expect((await on('triggers', 'create', 'hook.json')).stdout).toBe(`hook  created, called at ${address}\n`);
    expect((await on('triggers', 'show', 'hook')).stdout).toMatch(/^hook {2}on\n {2}called at {2}\S*\/v1\//);
    if (url !== null) expect((await fetch(address, { method: 'POST', headers: sent, body: '{}' })).status).toBe(202);
  });

  test('a status, a prompt or a secret that cannot be is told with the next step', async () => {
    const { on, cwd, env } = await openPlace(kind);
    const runId = (await on('start', 'echo.json', '--wait', '--json', '--quiet')).json as Listed;
    expect((await on('runs', '--status', 'bogus')).stderr).toMatch(
      /^error: option '--status <status>' argument 'bogus' is invalid\. Allowed choices are .*, completed, failed, /,
    );
    const reply = await on('reply', 'last', '--payload', '{}');
    expect(reply.stderr).toMatch(/^heddle: PROMPT_NOT_FOUND: Expected run \S+, the last one, to ask something, but /);
    expect(reply.stderr).toContain(runId.runId);
    const empty = await heddle(['secrets', 'set', 'token'], { cwd, env, stdin: '\n' });
    expect([empty.exitCode, empty.stderr]).toEqual([
      2,
      expect.stringMatching(/^heddle: VALUE_MISSING: .* for example: printf %s "\$TOKEN" \| npx heddle secrets set /),
    ]);
  });
});

describe('a run that nobody goes on with', () => {
  test('[OP24] reply says how the run stands when it has been answered', async () => {
    const twice = {
      ...asking,
      id: 'twice',
      nodes: [...asking.nodes, { id: 'again', input: { title: 'Sure?' } }, { id: 'work', action: 'mine' }],
      transitions: [
        { from: 'ask', to: 'again' },
        { from: 'again', to: 'work' },
      ],
    };
    const mine = 'export const mine = () => ({});';
    const cwd = folderWith({ 'asking.json': asking, 'twice.json': twice, 'actions.mjs': mine });
    const store = ['--store', 'h.db'];
    const start = async (file: string) =>
      (await heddle(['run', file, ...store, '--actions', 'actions.mjs', '--json'], { cwd })).json as Listed;
    const reply = async ({ runId }: Listed) => {
      const { stdout, stderr } = await heddle(['reply', runId, ...store, '--payload', '{"ok": true}'], { cwd });
      return [stdout, stderr];
    };
    const once = await start('asking.json');
    expect(await reply(once)).toEqual([
      'Answered "OK?".\n',
      `Run ${once.runId} has completed; see: npx heddle show ${once.runId} --store h.db\n`,
    ]);
    const run = await start('twice.json');
    expect(await reply(run)).toEqual([
      'Answered "OK?".\n',
      `Run ${run.runId} is suspended: "Sure?" waits for an answer\n`,
    ]);
    expect(await reply(run)).toEqual([
      'Answered "Sure?".\n',
      expect.stringContaining(`Nothing works on h.db now; resume with: npx heddle resume ${run.runId} --store h.db`),
    ]);
  });

  test('show and watch say that nobody works on its file; while somebody does, they do not', async () => {
    const cwd = folderWith({ 'holding.json': holding, 'actions.mjs': holdingActions });
    const running = startHeddle(['run', 'holding.json', '--actions', 'actions.mjs', '--store', 'h.db'], { cwd });
    await running.sees('hold            starts');
    const show = () => heddle(['show', 'last', '--store', 'h.db'], { cwd });
    expect((await show()).stderr).toBe('');
    const locked = await heddle(['cancel', 'last', '--store', 'h.db'], { cwd });
    expect(locked.stderr).toMatch(/^heddle: STORE_LOCKED: Expected to be the only one that writes to h\.db, but /);
    expect(locked.stderr).not.toContain('readOnly');
    running.child.kill('SIGKILL');
    await running.ends();
    const sentence =
      /^Nothing works on h\.db now; resume with: npx heddle resume \S+ --store h\.db .* serve --store h\.db\n/m;
    expect((await show()).stderr).toMatch(sentence);
    const watching = startHeddle(['watch', 'last', '--store', 'h.db'], { cwd });
    await watching.finds(sentence);
    // Somebody comes: the watching goes on.
    const args = ['resume', '--actions', 'actions.mjs', '--store', 'h.db'];
    expect((await heddle(args, { cwd, env: { GO: '1' } })).exitCode).toBe(0);
    expect((await watching.ends()).exitCode).toBe(0);
    expect((await show()).stderr).toBe('');
  });

  test('show and watch say which worker its task waits for', async () => {
    const { on, cwd, env } = await openPlace('server');
    await on('start', 'outside');
    const waits = 'at "\\w+" for a worker that does "words.longest"; none has asked for it yet \\(since .+\\)\n';
    expect((await on('show', 'last')).stdout).toMatch(new RegExp(`^ {2}waits {4}${waits}`, 'm'));
    const watching = startHeddle(['watch', 'last'], { cwd, env });
    await watching.finds(new RegExp(`^Run \\S+ waits ${waits}`, 'm'));
    watching.child.kill('SIGINT');
    await watching.ends();
    await fetch(`${env['HEDDLE_URL']}/v1/tasks/lease`, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify({ actions: ['words.longest'], worker: 'w' }),
    });
    expect((await on('show', 'last')).stdout).not.toContain('waits ');
  });
});

test('workflows reach addresses that are not public where serve was told so, and nowhere else', async () => {
  const cwd = folderWith({ 'fetching.json': fetching });
  const serve = ['serve', '--store', 'memory', '--definitions', '.'];
  const told = [
    await startServer(serve, { cwd }),
    await startServer([...serve, '--allow-private', '10.0.0.0/8, 127.0.0.1'], { cwd }),
    await startServer(serve, { cwd, env: { HEDDLE_ALLOW_PRIVATE: '127.0.0.0/8' } }),
  ];
  const results: unknown[] = [];
  for (const { url } of told) {
    const input = JSON.stringify({ url: `${url}/health` });
    const start = ['start', 'fetching', '--input', input, '--wait', '--json', '--quiet', '--url', url];
    results.push((await heddle(start, { cwd })).json);
  }
  expect(results).toMatchObject([
    { status: 'failed', error: { code: 'HTTP_ADDRESS_REFUSED', message: expect.stringContaining('--allow-private') } },
    { status: 'completed', output: { status: 200 } },
    { status: 'completed', output: { status: 200 } },
  ]);
  const wrong = await heddle([...serve, '--port', '0', '--allow-private', '10.0.0.0/99'], { cwd });
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('heddle: OPTION_INVALID: ')]);
});

test('a file that is not there is guessed, or taken for a workflow that is registered', async () => {
  const cwd = folderWith(files);
  const told = async (file: string) => (await heddle(['run', file], { cwd })).stderr;
  expect(await told('./ecko.json')).toBe(
    'heddle: FILE_UNREADABLE: Expected to read ./ecko.json, but there is no such file; did you mean echo.json?\n',
  );
  expect(await told('quite-another.json')).toContain('but there is no such file; check the path.\n');
  expect(await told('echo')).toContain('a workflow that is registered is started with: npx heddle start echo\n');
});

test('a sub-workflow that is not there is guessed', async () => {
  const calling = { id: 'calling', initialNode: 'call', nodes: [{ id: 'call', workflow: 'ecko' }] };
  const cwd = folderWith({ ...files, 'calling.json': calling });
  const { exitCode, stderr } = await heddle(['run', 'calling.json', '--register', 'echo.json'], { cwd });
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      'but there is none; did you mean "echo"? If not, pass its definition with --register FILE.',
    ),
  ]);
});

test('init says where the package comes from', async () => {
  const cwd = folderWith();
  const { stdout } = await heddle(['init', 'hello'], { cwd });
  expect(stdout).toMatch(
    /npm install takes heddle \S+ from the npm registry\. From a checkout of Heddle, pack it there/,
  );
});
