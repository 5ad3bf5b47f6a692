// Plays a scenario to its end: a run by a script that answers every action, undisturbed, or with an engine that dies at
// every step, or with a run that fails at every step and is retried.

import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { Limits } from '../../packages/heddle/src/definition/limits.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { AcceptanceHost } from './hosts.testsuite.ts';
import { type Fields, register, scripted } from './token-engine.testsuite.ts';

export interface Scenario {
  /** The first one is started; the others are its sub-workflows. */
  readonly definitions: readonly [Fields, ...Fields[]];
  readonly input?: unknown;
  /** What an action answers; what it throws is its failure. */
  readonly reply: (call: ScriptedCall) => unknown;
  /** Which of the waiting calls is answered first; by workflow, node and input if absent. */
  readonly rank?: (call: ScriptedCall) => number;
  readonly limits?: Partial<Limits>;
}

export type Disturbance =
  | 'undisturbed'
  /** The engine dies before every step, with whatever is under way. */
  | 'restarts'
  /** Before every answer an action fails and with it the run, which is then retried. */
  | 'retries'
  /** Every answer comes while the run is paused, and the engine dies before it goes on. */
  | 'pauses';

const stepsMax = 400;
/** A task that is under way through a whole scenario is lost at every step of it. */
const optionsOf = ({ limits }: Scenario) => ({ ...scripted, limits: { dispatchesMax: 10_000, ...limits } });

/** What a run came to: the same with restarts and without, or something was lost, repeated or reordered. */
export async function playScenario(host: AcceptanceHost, scenario: Scenario, how: Disturbance): Promise<Fields> {
  const options = optionsOf(scenario);
  let t = await host.open(options);
  await register(t.engine, ...scenario.definitions.toReversed());
  let { id } = await t.engine.start(String(scenario.definitions[0]['id']), scenario.input ?? {});
  await t.settle();
  for (let step = 0; step < stepsMax; step++) {
    if (how === 'restarts') {
      t = await host.restart(t, options);
      await t.settle();
    }
    if (how === 'retries') id = await failAndRetry(t, t.engine.run(id), scenario);
    const isPaused = how === 'pauses' && nextCall(t, scenario) !== undefined;
    if (isPaused) await settled(t, t.engine.run(id).pause());
    if (!(await takeStep(t, scenario))) return outcomeOf(t, t.engine.run(id));
    if (isPaused) {
      t = await host.restart(t, options);
      await settled(t, t.engine.run(id).resume());
    }
  }
  throw new Error(`Expected the run to end within ${stepsMax} steps, but it did not`);
}

/** What is left of a run that is cancelled after each of its steps: nothing may be. */
export async function cancelAfterEachStep(host: AcceptanceHost, scenario: Scenario): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let steps = 0, isOver = false; !isOver && steps < stepsMax; steps += host.stride) {
    const t = await host.open(optionsOf(scenario));
    await register(t.engine, ...scenario.definitions.toReversed());
    const run = await t.engine.start(String(scenario.definitions[0]['id']), scenario.input ?? {});
    await t.settle();
    for (let step = 0; step < steps; step++) isOver = !(await takeStep(t, scenario));
    const { applied } = await settled(t, run.cancel('enough'));
    faults.push(...(await leftOvers(t)).map((fault) => `after ${steps} steps: ${fault}`));
    if (!applied && !isOver && (await run.status()) !== 'completed') faults.push(`after ${steps} steps: not cancelled`);
    await t.engine.close({ graceMs: 0 });
  }
  return faults;
}

async function leftOvers(t: TestEngine): Promise<string[]> {
  const { problems } = await t.engine.audit();
  const faults = problems.map(({ message }) => message);
  const isTerminal = (status: string) => ['completed', 'cancelled', 'failed', 'timed_out'].includes(status);
  for (const { runId, workflow, status, nextTimerAt } of await t.engine.runs({ subRuns: true, limit: 500 })) {
    if (!isTerminal(status)) faults.push(`run of ${workflow} is ${status}`);
    if (nextTimerAt !== null) faults.push(`run of ${workflow} has a timer`);
    const live = (await t.engine.run(runId).tokens()).filter((token) => !isTerminal(token.status));
    faults.push(...live.map(({ node, status: s }) => `token at ${node} of ${workflow} is ${s}`));
  }
  const open = t.script.calls.filter((call) => !call.isAnswered && !call.signal.aborted);
  return [...faults, ...open.map(({ nodeId }) => `the action at ${nodeId} was not aborted`)];
}

async function settled<T>(t: TestEngine, doing: Promise<T>): Promise<T> {
  const done = await doing;
  await t.settle();
  return done;
}

/** Fails the call that would be answered next, and goes on with a retry of the run. */
async function failAndRetry(t: TestEngine, run: Run, scenario: Scenario): Promise<string> {
  const call = nextCall(t, scenario);
  if (!call) return run.id;
  call.fail(Object.assign(new Error('planted'), { retryable: false }));
  await t.settle();
  const { status, error } = await run.summary();
  if (status !== 'failed' || !error.message.includes('planted')) {
    throw new Error(
      `Expected the failure at node ${call.nodeId} to fail the run, but it is ${status}: ${error?.message}`,
    );
  }
  const { id } = await run.retry();
  await t.settle();
  return id;
}

/** Answers one call, or moves on to the next alarm; false if there is neither. */
async function takeStep(t: TestEngine, scenario: Scenario): Promise<boolean> {
  const call = nextCall(t, scenario);
  const nextAt = t.clock.nextAt;
  if (!call && nextAt === null) return false;
  if (call) {
    answerBy(scenario.reply, call);
    await t.settle();
  } else await t.advance(Math.max((nextAt ?? 0) - t.clock.now(), 0));
  return true;
}

function nextCall(t: TestEngine, { rank = () => 0 }: Scenario): ScriptedCall | undefined {
  const open = t.script.calls.filter((call) => !call.isAnswered && !call.signal.aborted);
  return open.toSorted((a, b) => rank(a) - rank(b) || keyOf(a).localeCompare(keyOf(b)))[0];
}

const keyOf = ({ workflow, nodeId, input, tokenId }: ScriptedCall): string =>
  JSON.stringify([workflow, nodeId, input, tokenId]);

function answerBy(reply: Scenario['reply'], call: ScriptedCall): void {
  try {
    call.complete(reply(call));
  } catch (error) {
    call.fail(error);
  }
}

async function outcomeOf(t: TestEngine, run: Run): Promise<Fields> {
  const { status, output, error } = await run.summary();
  const { state } = await run.state();
  const tokens = (await run.tokens()).map((token) => ({
    ...token,
    error: token.error?.code,
    createdAt: undefined,
    endedAt: undefined,
    arrivedAt: undefined,
  }));
  const runs = await t.engine.runs({ subRuns: true, limit: 500 });
  const children = runs
    .filter(({ runId }) => runId !== run.id)
    .map((child) => JSON.stringify([child.workflow, child.status, child.output ?? null]))
    .toSorted();
  const { problems } = await t.engine.audit();
  const outcome = JSON.stringify({ status, output, error: error?.code, state, tokens, children, problems });
  // Run ids differ from play to play; nothing else may.
  return JSON.parse(runs.reduce((text, { runId }) => text.replaceAll(runId, 'RUN'), outcome)) as Fields;
}
