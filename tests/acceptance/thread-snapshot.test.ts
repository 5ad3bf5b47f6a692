import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { ThreadsView } from '../../packages/heddle/src/dialects/thread/view.ts';
import { checksumOf } from '../../packages/heddle/src/engine/snapshot.ts';
import type { RunSnapshot, SnapshotRun } from '../../packages/heddle/src/operations/run-views.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { promptAt, say } from './prompts.testsuite.ts';
import {
  ask,
  batch,
  childOf,
  code,
  edit,
  end,
  fanIn,
  fanOut,
  gosub,
  start,
  thread,
  work,
  yields,
} from './thread.testsuite.ts';
import { answer, callsAt, ended, type Fields, launch, register, scripted, visits } from './token-engine.testsuite.ts';

/** A batch, a sub-workflow that asks, and a question, side by side. */
const child = thread('child', [start(), ask('childAsk'), end({ said: 'said', n: 'n' })], ['start->childAsk->end']);
const parent = thread(
  'parent',
  [
    start(),
    edit('prepare', { 'output.before': 1 }),
    fanOut('split', 'slices', 'sub', 'people'),
    batch('cut', 'list', 2, 2),
    yields('toil', 'output.done'),
    edit('counted', {}),
    gosub('call', 'child', { inputs: [{ to: 'n', value: 7 }], outputs: [{ to: 'output.child', from: 'said' }] }),
    ask('parentAsk'),
    code('keep', 'context.answer', 'output.answer'),
    fanIn('meet'),
    end({ result: 'output' }),
  ],
  [
    'start->prepare->split',
    'split:slices->cut',
    'cut:process->toil',
    'cut:continue->counted->meet',
    'split:sub->call->meet',
    'split:people->parentAsk->keep->meet',
    'meet->end',
  ],
);
const input = { list: [1, 2, 3, 4, 5, 6, 7] };

/** In the first engine: one slice of four is done, two are under way, two questions are asked for. */
async function underWay(t: TestEngine): Promise<Run> {
  await register(t.engine, child);
  const run = await launch(t, parent, input);
  await answer(t, 'toil', { value: 'a' }, { list: [1, 2] });
  return run;
}

/** As it comes out of a file. */
const throughText = (snapshot: RunSnapshot): RunSnapshot => JSON.parse(JSON.stringify(snapshot)) as RunSnapshot;

/** Another engine, on another store, that knows the same workflows and believes the snapshots of the first. */
async function openOther(
  host: AcceptanceHost,
  { engine }: TestEngine,
  ...definitions: readonly Fields[]
): Promise<TestEngine> {
  const other = await host.open({ ...scripted, trustedSnapshotKeys: [await engine.snapshotKey()] });
  await register(other.engine, ...definitions);
  return other;
}

async function playOn(t: TestEngine, run: Run): Promise<unknown> {
  for (const list of [[3, 4], [5, 6], [7]]) await answer(t, 'toil', { value: list.join() }, { list });
  const [first] = await run.prompts();
  const order = first?.nodeId === 'childAsk' ? ['childAsk', 'parentAsk'] : ['parentAsk', 'childAsk'];
  for (const node of order) await say(t, run, node, node === 'childAsk' ? { said: 'yes' } : { answer: 42 });
  return { ...(await ended(run)), audit: (await t.engine.audit()).problems };
}

/** What each thread sees is in the checkpoint alone. */
const withoutContexts = ({ threads, ...view }: ThreadsView) => ({
  ...view,
  threads: threads.map(({ context: _, ...rest }) => rest),
});

