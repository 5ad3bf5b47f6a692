// What the acceptance tests of the token engine share: small definitions, answers to scripted actions, and looks at a
// run. Every action of these tests is called `work` and waits for the test.

import { expect } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { Event, EventType } from '../../packages/heddle/src/core/events.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Engine } from '../../packages/heddle/src/engine/engine.ts';
import type { TokenInfo } from '../../packages/heddle/src/operations/run-views.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';

export const scripted = { scripted: ['work'] } as const;

export type Fields = Readonly<Record<string, unknown>>;

/** A node whose work the test does; it tells the test the index of its branch. */
export const work = (id: string, more: Fields = {}): Fields => ({ id, action: 'work', ...more });

/** A node whose work the test does, and whose whole result is kept as `state.<key>`. */
export const keep = (id: string, key: string, more: Fields = {}): Fields =>
  work(id, { outputMapping: { [`state.${key}`]: `result.${key}` }, ...more });

/** A node that knows its branch. */
export const branchWork = (id: string, more: Fields = {}): Fields =>
  work(id, { inputMapping: { index: '_branch.index' }, outputMapping: { 'state.value': 'result.value' }, ...more });

export const go = (from: string, to: string, more: Fields = {}): Fields => ({ from, to, ...more });

export const spawn = (from: string, to: string, count: number, group: string, more: Fields = {}): Fields =>
  go(from, to, { spawnCount: count, siblingGroup: group, ...more });

export const each = (from: string, to: string, collection: string, group: string, more: Fields = {}): Fields =>
  go(from, to, { foreach: { collection, itemVar: 'item' }, siblingGroup: group, ...more });

/** A join over a named group, with what its transitions say of it. */
export const join = (
  from: string,
  to: string,
  group: string,
  synchronization: Fields = {},
  more: Fields = {},
): Fields => go(from, to, { synchronization: { siblingGroup: group, strategy: 'all', ...synchronization }, ...more });

export const merge = (source: string, target: string, strategy = 'append'): Fields => ({
  merge: { source, target, strategy },
});

/** Begins at its first node; ids alone stand for pass-through nodes. */
export function workflow(
  id: string,
  nodes: readonly (string | Fields)[],
  transitions: readonly Fields[] = [],
  more: Fields = {},
): Fields {
  const made = nodes.map((node) => (typeof node === 'string' ? { id: node } : node));
  return { id, initialNode: made[0]?.['id'], nodes: made, transitions, ...more };
}

export async function register(engine: Engine, ...definitions: readonly unknown[]): Promise<void> {
  for (const definition of definitions) {
    const { problems } = await engine.register(definition);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
}

/** Registers the definition, starts it, and lets it go as far as it can. */
export async function launch(test: TestEngine, definition: Fields, input: unknown = {}): Promise<Run> {
  await register(test.engine, definition);
  const run = await test.engine.start(String(definition['id']), input);
  await test.settle();
  return run;
}

// -------------------------------------------------------------------------------------------------------- answers

/** The calls that wait for the test at a node, those that are no longer wanted left out. */
export function callsAt(test: TestEngine, node: string, input: Fields = {}): ScriptedCall[] {
  return test.script.calls.filter(
    (call) =>
      !call.isAnswered &&
      !call.signal.aborted &&
      call.nodeId === node &&
      Object.entries(input).every(([key, value]) => JSON.stringify(call.input[key]) === JSON.stringify(value)),
  );
}

export function callAt(test: TestEngine, node: string, input: Fields = {}): ScriptedCall {
  const [call] = callsAt(test, node, input);
  if (call) return call;
  const open = test.script.calls.filter(({ isAnswered }) => !isAnswered).map(({ nodeId }) => nodeId);
  throw new Error(
    `Expected a call at node ${node} with ${JSON.stringify(input)}, but there is none (open: ${open.join(', ')})`,
  );
}

/** Answers the oldest call at a node (with this input) and lets the run go on. */
export async function answer(test: TestEngine, node: string, output: unknown = {}, input: Fields = {}): Promise<void> {
  callAt(test, node, input).complete(output);
  await test.settle();
}

export async function fail(
  test: TestEngine,
  node: string,
  error: unknown = new Error('no'),
  input: Fields = {},
): Promise<void> {
  callAt(test, node, input).fail(error);
  await test.settle();
}

/** Answers the branches at a node in the given order: each with `{ value: 'v<index>' }`. */
export async function answerBranches(test: TestEngine, node: string, indices: readonly number[]): Promise<void> {
  for (const index of indices) await answer(test, node, { value: `v${index}` }, { index });
}

// ---------------------------------------------------------------------------------------------------------- looks

export async function ended(run: Run): Promise<{ status: string; output: unknown; error: unknown }> {
  const { status, output, error } = await run.summary();
  return { status, output, error };
}

export async function stateOf(run: Run): Promise<unknown> {
  return (await run.state()).state;
}

/** Every token as `node:status`, in order of creation. */
export async function visits(run: Run): Promise<string[]> {
  return (await run.tokens()).map(({ node, status }) => `${node}:${status}`);
}

export async function tokensAt(run: Run, node: string): Promise<TokenInfo[]> {
  return (await run.tokens()).filter((token) => token.node === node);
}

export async function eventsOf<T extends EventType>(
  run: Run,
  ...types: readonly T[]
): Promise<(RunEvent & Extract<Event, { type: T }>)[]> {
  const found: RunEvent[] = [];
  for await (const event of run.events({ follow: false })) found.push(event);
  // The filter keeps just the types asked for; with none given, all.
  return found.filter(({ type }) => types.length === 0 || (types as readonly string[]).includes(type)) as (RunEvent &
    Extract<Event, { type: T }>)[];
}
