// Row trial: a stored row comes out damaged: not JSON any more, or JSON of another shape. The run that it belongs to is set
// aside with a reason that names the place, whoever asks for it hears a typed error, and every other run goes on. Attack A17.

import type { DefinitionRow, Store } from '../../../packages/heddle/src/actor/ports.ts';
import { StoreError } from '../../../packages/heddle/src/actor/store-error.ts';
import { HeddleError } from '../../../packages/heddle/src/base/heddle-error.ts';
import type { Definition } from '../../../packages/heddle/src/definition/definition.ts';
import { memoryStore } from '../../../packages/heddle/src/hosts/memory/store.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { describeError, show, type Trial } from '../trial.ts';
import { damageText, tearText } from './damage-text.ts';
import { type Alterations, damagedStore } from './damaged-store.ts';

const mapped = { outputMapping: { 'output.x': 'result.x' } };
const healthy: Definition = { id: 'healthy', initialNode: 'work', nodes: [{ id: 'work', action: 'work', ...mapped }] };

/** What the victim does when the engine is closed: it is found again by its tasks, its timer, or when it is asked for. */
export const victims: readonly [Definition, ...Definition[]] = [
  { id: 'victim', initialNode: 'work', nodes: [{ id: 'work', action: 'work', ...mapped }] },
  { id: 'victim', initialNode: 'ask', nodes: [{ id: 'ask', input: { title: 'Well?' } }] },
  { id: 'victim', initialNode: 'nap', nodes: [{ id: 'nap', wait: { seconds: 60 } }] },
  { id: 'victim', initialNode: 'listen', nodes: [{ id: 'listen', wait: { event: 'news' } }] },
  { id: 'victim', initialNode: 'call', nodes: [{ id: 'call', workflow: 'healthy' }] },
];

export interface Scene {
  readonly store: Store;
  readonly victimId: string;
  readonly healthyId: string;
}

/** A store in which a run of each waits for the next engine. */
export async function makeScene(store: Store, victim: Definition): Promise<Scene> {
  const { engine, settle } = await createTestEngine({ store, scripted: ['work'] });
  await engine.register(healthy);
  await engine.register(victim);
  await engine.triggers.create({ id: 'listener', type: 'event', event: 'news', workflow: 'healthy' });
  await engine.credits.deposit('organization', 10);
  const { id: victimId } = await engine.start('victim', { given: 1 }, { trace: true });
  const { id: healthyId } = await engine.start('healthy', { given: 1 });
  await settle();
  await engine.close({ graceMs: 0 });
  return { store, victimId, healthyId };
}

interface Damage {
  readonly what: string;
  /** What the victim's reason must say; null: it need not suffer. */
  readonly reason: RegExp | null;
  readonly alterations?: Alterations;
}

export async function makeRowTrial(dice: Dice): Promise<Trial> {
  const victim = dice.pick(victims);
  const scene = await makeScene(memoryStore(), victim);
  const damage = await dice.pick([drawJournal, drawRun, drawRecord, drawDefinition, drawMessage])(scene, dice);
  return {
    input: () => `a run that is at ${victim.initialNode}; ${damage.what}`,
    check: () => checkDamaged(scene, damage),
  };
}

async function drawJournal({ store, victimId }: Scene, dice: Dice): Promise<Damage> {
  const rows = await store.readJournal(victimId, 1, 100);
  const chosen = dice.pick(rows) ?? rows[0];
  const field = dice.pick(['events', 'hash', 'seq', 'at'] as const);
  const damaged = { events: damageText(chosen?.events ?? '', dice), hash: 'x', seq: 77, at: 5 }[field];
  const alter = (runId: string, row: { readonly seq: number }) =>
    runId === victimId && row.seq === chosen?.seq ? { ...row, [field]: damaged } : row;
  const what = `${field} of journal row ${chosen?.seq} is ${show(damaged, 400)}`;
  return { what, reason: /journal/, alterations: { journal: alter as never } };
}

function drawRun({ victimId }: Scene, dice: Dice): Damage {
  const [field, damaged] = dice.pick<readonly [string, string | number]>([
    ['seq', 99],
    ['head', 'x'],
    ['workflow', 'nobody'],
    ['version', 99],
    ['result', '{'],
    ['status', 'constructor'],
    ['quarantine', 'was set aside before'],
  ]);
  const alterations: Alterations = { run: (row) => (row.runId === victimId ? { ...row, [field]: damaged } : row) };
  const isTold = field === 'seq' || field === 'head';
  return { what: `${field} of its row is ${damaged}`, reason: isTold ? /journal/ : null, alterations };
}

