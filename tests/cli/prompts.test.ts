import { describe, expect, test } from 'vitest';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { folderWith, heddle, type Outcome, startHeddle } from './command.testsuite.ts';

const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' }, why: { type: 'string' } } };

/** Asks two people, one after the other. */
const ask = {
  id: 'ask',
  initialNode: 'approve',
  nodes: [
    { id: 'approve', input: { title: 'Publish?', schema }, outputMapping: { 'output.ok': 'result.ok' } },
    { id: 'sign', input: true, outputMapping: { 'output.name': 'result.name' } },
  ],
  transitions: [{ from: 'approve', to: 'sign' }],
};

/** Asks three people at once, and a fourth in a sub-workflow. */
const askAll = {
  id: 'ask-all',
  initialNode: 'start',
  nodes: [
    { id: 'start' },
    { id: 'vote', input: { title: 'Vote' }, outputMapping: { 'state.vote': 'result.vote' } },
    { id: 'sum', workflow: 'ask', outputMapping: { 'output.child': 'result' } },
  ],
  transitions: [
    { from: 'start', to: 'vote', spawnCount: 3, siblingGroup: 'votes' },
    {
      from: 'vote',
      to: 'sum',
      synchronization: {
        strategy: 'all',
        siblingGroup: 'votes',
        merge: { source: '_branch.output.vote', target: 'output.votes', strategy: 'append' },
      },
    },
  ],
};

const awaitEvent = {
  id: 'await-event',
  initialNode: 'paid',
  nodes: [
    {
      id: 'paid',
      wait: { event: 'order.paid', correlation: 'input.order' },
      outputMapping: { 'output.amount': 'result.amount' },
    },
  ],
};

const files = { 'ask.json': ask, 'ask-all.json': askAll, 'await-event.json': awaitEvent };
const stored = ['--store', 'heddle.db'];
const idOf = ({ json }: Outcome) => (json as { readonly runId: string }).runId;

describe('--answer', () => {
  test('answers prompts in the order in which they are asked', async () => {
    const cwd = folderWith(files);
    const answers = ['--answer', '{"ok": true}', '--answer', '{"name": "Ada"}'];
    const { exitCode, stdout, stderr } = await heddle(['run', 'ask.json', ...answers], { cwd });
    expect([exitCode, stdout]).toEqual([0, '{"ok":true,"name":"Ada"}\n']);
    expect(stderr).toMatch(/approve +asks: Publish\?\n/);
    expect(stderr).toMatch(/approve +was answered: \{"ok":true\}\n.*sign +asks for an answer\n/);
  });

  test('also of those that are asked at once, and of sub-runs', async () => {
    const cwd = folderWith({ ...files, 'name.json': { name: 'Ada' } });
    const votes = [1, 2, 3].flatMap((vote) => ['--answer', `{"vote": ${vote}}`]);
    const args = ['--register', 'ask.json', ...votes, '--answer', '{"ok": false}', '--answer', '@name.json', '--quiet'];
    const { exitCode, stdout, stderr } = await heddle(['run', 'ask-all.json', ...args], { cwd });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ votes: [1, 2, 3], child: { ok: false, name: 'Ada' } });
  });

  test('those that nobody asked for are told', async () => {
    const cwd = folderWith(files);
    const answers = ['{"ok": true}', '{"name": "Ada"}', '1', '2'].flatMap((answer) => ['--answer', answer]);
    const { exitCode, stderr } = await heddle(['run', 'ask.json', ...answers, '--quiet'], { cwd });
    expect([exitCode, stderr]).toEqual([0, '2 answers were not asked for.\n']);
  });

  test('what is no JSON is refused before anything is started', async () => {
    const cwd = folderWith(files);
    const { exitCode, stderr, json } = await heddle(['run', 'ask.json', '--answer', '{ok}', '--json'], { cwd });
    expect([exitCode, json]).toMatchObject([2, { runId: null, error: { code: 'ANSWER_INVALID' } }]);
    expect(stderr).toMatch(/^heddle: ANSWER_INVALID: In --answer: Expected JSON text, but found "ok" .*--answer '/);
  });
});

