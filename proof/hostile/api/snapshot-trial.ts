// Snapshot trial: a snapshot of runs that was changed on its way, by chance or by somebody who makes its checksums anew. It is
// refused with a typed error, and nothing of it is stored. Rules TH42 and TH45.

import { HeddleError } from '../../../packages/heddle/src/base/heddle-error.ts';
import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { WorkflowDefinition } from '../../../packages/heddle/src/dialects/dialect.ts';
import { checksumOf } from '../../../packages/heddle/src/engine/snapshot.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { type Path, pointerOf, replaced } from '../definitions/sites.ts';
import { describeError, show, type Trial } from '../trial.ts';
import { hostileValues } from '../values/hostile-values.ts';

const definitions: readonly WorkflowDefinition[] = [
  {
    dialect: 'thread',
    id: 'child',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'ask', type: 'input' },
      { id: 'end', type: 'end' },
    ],
    connectors: [
      { from: 'start', to: 'ask' },
      { from: 'ask', to: 'end' },
    ],
  },
  {
    dialect: 'thread',
    id: 'parent',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'both', type: 'fanOut', outputs: ['left', 'right'] },
      { id: 'call', type: 'gosub', workflow: 'child' },
      { id: 'work', type: 'action', action: 'work' },
      { id: 'meet', type: 'fanIn' },
      { id: 'end', type: 'end' },
    ],
    connectors: [
      { from: 'start', to: 'both' },
      { from: 'both', output: 'left', to: 'call' },
      { from: 'both', output: 'right', to: 'work' },
      { from: 'call', to: 'meet' },
      { from: 'work', to: 'meet' },
      { from: 'meet', to: 'end' },
    ],
  },
];

async function openTarget(...trustedSnapshotKeys: readonly string[]): Promise<TestEngine> {
  const target = await createTestEngine({ scripted: ['work'], trustedSnapshotKeys });
  for (const definition of definitions) await target.engine.register(definition);
  return target;
}

interface Taken {
  readonly snapshot: Json;
  readonly key: string;
}

let taken: Promise<Taken> | null = null;
let target: Promise<TestEngine> | null = null;

async function takeSnapshot(): Promise<Taken> {
  const { engine, settle } = await openTarget();
  const run = await engine.start('parent', { papers: [1, { a: 'b' }] });
  await settle();
  const snapshot = JSON.parse(JSON.stringify(await run.snapshot())) as Json;
  const key = await engine.snapshotKey();
  await engine.close({ graceMs: 0 });
  return { snapshot, key };
}

export async function makeSnapshotTrial(dice: Dice): Promise<Trial> {
  taken ??= takeSnapshot();
  const { snapshot: sound, key } = await taken;
  const path = drawPath(sound, dice);
  const value = drawValue(dice);
  const isForged = dice.chance(1, 2);
  const changed = replaced(sound, path, value);
  const snapshot = isForged ? withChecksums(changed) : changed;
  const there = path.reduce<Json | undefined>((here, step) => (here as Readonly<Record<string, Json>>)[step], sound);
  const what = `${pointerOf(path)} is ${show(value, 300)}${isForged ? ', with new checksums' : ''}`;
  return {
    input: () => `snapshot in which ${what}`,
    check: () => check(snapshot, { key, isSame: isSameJson(value, there) || isSameJson(snapshot, sound) }),
  };
}

/** What was drawn is what was there. */
function isSameJson(value: unknown, there: Json | undefined): boolean {
  try {
    return JSON.stringify(value) === JSON.stringify(there);
  } catch {
    return false; // no JSON at all
  }
}

const samples: readonly [unknown, ...unknown[]] = [
  undefined,
  null,
  true,
  0,
  -1,
  99,
  1e300,
  '',
  'x',
  [],
  {},
  ['a'],
  [null],
  { constructor: 1 },
  'work',
  'parent',
];

function drawValue(dice: Dice): unknown {
  return dice.chance(1, 6) ? dice.pick(hostileValues)?.make() : dice.pick(samples);
}

function drawPath(root: Json, dice: Dice): Path {
  const path: (string | number)[] = [];
  let here: Json | undefined = root;
  while (typeof here === 'object' && here !== null && !dice.chance(1, 10)) {
    const key: string | undefined = dice.pick(Object.keys(here));
    if (key === undefined) break;
    path.push(Array.isArray(here) ? Number(key) : key);
    here = (here as Readonly<Record<string, Json>>)[key];
  }
  return path;
}

/** As somebody would who knows how they are made. */
function withChecksums(snapshot: unknown): unknown {
  try {
    const { runs } = snapshot as { readonly runs: readonly { readonly checkpoint: Json }[] };
    return { ...(snapshot as object), runs: runs.map((run) => ({ ...run, checksum: checksumOf(run.checkpoint) })) };
  } catch {
    return snapshot; // what has no runs, or is no JSON, has none
  }
}

const refusals = new Set(['SNAPSHOT_INVALID', 'RUN_EXISTS', 'WORKFLOW_NOT_FOUND', 'LIMIT_EXCEEDED']);

async function check(
  snapshot: unknown,
  { key, isSame }: { readonly key: string; readonly isSame: boolean },
): Promise<string | null> {
  target ??= openTarget(key);
  const { engine, settle } = await target;
  try {
    await engine.restore(snapshot);
  } catch (error) {
    if (!(error instanceof HeddleError) || !refusals.has(error.code))
      return `Expected a typed error, but found ${describeError(error)}`;
    if (!error.message.startsWith('Expected ')) return `Unclear: ${error.message}`;
    const stored = await engine.runs({ subRuns: true });
    return stored.length === 0
      ? null
      : `Expected nothing to be stored, but found ${stored.map(({ runId }) => runId).join(', ')}`;
  }
  const found = isSame
    ? await checkOthers(await target)
    : 'Expected a snapshot that was changed to be refused, but it was taken';
  await settle();
  await engine.close({ graceMs: 0 });
  target = null;
  return found;
}

/** Whatever became of it, another run goes its way. */
async function checkOthers({ engine, script, settle }: TestEngine): Promise<string | null> {
  await settle();
  const run = await engine.start('child', {});
  await settle();
  const [prompt] = await run.prompts();
  if (prompt === undefined) return 'Expected another run to ask its question, but it does not';
  await run.reply(prompt.correlationId, { ok: true });
  for (const call of script.open('work')) call.complete({});
  await settle();
  const { status } = await run.result();
  return status === 'completed' ? null : `Expected another run to complete, but it is ${status}`;
}
