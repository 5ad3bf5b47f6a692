import { describe, expect, test } from 'vitest';
import { emptyState } from '../../core/apply/apply.ts';
import { Trial } from '../../core/planning/planning.testsuite.ts';
import { runStatuses } from '../../core/views/status.ts';
import type { RunContext } from './contexts.ts';
import type { ThreadNode } from './thread.ts';
import { type ThreadsView, threadStatus, viewThreads } from './view.ts';

const thread = (nodes: readonly ThreadNode[], connectors: readonly [from: string, to: string, output?: string][]) => ({
  dialect: 'thread',
  id: 'w',
  nodes: [{ id: 'start', type: 'start' }, ...nodes],
  connectors: connectors.map(([from, to, output]) => ({ from, to, ...(output === undefined ? {} : { output }) })),
});

const look = ({ state, graph }: Trial): ThreadsView => viewThreads(state, graph);

/** Without what is the same in every view. */
const contextsIn = (trial: Trial): object[] =>
  look(trial).contexts.map((context) => (context.kind === 'workflow' ? withoutGraph(context) : context));

const withoutGraph = ({ connectors: _, limits: __, ...rest }: RunContext): object => rest;

describe('a run in the words of threads', () => {
  test('[TH31] every status has its word', () => {
    expect(runStatuses.map((status) => [status, threadStatus(status)])).toEqual([
      ['submitted', 'Created'],
      ['running', 'Running'],
      ['waiting', 'Waiting'],
      ['suspended', 'Suspended'],
      ['paused', 'Paused'],
      ['completed', 'Success'],
      ['failed', 'Failed'],
      ['cancelled', 'Cancelled'],
      ['timed_out', 'Failed'],
      ['exhausted', 'Failed'],
    ]);
  });

  test('[TH31] a run that waits only to try again is running; before its start it is created', () => {
    const node: ThreadNode = { id: 'a', type: 'action', action: 'a', retry: { maxAttempts: 2, initialDelayMs: 5 } };
    const trial = new Trial(thread([node], [['start', 'a']]));
    trial.fail(2);
    expect(look(trial)).toMatchObject({ status: 'Running', threads: [{ threadId: 2, status: 'continued' }] });
    trial.alarmAt(1_005);
    trial.complete(2, 7);
    expect(look(trial)).toMatchObject({ status: 'Success', threads: [], inputQueue: [] });
    const before = viewThreads(emptyState(), trial.graph);
    expect(before).toEqual({ runId: '', status: 'Created', contexts: [], threads: [], inputQueue: [] });
  });

  test('[TH32][TH33] a fan-out: each branch a thread in the group, who has come is complete', () => {
    const trial = new Trial(
      thread(
        [
          { id: 'f', type: 'fanOut', outputs: ['x', 'y', 'z'] },
          { id: 'a', type: 'action', action: 'a' },
          { id: 'ask', type: 'input' },
          { id: 'sub', type: 'gosub', workflow: 'other', inputs: [{ to: 'i.j', from: 'n' }] },
          { id: 'j', type: 'fanIn' },
        ],
        [
          ['start', 'f'],
          ['f', 'a', 'x'],
          ['f', 'ask', 'y'],
          ['f', 'sub', 'z'],
          ['a', 'j'],
          ['ask', 'j'],
          ['sub', 'j'],
        ],
      ),
      { input: { n: 1 } },
    );
    trial.complete(3, { done: true });
    const { threads, inputQueue, status } = look(trial);
    expect(status).toBe('Waiting');
    expect(threads).toEqual([
      { threadId: 4, node: 'ask', contextId: 'RUN0000001/group/1', status: 'suspended', context: { n: 1 } },
      { threadId: 5, node: 'sub', contextId: 'RUN0000001/group/1', status: 'waiting', context: { n: 1 } },
      {
        threadId: 6,
        node: 'j',
        contextId: 'RUN0000001/group/1',
        status: 'complete',
        context: { n: 1, output: { done: true } },
      },
    ]);
    const correlationId = inputQueue[0]?.correlationId ?? '';
    const childRunId = trial.state.tokens.get(5)?.childRunId ?? '';
    expect(inputQueue).toEqual([{ runId: 'RUN0000001', thread: 4, correlationId, isActive: true }]);
    expect(contextsIn(trial)).toEqual([
      {
        contextId: 'RUN0000001',
        parentId: null,
        kind: 'workflow',
        pendingCount: 1,
        status: 'waiting',
        mergeStrategy: 'last_wins',
        inputQueue,
      },
      {
        contextId: 'RUN0000001/group/1',
        parentId: 'RUN0000001',
        kind: 'group',
        pendingCount: 2,
        status: 'waiting',
        mergeStrategy: 'output_merge',
        node: 'f',
        ownerThread: 2,
        expectedCount: 3,
        arrivedCount: 1,
        mergedContext: { output: { done: true } },
      },
      {
        contextId: 'RUN0000001/subworkflow/5',
        parentId: 'RUN0000001/group/1',
        kind: 'subworkflow',
        pendingCount: 1,
        status: 'waiting',
        mergeStrategy: 'merge',
        childRunId,
        parentThread: 5,
        mappings: { inputs: ['i.j'], outputs: ['*'] },
        continuation: 'j',
      },
      {
        contextId: 'RUN0000001/suspension/4',
        parentId: 'RUN0000001/group/1',
        kind: 'suspension',
        pendingCount: 1,
        status: 'suspended',
        mergeStrategy: 'merge',
        awaits: 'input',
        correlationId,
        thread: 4,
        isActive: true,
      },
    ]);
    trial.send({ type: 'child.suspended', token: 5, childRunId });
    expect(contextsIn(trial).map((context) => (context as { status: string }).status)).toEqual([
      'suspended',
      'suspended',
      'suspended',
      'suspended',
    ]);
    expect(look(trial).status).toBe('Suspended');
  });

  test('[TH33] a batch: process and continue, slices that are done, under way and to come', () => {
    const trial = new Trial(
      thread(
        [
          { id: 'b', type: 'batch', items: 'list', batchSize: 2, parallelBatches: 2 },
          { id: 'a', type: 'action', action: 'a' },
          { id: 'end', type: 'end' },
        ],
        [
          ['start', 'b'],
          ['b', 'a', 'process'],
          ['b', 'end', 'continue'],
        ],
      ),
      { input: { list: [1, 2, 3, 4, 5, 6, 7] }, start: { parent: { runId: 'ABOVE', token: 9 } } },
    );
    trial.complete(3, { n: 1 });
    expect(contextsIn(trial)).toEqual([
      {
        contextId: 'RUN0000001',
        parentId: 'ABOVE/subworkflow/9',
        kind: 'workflow',
        pendingCount: 2,
        status: 'running',
        mergeStrategy: 'last_wins',
        inputQueue: [],
      },
      {
        contextId: 'RUN0000001/group/1',
        parentId: 'RUN0000001',
        kind: 'group',
        pendingCount: 3,
        status: 'running',
        mergeStrategy: 'output_merge',
        node: 'b',
        ownerThread: 2,
        expectedCount: 4,
        arrivedCount: 1,
        mergedContext: { output: { n: 1 } },
        processNode: 'a',
        continueNode: 'end',
        pendingSlices: [{ index: 3, start: 6, end: 7 }],
      },
    ]);
    expect(look(trial).threads.map(({ threadId, status, context }) => [threadId, status, context])).toEqual([
      [2, 'waiting', { list: [1, 2, 3, 4, 5, 6, 7] }],
      [4, 'continued', { list: [3, 4] }],
      [5, 'continued', { list: [5, 6] }],
    ]);
  });

  test('[TH33] the run owns the connectors and the limits that bound it', () => {
    const trial = new Trial(thread([{ id: 'a', type: 'action', action: 'a' }], [['start', 'a']]));
    const [context] = look(trial).contexts as RunContext[];
    expect(context?.connectors).toEqual([{ from: 'start', to: 'a' }]);
    expect(context?.limits).toEqual({
      nodesPerRunMax: 1_000_000,
      tokensAliveMax: 250_000,
      branchesPerFanOutMax: 100_000,
      branchDepthMax: 64,
      nestingMax: 32,
      descendantsMax: 100_000,
    });
  });

  test('[TH32][TH33] a wait for an event is a suspension too, by its name and correlation', () => {
    const trial = new Trial(
      {
        id: 'w',
        initialNode: 'e',
        nodes: [{ id: 'e', wait: { event: 'paid', correlation: 'input.order' } }],
      },
      { input: { order: 'A1' } },
    );
    expect(look(trial)).toMatchObject({
      status: 'Suspended',
      threads: [{ status: 'suspended' }],
      contexts: [{ kind: 'workflow' }, { kind: 'suspension', awaits: 'paid', correlationId: 'A1', isActive: true }],
    });
  });
});