describe('a run that only people or events from outside can wake', () => {
  test('says what it asks and how to go on; resume with an answer does, until it has ended', async () => {
    const cwd = folderWith(files);
    const first = await heddle(['run', 'ask.json', ...stored, '--json', '--quiet'], { cwd });
    const runId = idOf(first);
    expect([first.exitCode, first.json]).toEqual([1, { runId, status: 'suspended', output: null, error: null }]);
    const resume = `npx heddle resume ${runId} --store heddle.db`;
    expect(first.stderr).toBe(
      `Run ${runId} is suspended: "Publish?" waits for an answer; nothing is lost. Resume with: ${resume} --answer '{"ok": …}'\n`,
    );

    const without = await heddle(['resume', '--quiet'], { cwd });
    expect([without.exitCode, without.stdout]).toEqual([1, '']);
    expect(without.stderr).toBe(first.stderr.replace('heddle.db', './heddle.db'));

    const second = await heddle(['resume', runId, ...stored, '--answer', '{"ok": true}', '--json', '--quiet'], { cwd });
    expect([second.exitCode, second.json]).toMatchObject([1, { runId, status: 'suspended' }]);
    expect(second.stderr).toBe(
      `Run ${runId} is suspended: node "sign" waits for an answer; nothing is lost. Resume with: ${resume} --answer '{"…": …}'\n`,
    );

    const last = await heddle(['resume', runId, ...stored, '--answer', '{"name": "Ada"}'], { cwd });
    expect([last.exitCode, last.stdout]).toEqual([0, '{"ok":true,"name":"Ada"}\n']);
    expect((await heddle(['audit'], { cwd })).exitCode).toBe(0);
  });

  test('in memory it is gone: what to give the next time', async () => {
    const { exitCode, stderr } = await heddle(['run', 'ask.json', '--quiet'], { cwd: folderWith(files) });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^Run \w+ is suspended: "Publish\?" waits for an answer; the run was kept in memory only and is gone; give --answer '\{"ok": …\}', or keep it with --store FILE\.\n$/,
      ),
    ]);
  });

  test('an answer that does not fit is refused with the reason, and the prompt stays open', async () => {
    const cwd = folderWith(files);
    const args = ['run', 'ask.json', ...stored, '--answer', '{"ok": 1}', '--json', '--quiet'];
    const refused = await heddle(args, { cwd });
    const runId = idOf(refused);
    expect([refused.exitCode, refused.json]).toMatchObject([
      1,
      { status: 'suspended', output: null, error: { code: 'PAYLOAD_INVALID', details: [{ pointer: '/ok' }] } },
    ]);
    expect(refused.stderr).toBe(
      `Expected an answer that fits "Publish?", but {"ok":1} does not: Expected /ok to be of type boolean, but found 1; nothing is lost. Resume with: npx heddle resume ${runId} --store heddle.db --answer '{"ok": …}'\n`,
    );
    const again = await heddle(['resume', runId, '--answer', '{"ok": true}', '--answer', '{}'], { cwd });
    expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([0, { ok: true }]);
  });

  test('an event: its name and correlation, and what a program has published is taken', async () => {
    const cwd = folderWith(files);
    const args = ['run', 'await-event.json', '--input', '{"order": "o-7"}', ...stored, '--json'];
    const { exitCode, stderr, json } = await heddle(args, { cwd });
    const { runId } = json as { readonly runId: string };
    expect([exitCode, json]).toMatchObject([1, { status: 'suspended', error: null }]);
    expect(stderr).toMatch(/paid +waits for the event "order\.paid" \(o-7\)\n/);
    expect(stderr).toMatch(/await-event +suspended: only people or events from outside can wake it\n/);
    expect(stderr).toContain(
      `Run ${runId} is suspended: it waits for the event "order.paid" (o-7); nothing is lost. When your program has published it, resume with: npx heddle resume ${runId} --store heddle.db\n`,
    );
    const engine = await createEngine({ store: `${cwd}/heddle.db` });
    await engine.publish('order.paid', { amount: 12 }, { correlation: 'o-7' });
    await engine.close();
    const resumed = await heddle(['resume', runId, ...stored], { cwd });
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, '{"amount":12}\n']);
    expect(resumed.stderr).toMatch(/paid +the event came: \{"amount":12\}\n/);
  });

  test('several of them: each is told; answers need a name', async () => {
    const cwd = folderWith(files);
    const start = async (...args: string[]) =>
      idOf(await heddle(['run', ...args, ...stored, '--json', '--quiet'], { cwd }));
    const asks = await start('ask.json');
    const waits = await start('await-event.json', '--input', '{"order": ""}');
    const { exitCode, stderr } = await heddle(['resume', '--quiet'], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr.split('\n').map((line) => line.split(';')[0])).toEqual([
      `Run ${waits} is suspended: it waits for the event "order.paid"`,
      `Run ${asks} is suspended: "Publish?" waits for an answer`,
      '',
    ]);
    const ambiguous = await heddle(['resume', '--answer', '{"ok": true}', '--json'], { cwd });
    expect([ambiguous.exitCode, ambiguous.json]).toMatchObject([2, { runId: null, error: { code: 'RUN_AMBIGUOUS' } }]);
    expect(ambiguous.stderr).toBe(
      'heddle: RUN_AMBIGUOUS: Expected one run to give answers to, but 2 are unfinished in ./heddle.db; name one: npx heddle resume RUN.\n',
    );
  });

  test('runs finds them by their status, show says what they wait for', async () => {
    const cwd = folderWith(files);
    const runId = idOf(await heddle(['run', 'ask.json', ...stored, '--json', '--quiet'], { cwd }));
    const listed = await heddle(['runs', '--status', 'suspended', '--json'], { cwd });
    expect(listed.json).toMatchObject([{ runId, status: 'suspended' }]);
    const { stdout } = await heddle(['show', runId], { cwd });
    expect(stdout).toMatch(/^ask v1 {2}suspended\n/);
    expect(stdout).toMatch(/\n {2}asks +"Publish\?"\n/);
    expect(stdout).toMatch(/1 approve +\? waiting for input/);
    const { json } = await heddle(['show', runId, '--json'], { cwd });
    expect(json).toMatchObject({ prompts: [{ runId, nodeId: 'approve', title: 'Publish?', schema }] });
    await heddle(['run', 'await-event.json', '--input', '{"order": "o-7"}', ...stored, '--quiet'], { cwd });
    const awaiting = await heddle(['show', 'last'], { cwd });
    expect(awaiting.stdout).toMatch(/\n {2}waits +for the event "order\.paid" \(o-7\)\n/);
  });

  test('a prompt with a deadline is waited for; Ctrl-C says how to answer it', async () => {
    const [approve, ...rest] = ask.nodes;
    const nodes = [{ ...approve, input: { title: 'Publish?', schema, deadlineMs: 3_600_000 } }, ...rest];
    const cwd = folderWith({ 'ask.json': { ...ask, nodes } });
    const running = startHeddle(['run', 'ask.json', ...stored, '--json'], { cwd });
    await running.sees('asks: Publish? (until ');
    running.child.kill('SIGINT');
    const { exitCode, stderr, json } = await running.ends();
    expect([exitCode, json]).toMatchObject([1, { status: 'waiting' }]);
    const { runId } = json as { readonly runId: string };
    expect(stderr).toContain(
      `Interrupted; nothing is lost. Resume with: npx heddle resume ${runId} --store heddle.db --answer '{"ok": …}'\n`,
    );
  });
});