async function drawRecord({ store, victimId }: Scene, dice: Dice): Promise<Damage> {
  const kinds = ['prompt', 'open-prompt', 'trigger', 'account', 'wait', 'trace'];
  const kind = dice.pick(kinds) ?? 'prompt';
  const rows = await store.listRecords(kind, { limit: 10 });
  const chosen = dice.pick(rows);
  const damaged = tearText(chosen?.value ?? '{}', dice);
  const alterations: Alterations = {
    record: (row) => (row.kind === kind && row.key === chosen?.key ? { ...row, value: damaged } : row),
  };
  return {
    what: `${kind} ${chosen?.key.replace(victimId, '<run>')} is ${show(damaged, 400)}`,
    reason: null,
    alterations,
  };
}

async function drawDefinition({ store }: Scene, dice: Dice): Promise<Damage> {
  const row = (await store.findDefinition('victim', null)) as DefinitionRow;
  const body = damageText(row.body, dice);
  const alterations: Alterations = { definition: (one) => (one.id === 'victim' ? { ...one, body } : one) };
  return { what: `its definition is ${show(body, 400)}`, reason: null, alterations };
}

/** A message on its way to the victim that nobody can read. */
async function drawMessage({ store, victimId, healthyId }: Scene, dice: Dice): Promise<Damage> {
  const text = tearText('{"type":"child.ended","token":1,"childRunId":"c","status":"completed","output":{}}', dice);
  const to = dice.pick([victimId, 'nobody', '/ledger', healthyId]);
  const row = { id: 'm1', to, message: text };
  await store.commit({ runs: [], journal: [], outboxAdded: [row], outboxDone: [], keys: [], records: [] });
  return { what: `a message to ${to === victimId ? 'it' : to} is ${show(text, 400)}`, reason: null };
}

export async function checkDamaged(
  { store, victimId, healthyId }: Scene,
  { reason, alterations = {} }: Damage,
): Promise<string | null> {
  const errors: unknown[] = [];
  const second = await createTestEngine({
    store: damagedStore(store, alterations),
    scripted: ['work'],
    onError: (error) => errors.push(error),
  });
  await second.settle();
  const asked = await askAll(second, victimId);
  const found = asked ?? (await checkVictim(second, victimId, reason)) ?? (await checkOthers(second, healthyId));
  await second.engine.close({ graceMs: 0 });
  return found ?? errors.map(checkReport).find((one) => one !== null) ?? null;
}

/** Whatever is asked of the run is answered, or refused with a typed error. */
async function askAll({ engine, clock, settle }: TestEngine, runId: string): Promise<string | null> {
  const run = engine.run(runId);
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    summary: () => run.summary(),
    state: () => run.state(),
    tokens: () => run.tokens(),
    nodes: () => run.nodes(),
    prompts: () => run.prompts(),
    allPrompts: () => engine.prompts(),
    events: () => run.events({ follow: false }).next(),
    trace: () => run.trace({ follow: false }).next(),
    runs: () => engine.runs({ subRuns: true }),
    definitions: () => engine.definitions(),
    triggers: () => engine.triggers.list(),
    balance: () => engine.credits.balance('organization'),
    publish: () => engine.publish('news', {}),
    start: () => engine.start('victim', {}),
    audit: () => engine.audit(),
    simulate: () => engine.introspection.simulateSynchronization(runId),
  };
  for (const [name, ask] of Object.entries(questions)) {
    try {
      await ask();
    } catch (error) {
      if (!isTyped(error)) return `Expected ${name} to answer, or a typed error, but found ${describeError(error)}`;
    }
  }
  await clock.advanceTo(clock.now() + 61_000);
  await settle();
  return null;
}

const isTyped = (error: unknown): boolean =>
  (error instanceof HeddleError || error instanceof StoreError) && error.message.startsWith('Expected ');

async function checkVictim({ engine }: TestEngine, runId: string, reason: RegExp | null): Promise<string | null> {
  if (reason === null) return null;
  const { quarantine } = await engine.run(runId).summary();
  if (quarantine === null || !reason.test(quarantine))
    return `Expected the run to be set aside by ${reason}, but found ${quarantine}`;
  const { problems } = await engine.audit();
  return problems.some((problem) => problem.runId === runId)
    ? null
    : 'Expected the audit to name the run, but it does not';
}

async function checkOthers({ engine, script, settle }: TestEngine, runId: string): Promise<string | null> {
  for (const call of script.open('work')) call.complete({ x: 1 });
  await settle();
  const { status, output, quarantine } = await engine.run(runId).summary();
  const isDone = status === 'completed' && show(output) === '{"x":1}' && quarantine === null;
  return isDone ? null : `Expected the other run to go on, but it is ${status}: ${quarantine}`;
}

/** What is told to `onError` says what is wrong in words. */
function checkReport(error: unknown): string | null {
  const isReadable = error instanceof Error && error.message.includes('Expected ');
  return isReadable ? null : `Expected a report that says what is wrong, but found ${describeError(error)}`;
}
