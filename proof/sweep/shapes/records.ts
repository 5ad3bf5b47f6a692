// Records: what is written beside the journal: snapshots, artifacts, runs that are set aside; and runs that go on from
// what another one left.

import { copyJson } from '../../../packages/heddle/src/base/copy-json.ts';
import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import type { ObjectReference } from '../../../packages/heddle/src/base/object-reference.ts';
import { sealOf } from '../../../packages/heddle/src/engine/snapshot-seal.ts';
import type { ActionContext } from '../../../packages/heddle/src/executor/action.ts';
import { createTestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { branch, join, keep, row, spawn, work, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const nap = (seconds: number) => ({ id: 'nap', wait: { seconds } });
const two = row('w', keep('a'), keep('b'));
const three = row('w', keep('a'), keep('b'), keep('c'));
const often = { limits: { snapshotEveryBytes: 3_000 } };
/** Each but the last outweighs twice the snapshot that the one before it brought about. */
const lengths = new Map([
  ['a', 4_000],
  ['b', 40_000],
]);
const large: Shape['answer'] = ({ nodeId }) => ({ value: nodeId.repeat(lengths.get(nodeId) ?? 1) });

const broken: Shape['answer'] = ({ nodeId, runId, attempt }) => {
  if (nodeId === 'b' && attempt === 1) throw Object.assign(new Error(`no ${runId.length}`), { retryable: false });
  return { value: nodeId };
};
const failed = async (s: Stage): Promise<void> => {
  await s.start('w');
  await s.answer('a');
  await s.answer('b');
};

const actions = {
  write: async ({ artifacts }: ActionContext) => ({ file: await artifacts.put('some text', 'text/plain') }),
  read: async ({ artifacts, input }: ActionContext) => {
    const { bytes } = await artifacts.get(input['file'] as ObjectReference);
    return { text: new TextDecoder().decode(bytes) };
  },
};
const files = row(
  'w',
  work('a'),
  { id: 'write', action: 'write', outputMapping: { 'state.file': 'result.file' } },
  { id: 'read', action: 'read', inputMapping: { file: 'state.file' }, outputMapping: { 'output.text': 'result.text' } },
);

/** Of the store that the snapshot comes from. */
const trustedKey = 'a key of another store';

/** A run as another engine left it. */
async function elsewhere(s: Stage, definition: object): Promise<string> {
  const t = await createTestEngine({ scripted: ['work'] });
  await t.engine.register(definition as unknown);
  const run = await t.engine.start('w', {});
  await t.settle();
  const snapshot = await run.snapshot();
  await t.engine.close({ graceMs: 0 });
  s.note(
    'snapshot',
    JSON.stringify({ ...snapshot, seal: sealOf(copyJson(snapshot as unknown as JsonObject), trustedKey) }),
  );
  return run.id;
}

export const records: readonly Shape[] = [
  {
    name: 'snapshot: the first is written',
    definitions: [three],
    options: often,
    answer: large,
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: ['task.completed', 'snapshot'],
    ends: 'w completed',
  },
  {
    name: 'snapshot: another replaces it',
    definitions: [three],
    options: often,
    answer: large,
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
    },
    send: (s) => s.answer('b'),
    makes: ['task.completed', 'snapshot'],
    ends: 'w completed',
  },
  {
    name: 'snapshot: of a run with branches, one of which arrives',
    definitions: [workflow('w', ['s', branch('b'), keep('after')], [spawn('s', 'b', 3), join('b', 'after')])],
    options: often,
    answer: ({ input }) => ({ value: JSON.stringify(input).repeat(400) }),
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('b', { index: 1 }),
    makes: ['task.completed', 'snapshot'],
    ends: 'w completed',
  },
  {
    name: 'snapshot: of a paused run that keeps a result',
    definitions: [three],
    options: often,
    answer: large,
    prepare: async (s) => {
      await s.start('w');
      await s.order('pause', () => s.run('w').pause());
    },
    send: (s) => s.answer('a'),
    finish: (s) => s.order('resume', () => s.run('w').resume()),
    makes: ['workflow.held', 'snapshot'],
    ends: 'w completed',
  },
  {
    name: 'retry: of a run that failed',
    definitions: [two],
    answer: broken,
    prepare: failed,
    send: (s) => s.order('retry', () => s.run('w').retry()),
    isSaidOnce: true,
    makes: 'workflow.restored',
    ends: 'w failed, w failed',
  },
  {
    name: 'retry: of a run that was exhausted, after a deposit',
    definitions: [row('w', keep('a', { cost: 2 }), keep('b', { cost: 3 }))],
    prepare: async (s) => {
      await s.engine.credits.deposit('acme', 4);
      await s.start('w', {}, { organization: 'acme' });
      await s.answer('a');
      await s.engine.credits.deposit('acme', 10);
    },
    send: (s) => s.order('retry', () => s.run('w').retry({ keepKeys: true })),
    isSaidOnce: true,
    makes: 'workflow.restored',
    ends: 'w completed, w exhausted',
  },
  {
    name: 'restore: a run of another engine',
    definitions: [two],
    options: { trustedSnapshotKeys: [trustedKey] },
    prepare: (s) => elsewhere(s, two),
    send: (s) => s.order('restore', (engine) => engine.restore(JSON.parse(s.noted('snapshot')) as unknown)),
    repeatedAs: 'RUN_EXISTS',
    makes: 'workflow.restored',
    ends: 'w completed',
  },
  {
    name: 'artifact: put by an action, read by the next',
    definitions: [files],
    options: { actions },
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'workflow.completed',
    ends: 'w completed',
  },
  {
    name: 'artifact: put for every run',
    send: (s) => s.order('put', (engine) => engine.artifacts.put('some text', 'text/plain')),
    ends: '',
  },
  {
    name: 'artifact: the same again',
    prepare: (s) => s.engine.artifacts.put('some text', 'text/plain'),
    send: (s) => s.order('put', (engine) => engine.artifacts.put('some text', 'text/html')),
    ends: '',
  },
  {
    name: 'quarantine: a run whose journal was damaged is set aside',
    definitions: [row('w', nap(60), keep('a')), row('v', nap(30), keep('a'))],
    options: { limits: { idleRunsMax: 1 } },
    prepare: async (s) => {
      await s.start('w');
      await s.start('v');
      s.damage(`UPDATE journal SET events = '[]' WHERE run_id = '${s.noted('w')}'`);
    },
    send: (s) => s.pass(60_000),
    ends: 'v completed, w waiting',
    tolerates: { reports: 'it is told of', damage: 'it is damaged' },
  },
  {
    name: 'timer: of a run that had left memory',
    definitions: [row('w', nap(60), keep('a'))],
    options: { limits: { idleRunsMax: 1 } },
    prepare: async (s) => {
      for (const n of ['1', '2']) await s.start('w', { n }, { tags: { n } });
    },
    send: (s) => s.pass(60_000),
    makes: 'timer.fired',
    ends: 'w completed, w completed',
  },
];
