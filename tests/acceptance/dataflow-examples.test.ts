import { expect, test } from 'vitest';
import { dataflowStep } from '../../packages/heddle/src/dialects.ts';
import {
  begin,
  checkLists,
  failed,
  graph,
  node,
  nodeStatuses,
  num,
  options,
  report,
  skipped,
  trackingOf,
} from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';

/** 5, add 3, times 2. */
const chain = graph(
  [num('num1', 5), node('add', 'add', { b: 3 }), node('mult', 'multiply', { b: 2 })],
  ['num1.value->add.a', 'add.result->mult.a'],
);

/** 10 / 0, then add 5. */
const division = graph(
  [num('num1', 10), num('num2', 0), node('div', 'divide'), node('add', 'add', { b: 5 })],
  ['num1.value->div.a', 'num2.value->div.b', 'div.result->add.a'],
);

const missing = (type: string) => graph([num('num1', 5), node('add', type)], ['num1.value->add.a']);

onEveryHost('dataflow: the examples', (host) => {
  test('[T129][T072][T077][T112] 5, add 3, times 2', async () => {
    const t = await host.open(options);
    const run = await begin(t, chain);
    const found = await run.dataflow();
    expect(trackingOf(found)).toEqual({
      executedNodes: ['num1', 'add', 'mult'],
      nodeOutputs: { num1: { value: 5 }, add: { result: 8 }, mult: { result: 16 } },
      skippedNodes: [],
      nodeErrors: {},
    });
    expect(found.status).toBe('completed');
    expect(await run.summary()).toMatchObject({ status: 'completed', output: found.nodeOutputs });
  });

  test('[T130][T131][T078][T096][T113][DA1][DA2] 10 / 0, then add', async () => {
    const t = await host.open(options);
    const run = await begin(t, division);
    const found = await run.dataflow();
    expect(trackingOf(found)).toEqual({
      executedNodes: ['num1', 'num2'],
      nodeOutputs: { num1: { value: 10 }, num2: { value: 0 } },
      skippedNodes: ['add'],
      nodeErrors: { div: 'Division by zero' },
    });
    expect(found.nodes).toEqual([
      { nodeId: 'num1', status: 'completed', outputs: { value: 10 } },
      { nodeId: 'num2', status: 'completed', outputs: { value: 0 } },
      failed('div', 'Division by zero'),
      skipped('add', 'div'),
    ]);
    expect(found.status).toBe('error');
    expect(await run.summary()).toMatchObject({ status: 'failed', error: { code: 'NODES_FAILED' } });
  });

  test('[T132][T099][T097] add with missing b that validates', async () => {
    const t = await host.open(options);
    const found = await report(t, missing('add'));
    expect(trackingOf(found)).toEqual({
      executedNodes: ['num1'],
      nodeOutputs: { num1: { value: 5 } },
      skippedNodes: [],
      nodeErrors: { add: 'Missing required input: b' },
    });
    expect([found.status, ...nodeStatuses(found)]).toEqual(['error', 'num1:completed', 'add:failed']);
  });

  test('[T133][T101][DA39] add with missing b that tolerates', async () => {
    const t = await host.open(options);
    const found = await report(t, missing('looseAdd'));
    expect(trackingOf(found)).toEqual({
      executedNodes: ['num1', 'add'],
      nodeOutputs: { num1: { value: 5 }, add: { result: { $number: 'NaN' } } },
      skippedNodes: [],
      nodeErrors: {},
    });
    expect([found.status, ...nodeStatuses(found)]).toEqual(['completed', 'num1:completed', 'add:completed']);
  });

  test('[T128][DA43] the result of a node is found by the name of its step', async () => {
    const t = await host.open(options);
    const found = await report(t, division);
    checkLists(found);
    expect(dataflowStep(found, 'run node num1')).toEqual({
      nodeId: 'num1',
      status: 'completed',
      outputs: { value: 10 },
    });
    expect(dataflowStep(found, 'run node add')).toEqual(skipped('add', 'div'));
    expect([dataflowStep(found, 'run node x'), dataflowStep(found, 'add')]).toEqual([undefined, undefined]);
  });
});
