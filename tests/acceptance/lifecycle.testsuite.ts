// What the lifecycle tests share: small definitions, and reading a run's journal as plain lists.

import { expect } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Definition, SynchronizationDefinition } from '../../packages/heddle/src/definition/definition.ts';
import type { TokenInfo } from '../../packages/heddle/src/operations/run-views.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { alarmsAreMeant } from './hosts.testsuite.ts';

export interface FanOptions {
  readonly branches?: number;
  readonly synchronization?: Partial<Exclude<SynchronizationDefinition, { over: 'edges' }>>;
  readonly after?: string;
}

/** `start` fans out to `work`, whose branches meet at `join`, which is an action if `after` is given. */
export function fanDefinition({ branches = 3, synchronization = {}, after }: FanOptions = {}): Definition {
  return {
    id: 'fan',
    initialNode: 'start',
    nodes: [
      { id: 'start' },
      {
        id: 'work',
        action: 'work',
        inputMapping: { index: '_branch.index' },
        outputMapping: { 'state.value': 'result.value' },
      },
      { id: 'join', ...(after === undefined ? {} : { action: after }) },
    ],
    transitions: [
      { from: 'start', to: 'work', spawnCount: branches, siblingGroup: 'g' },
      { from: 'work', to: 'join', synchronization: { siblingGroup: 'g', strategy: 'all', ...synchronization } },
    ],
    outputMapping: { values: 'state.values' },
    ...alarmsAreMeant, // where nothing is merged
  };
}

export const appendValues = {
  source: '_branch.output.value',
  target: 'state.values',
  strategy: 'append',
} as const;

/** Registers and starts a workflow, and lets it come to rest. */
export async function launch(test: TestEngine, definition: Definition, input: unknown = {}): Promise<Run> {
  await mustRegister(test, definition);
  const run = await test.engine.start(definition.id, input);
  await test.settle();
  return run;
}

export async function mustRegister(test: TestEngine, ...definitions: readonly Definition[]): Promise<void> {
  for (const definition of definitions) {
    const { problems } = await test.engine.register(definition);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
}

/** The whole journal of a run as of now. */
export async function journalOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  return events;
}

export async function eventsOf<T extends RunEvent['type']>(
  run: Run,
  ...types: readonly T[]
): Promise<Extract<RunEvent, { type: T }>[]> {
  const wanted = new Set<string>(types);
  return (await journalOf(run)).filter(({ type }) => wanted.has(type)) as Extract<RunEvent, { type: T }>[];
}

/** `node:status` of every token, in the order of creation. */
export async function tokenList(run: Run): Promise<string[]> {
  return (await run.tokens()).map(({ node, status }) => `${node}:${status}`);
}

export async function tokensAt(run: Run, node: string): Promise<TokenInfo[]> {
  return (await run.tokens()).filter((token) => token.node === node);
}

/** Continuations come along no transition, and are not the root. */
export async function continuationsOf(run: Run): Promise<TokenInfo[]> {
  return (await run.tokens()).filter(({ via, from }) => via === null && from !== null);
}

/** Answers the open calls of `work` for the given branch indices, in that order, in one turn. */
export function completeBranches(test: TestEngine, ...indices: readonly number[]): void {
  const open = test.script.open('work');
  for (const index of indices) {
    const call = open.find(({ input }) => input.index === index);
    if (!call) throw new Error(`Expected a call for branch ${index} to wait, but none does`);
    call.complete({ value: `v${index}` });
  }
}

/** `call` runs the workflow `child`, whose only node is the action `work`. */
export function parentDefinition(call: { onFailure?: 'catch'; timeoutMs?: number } = {}): Definition {
  return {
    id: 'parent',
    initialNode: 'call',
    nodes: [
      {
        id: 'call',
        workflow: { id: 'child', ...call },
        inputMapping: { order: 'input.order' },
        outputMapping: { 'state.child': 'result' },
      },
      { id: 'after' },
    ],
    transitions: [{ from: 'call', to: 'after' }],
    outputMapping: { child: 'state.child' },
  };
}

export const childDefinition: Definition = {
  id: 'child',
  initialNode: 'task',
  nodes: [
    {
      id: 'task',
      action: 'work',
      inputMapping: { order: 'input.order' },
      outputMapping: { 'output.answer': 'result.answer' },
    },
  ],
};

/** Starts the parent and lets its child come to its task; answers with both runs. */
export async function launchParent(test: TestEngine, definition: Definition = parentDefinition()): Promise<[Run, Run]> {
  await mustRegister(test, childDefinition);
  const parent = await launch(test, definition, { order: 7 });
  const [child] = await test.engine.runs({ subRuns: true, parentRunId: parent.id });
  if (!child) throw new Error('Expected a child run, but there is none');
  return [parent, test.engine.run(child.runId)];
}
