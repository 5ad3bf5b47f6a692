// What the tests through the engine share: an engine with registered definitions, and a test that plays the world.

import { expect } from 'vitest';
import type { JsonObject, Run, RunEvent, TokenInfo } from '../../packages/heddle/src/exports.ts';
import type { ScriptedCall, TestEngine, TestEngineOptions } from '../../packages/heddle/src/testing.ts';
import type { AcceptanceHost } from './hosts.testsuite.ts';

/** An engine whose action `work` waits for the test, with these definitions. */
export async function openWith(
  host: AcceptanceHost,
  definitions: readonly unknown[],
  options: TestEngineOptions = {},
): Promise<TestEngine> {
  const test = await host.open({ scripted: ['work'], ...options });
  for (const definition of definitions) {
    const { problems } = await test.engine.register(definition);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
  return test;
}

export async function startRun(test: TestEngine, workflow: string, input: JsonObject = {}): Promise<Run> {
  const run = await test.engine.start(workflow, input);
  await test.settle();
  return run;
}

/** The calls at a node that wait for an answer, the oldest first. */
export const callsAt = (test: TestEngine, nodeId: string): ScriptedCall[] =>
  test.script.open('work').filter((call) => call.nodeId === nodeId);

function callAt(test: TestEngine, nodeId: string, position: number): ScriptedCall {
  const call = callsAt(test, nodeId)[position];
  if (!call) throw new Error(`Expected call ${position} at node ${nodeId} to wait for an answer, but it does not`);
  return call;
}

/** Completes the oldest call at a node, or the one at a position among those that wait. */
export async function answer(test: TestEngine, nodeId: string, output: unknown = {}, position = 0): Promise<void> {
  callAt(test, nodeId, position).complete(output);
  await test.settle();
}

export async function refuse(test: TestEngine, nodeId: string, message = 'it broke', position = 0): Promise<void> {
  callAt(test, nodeId, position).fail(new Error(message));
  await test.settle();
}

/** The journal so far. */
export async function journalOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  return events;
}

export const journalTypes = async (run: Run): Promise<string[]> => (await journalOf(run)).map(({ type }) => type);

export async function journaled<T extends RunEvent['type']>(
  run: Run,
  type: T,
): Promise<Extract<RunEvent, { type: T }>[]> {
  const events = await journalOf(run);
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

export async function tokensAt(run: Run, nodeId: string): Promise<TokenInfo[]> {
  return (await run.tokens()).filter((token) => token.node === nodeId);
}

/** Those that have not ended. */
export async function liveTokens(run: Run): Promise<TokenInfo[]> {
  return (await run.tokens()).filter(({ endedAt }) => endedAt === null);
}
