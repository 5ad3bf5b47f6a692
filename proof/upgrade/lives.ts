// Lives: an engine on a store in a file, on virtual time. The first life makes what is recorded: ten minutes, a restart
// in the middle, and a death at the end that leaves a message on its way.

import type { Commit, Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import {
  type Deed,
  deeds,
  type FirstStart,
  recordedAtMinute,
  restartAtMinute,
  tokenStarts,
  waitingStarts,
} from './first-life.ts';
import { tokenWorkflows } from './token-workflows.ts';
import { executors, triggers, waitingWorkflows } from './waiting-workflows.ts';

const minuteMs = 60_000;

/** Before the restart nobody has the action that one of the runs needs. */
export async function openLife(store: Store, clock: VirtualClock, isComplete = true): Promise<TestEngine> {
  const actions = { 'work.in_steps': workInSteps, ...(isComplete ? { 'late.work': () => ({}) } : {}) };
  return createTestEngine({ store, clock, executors, actions, missingActions: 'wait' });
}

/** The second attempt is given what the first has finished. */
async function workInSteps({ step, attempt }: ActionContext): Promise<JsonObject> {
  const paid = await step.run('pay', () => attempt);
  if (attempt === 1) throw new Error('once more');
  return { paid };
}

/** What is under way in the end is left so. */
export async function liveFirst(file: string, clock: VirtualClock): Promise<void> {
  let life = await openLife(await openSqliteStore(file), clock, false);
  await registerAll(life);
  const runs = new Map<string, string>();
  for (const start of [...tokenStarts, ...waitingStarts]) runs.set(start.name, await begin(life, start));
  for (let minute = 1; minute <= recordedAtMinute; minute++) {
    await life.advance(minuteMs);
    for (const deed of deeds) if (deed.atMinute === minute) await perform(life, runs.get(deed.run) ?? '', deed);
    await life.settle();
    if (minute !== restartAtMinute) continue;
    await life.engine.close({ graceMs: 0 });
    life = await openLife(await openSqliteStore(file), clock);
  }
  await life.engine.close({ graceMs: 0 });
  await dieSending(file, clock.now());
}

async function registerAll({ engine }: TestEngine): Promise<void> {
  for (const definition of [...tokenWorkflows, ...waitingWorkflows]) {
    const { problems } = await engine.register(definition);
    const error = problems.find(({ severity }) => severity === 'error');
    if (error)
      throw new Error(
        `Expected a definition without errors, but ${definition.id}${error.pointer} has one: ${error.message}`,
      );
  }
  for (const trigger of triggers) await engine.triggers.create(trigger);
  await engine.credits.deposit('acme', 100);
}

async function begin({ engine }: TestEngine, { workflow, input, name, organization }: FirstStart): Promise<string> {
  const whose = organization === undefined ? {} : { organization };
  const { id } = await engine.start(workflow, input, { idempotencyKey: name, tags: { name }, ...whose });
  return id;
}

async function perform({ engine }: TestEngine, runId: string, { does }: Deed): Promise<void> {
  const run = engine.run(runId);
  if (does === 'pause') await run.pause();
  else if (does === 'resume') await run.resume();
  else if (does === 'cancel') await run.cancel('not wanted any more');
  else if (does === 'retry') await run.retry();
  else if (does === 'publish') await engine.publish('ready', { by: 'Ada' }, { correlation: 'A2', id: 'first' });
  else await answer(run);
}

async function answer(run: Run): Promise<void> {
  for (const { correlationId } of await run.prompts()) await run.reply(correlationId, { approved: true });
}

/** A process that dies after the commit of a start, and before the sub-run hears of it. On a clock of its own. */
async function dieSending(file: string, at: number): Promise<void> {
  const store = await openSqliteStore(file);
  let die = (): void => undefined;
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  let isDead = false;
  const commitOnce = async (commit: Commit): Promise<void> => {
    if (isDead) return new Promise(() => undefined);
    await store.commit(commit);
    isDead = commit.outboxAdded.some(({ message }) => message.includes('"type":"start"'));
    if (isDead) die();
  };
  const life = await openLife({ ...store, commit: commitOnce }, new VirtualClock(at));
  await begin(life, { name: 'sending', workflow: 'grandparent', input: { n: 6, ms: 0 } });
  await death;
  await store.close();
}