onEveryHost('snapshots of threads', (host) => {
  test('[T202][T203][T204][T205][T206] a snapshot holds threads, contexts, slices, counters, queue and links', async () => {
    const t = await host.open(scripted);
    const run = await underWay(t);
    const snapshot = await run.snapshot();
    const sub = await childOf(t, run);
    expect(snapshot).toMatchObject({ format: 'heddle-snapshot', formatVersion: 1, rootRunId: run.id });
    expect(snapshot.runs.map(({ runId, workflow, version }) => [runId, workflow, version])).toEqual([
      [run.id, 'parent', 1],
      [sub.id, 'child', 1],
    ]);
    const [root, below] = snapshot.runs;
    expect(root?.threads).toEqual(withoutContexts(await run.threads()));
    expect(below?.threads).toEqual(withoutContexts(await sub.threads()));
    // T202: all threads, active and waiting.
    expect(root?.threads.threads.map(({ node, status }) => `${node}:${status}`)).toEqual([
      'cut:waiting',
      'call:waiting',
      'parentAsk:suspended',
      'toil:continued',
      'toil:continued',
    ]);
    // T203: the tree of contexts, of all four kinds.
    expect(root?.threads.contexts.map(({ kind, status }) => `${kind}:${status}`)).toEqual([
      'workflow:running',
      'group:running',
      'group:running',
      'subworkflow:suspended',
      'suspension:suspended',
    ]);
    // T204: group counters and pending slices.
    expect(root?.threads.contexts.filter(({ kind }) => kind === 'group')).toMatchObject([
      { node: 'split', expectedCount: 3, arrivedCount: 0, pendingCount: 3 },
      {
        node: 'cut',
        expectedCount: 4,
        arrivedCount: 1,
        pendingCount: 3,
        mergedContext: { output: { done: 'a' } },
        pendingSlices: [{ index: 3, start: 6, end: 7 }],
      },
    ]);
    // T205: the queue of the whole tree, with correlation ids.
    const asked = await promptAt(run, 'parentAsk');
    expect(root?.threads.inputQueue).toMatchObject([
      { runId: run.id, correlationId: asked.correlationId, isActive: true },
      { runId: sub.id, isActive: false },
    ]);
    expect(below?.threads.contexts).toMatchObject([
      { kind: 'workflow', status: 'suspended' },
      {
        kind: 'suspension',
        awaits: 'input',
        isActive: false,
        correlationId: root?.threads.inputQueue[1]?.correlationId,
      },
    ]);
    // T206: which thread waits for which run, and which context the sub-run is in.
    const link = root?.threads.contexts.find(({ kind }) => kind === 'subworkflow');
    expect(link).toMatchObject({
      childRunId: sub.id,
      parentThread: root?.threads.threads.find(({ node }) => node === 'call')?.threadId,
      mappings: { inputs: ['n'], outputs: ['output.child'] },
      continuation: 'meet',
    });
    expect(below?.threads.contexts[0]).toMatchObject({ contextId: sub.id, parentId: link?.contextId });
  });

  test('[T207][TH43] a snapshot is JSON and goes on in another engine as the run itself does', async () => {
    const t = await host.open(scripted);
    const run = await underWay(t);
    const snapshot = await run.snapshot();
    const other = await openOther(host, t, child, parent);
    const restored = await other.engine.restore(throughText(snapshot));
    await other.settle();
    expect(restored.id).toBe(run.id);
    expect(await restored.threads()).toEqual(await run.threads());
    expect(await (await childOf(other, restored)).threads()).toEqual(await (await childOf(t, run)).threads());
    expect((await restored.snapshot()).runs.map(({ threads }) => threads)).toEqual(
      snapshot.runs.map(({ threads }) => threads),
    );
    const came = await playOn(t, run);
    expect(await playOn(other, restored)).toEqual(came);
    expect(came).toMatchObject({
      status: 'completed',
      output: { result: { before: 1, child: 'yes', answer: 42, done: ['a', '3,4', '5,6', '7'] } },
      audit: [],
    });
  });

  test('[T207][T212] it goes on after a restart of the other engine too', async () => {
    const t = await host.open(scripted);
    const snapshot = await (await underWay(t)).snapshot();
    const other = await openOther(host, t, child, parent);
    const { id } = await other.engine.restore(snapshot);
    const again = await host.restart(other, scripted);
    await again.settle();
    expect(await playOn(again, again.engine.run(id))).toMatchObject({ status: 'completed', audit: [] });
  });

  test('[TH43][LC13] what was under way is handed out again, with the same idempotency key', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, thread('w', [start(), work('toil')], ['start->toil']));
    const snapshot = await run.snapshot();
    const other = await openOther(host, t, thread('w', [start(), work('toil')], ['start->toil']));
    await other.engine.restore(snapshot);
    await other.settle();
    const [before, after] = [callsAt(t, 'toil'), callsAt(other, 'toil')];
    expect(after.map(({ idempotencyKey, attempt }) => [idempotencyKey, attempt])).toEqual(
      before.map(({ idempotencyKey, attempt }) => [idempotencyKey, attempt]),
    );
    expect(after).toHaveLength(1);
  });

  test('[TH43][LC13] a paused run keeps what it got while paused', async () => {
    const t = await host.open(scripted);
    const definition = thread('w', [start(), work('toil'), work('after')], ['start->toil->after']);
    const run = await launch(t, definition);
    await run.pause();
    await answer(t, 'toil', { value: 1 });
    const other = await openOther(host, t, definition);
    const restored = await other.engine.restore(await run.snapshot());
    await other.settle();
    expect([await restored.status(), callsAt(other, 'toil').length]).toEqual(['paused', 0]);
    await restored.resume();
    await other.settle();
    expect(await visits(restored)).toEqual(['toil:completed', 'after:dispatched']);
    expect(callsAt(other, 'after').map(({ input: given }) => given)).toEqual([{ output: { value: 1 } }]);
  });

  test('[TH43] timers and deadlines stay as they were', async () => {
    const t = await host.open(scripted);
    const definition = thread('w', [start(), ask('ask', { deadlineMs: 60_000 })], ['start->ask'], {
      timeoutMs: 600_000,
    });
    const run = await launch(t, definition);
    await t.advance(50_000);
    const snapshot = await run.snapshot();
    const other = await openOther(host, t, definition);
    await other.advance(t.clock.now() - other.clock.now());
    const restored = await other.engine.restore(snapshot);
    await other.settle();
    expect(await restored.prompts()).toMatchObject([{ deadline: (await promptAt(run, 'ask')).deadline }]);
    await other.advance(10_000);
    expect(await ended(restored)).toMatchObject({ status: 'failed', error: { code: 'INPUT_EXPIRED' } });
  });

  test('[TH41] only a root that goes on can be taken', async () => {
    const t = await host.open(scripted);
    const run = await underWay(t);
    const sub = await childOf(t, run);
    await expect(sub.snapshot()).rejects.toMatchObject({
      code: 'RUN_NOT_ROOT',
      message: expect.stringContaining(run.id),
    });
    await run.cancel();
    await t.settle();
    await expect(run.snapshot()).rejects.toMatchObject({
      code: 'RUN_ENDED',
      message: `Expected run ${run.id} to go on, but it is cancelled`,
    });
    await expect(t.engine.run('nowhere').snapshot()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  host.testWithoutPause('[TH41] runs that never stand still have to be paused first', async () => {
    const t = await host.open();
    const round = { action: 'core.echo', inputs: [], outputs: [] };
    await register(
      t.engine,
      thread('clock', [start(), work('tick', round), work('tock', round)], ['start->tick->tock->tick']),
      thread('tower', [start(), gosub('climb', 'clock')], ['start->climb']),
    );
    const run = await t.engine.start('tower');
    await expect(run.snapshot()).rejects.toMatchObject({
      code: 'RUN_BUSY',
      message: expect.stringMatching(/pause it first$/),
    });
    await run.pause();
    await t.settle();
    expect((await run.snapshot()).runs.map(({ threads }) => threads.status)).toEqual(['Paused', 'Paused']);
    await run.cancel();
  });

  test('[TH42][X25] a run that lacks its checkpoint, or whose checkpoint is damaged, is not restored', async () => {
    const t = await host.open(scripted);
    const snapshot = throughText(await (await underWay(t)).snapshot());
    const other = await openOther(host, t, child, parent);
    const [root, below] = snapshot.runs;
    const refused = async (source: unknown, message: string): Promise<void> => {
      await expect(other.engine.restore(source)).rejects.toMatchObject({
        code: 'SNAPSHOT_INVALID',
        message: expect.stringContaining(message),
      });
    };
    await refused({ ...snapshot, runs: [{ ...root, checkpoint: undefined }, below] }, 'to have its checkpoint');
    await refused({ ...snapshot, runs: [{ ...root, checkpoint: null }, below] }, 'to have its checkpoint');
    const damaged = { ...(root?.checkpoint as object), lastToken: 999 };
    await refused({ ...snapshot, runs: [{ ...root, checkpoint: damaged }, below] }, 'its checksum differs');
    await refused({ ...snapshot, runs: [{ ...root, checksum: 'x' }, below] }, 'its checksum differs');
    await refused({ ...snapshot, runs: [{ ...root, runId: 'another' }, below] }, "it is another's");
    await refused({ ...snapshot, runs: [below] }, 'one root and its sub-runs');
    await refused({ ...snapshot, runs: [root, below, below] }, 'one root and its sub-runs');
    await refused({ ...snapshot, runs: [] }, 'to hold runs');
    await refused({ ...snapshot, formatVersion: 2 }, 'found 2');
    await refused({ ...snapshot, takenAt: () => 1 }, 'JSON');
    await refused('a text', 'but it is none');
    expect(await other.engine.runs({ subRuns: true })).toEqual([]);
  });

  test('[TH42] a run that is here already, or whose workflow is not here with the same content, is not restored', async () => {
    const t = await host.open(scripted);
    const snapshot = await (await underWay(t)).snapshot();
    await expect(t.engine.restore(snapshot)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    const without = await openOther(host, t, parent);
    await expect(without.engine.restore(snapshot)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    const different = await openOther(host, t, { ...parent, timeoutMs: 5 }, child);
    await expect(different.engine.restore(snapshot)).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
      message: expect.stringContaining('but here it is another'),
    });
    for (const { engine } of [without, different]) expect(await engine.runs({ subRuns: true })).toEqual([]);
  });

  test('[TH44][TH45] only what a store that is trusted has sealed is believed', async () => {
    const t = await host.open(scripted);
    const snapshot = throughText(await (await underWay(t)).snapshot());
    const stranger = await host.open(scripted);
    await register(stranger.engine, child, parent);
    const refusal = { code: 'SNAPSHOT_INVALID', message: expect.stringContaining('its seal is missing or another') };
    await expect(stranger.engine.restore(snapshot)).rejects.toMatchObject(refusal);
    const other = await openOther(host, t, child, parent);
    const [root, below] = snapshot.runs as [SnapshotRun, SnapshotRun];
    const checkpoint = { ...(root.checkpoint as object), credits: { awaited: false, requested: 1, spent: -1_000_000 } };
    const forged = { ...root, checkpoint, checksum: checksumOf(checkpoint) };
    const { seal, ...unsealed } = snapshot;
    const changed: readonly unknown[] = [
      unsealed,
      { ...snapshot, seal: `${seal}A` },
      { ...snapshot, seal: 7 },
      { ...snapshot, runs: [forged, below] },
      { ...snapshot, takenAt: snapshot.takenAt + 1 },
      { ...snapshot, rootRunId: below.runId },
      { ...snapshot, more: true },
      { ...snapshot, runs: [{ ...root, hash: 'x' }, below] },
    ];
    for (const one of changed) await expect(other.engine.restore(one)).rejects.toMatchObject(refusal);
    for (const { engine } of [stranger, other]) expect(await engine.runs({ subRuns: true })).toEqual([]);
    // The order of keys says nothing.
    const turned = Object.fromEntries(Object.entries(snapshot).toReversed());
    expect((await other.engine.restore(turned)).id).toBe(snapshot.rootRunId);
  });

  test('[TH45] a store believes its own snapshot of a run that it has no more', async () => {
    const t = await host.open(scripted);
    const run = await underWay(t);
    const snapshot = throughText(await run.snapshot());
    await run.cancel();
    await t.settle();
    await run.delete();
    const restored = await t.engine.restore(snapshot);
    await t.settle();
    expect([restored.id, await playOn(t, restored)]).toMatchObject([run.id, { status: 'completed', audit: [] }]);
  });

  test('[X25] an answer may be empty, is laid over the context key by key, and nothing else is taken', async () => {
    const t = await host.open(scripted);
    const definition = thread('w', [start(), ask('ask'), end()], ['start->ask->end']);
    const given = { a: { b: 1, c: [1] }, d: 1 };
    const empty = await launch(t, definition, given);
    await say(t, empty, 'ask', null);
    expect((await ended(empty)).output).toEqual(given);
    const merged = await launch(t, definition, given);
    for (const payload of ['text', 7, true, [1]]) {
      const { correlationId } = await promptAt(merged, 'ask');
      await expect(merged.reply(correlationId, payload)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
    }
    await say(t, merged, 'ask', { a: { c: [2], e: { f: 3 } }, g: null });
    expect((await ended(merged)).output).toEqual({ a: { b: 1, c: [2], e: { f: 3 } }, d: 1, g: null });
  });
});
