import { describe, expect, test } from 'vitest';
import { allFaults } from './faults.ts';
import { type SimulateOptions, simulate } from './simulate.ts';

const pay = {
  id: 'pay',
  initialNode: 'charge',
  nodes: [
    {
      id: 'charge',
      action: 'charge',
      retry: { maxAttempts: 3 },
      outputMapping: { 'state.charged': 'result.count' },
    },
    { id: 'ship', action: 'ship' },
  ],
  transitions: [{ from: 'charge', to: 'ship' }],
};

/** Charges whoever asks; a careful one remembers the key. */
const shop = (isCareful: boolean) => () => {
  const charged = new Set<string>();
  let count = 0;
  const charge = ({ idempotencyKey }: { readonly idempotencyKey: string }) => {
    if (!isCareful || !charged.has(idempotencyKey)) count++;
    charged.add(idempotencyKey);
    return { count };
  };
  return { actions: { charge, ship: () => ({}) } };
};

const options = (more: Partial<SimulateOptions>): SimulateOptions => ({
  definitions: [pay],
  actions: shop(true),
  runs: 150,
  ...more,
});

describe('simulate', () => {
  test('[SM5] what holds, holds in every run, and all that can go wrong did', async () => {
    const { runs, statuses, faults, unseen, violation } = await simulate(
      options({ invariants: ['state.charged <= 1'] }),
    );
    expect({ runs, unseen, violation }).toEqual({ runs: 150, unseen: [], violation: null });
    expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(150);
    expect(statuses['completed']).toBeGreaterThan(120);
    for (const fault of ['crash', 'crash-after-commit', 'store-fails', 'failing-worker', 'zombie'])
      expect([fault, faults[fault]]).toEqual([fault, expect.any(Number)]);
  });

  test('[SM6] an action that forgets its key is found, and told as the shortest story', async () => {
    const { violation } = await simulate(options({ actions: shop(false), invariants: ['state.charged <= 1'] }));
    expect(violation).toMatchObject({
      invariant: 'state.charged <= 1',
      message: 'it is false with state {"charged":2}',
    });
    const story = violation?.timeline.map(({ what }) => what) ?? [];
    expect(story.length).toBeLessThan(15);
    expect(story.filter((what) => what.startsWith('a worker begins with charge'))).toHaveLength(2);
    expect(violation?.text.split('\n')).toHaveLength(story.length);
    expect(violation?.text).toContain('task.dispatched');
  });

  test('[SM1] the same seed tells the same, to the letter', async () => {
    const one = await simulate(options({ actions: shop(false), invariants: ['state.charged <= 1'], seed: 40 }));
    const two = await simulate(options({ actions: shop(false), invariants: ['state.charged <= 1'], seed: 40 }));
    expect(two).toEqual(one);
    const again = await simulate(
      options({ actions: shop(false), invariants: ['state.charged <= 1'], seed: one.violation?.seed ?? 0, runs: 1 }),
    );
    expect(again.violation).toEqual(one.violation);
  });

  test('[SM5] an invariant about what never is there is told; one that cannot be read is refused', async () => {
    expect(await simulate(options({ invariants: ['state.chargd <= 1'], runs: 5 }))).toMatchObject({
      unseen: ['state.chargd <= 1'],
      violation: null,
    });
    await expect(simulate(options({ invariants: ['statu.charged <= 1'] }))).rejects.toMatchObject({
      code: 'INVARIANT_INVALID',
      message: expect.stringContaining('Did you mean "state"?'),
    });
  });

  test('[SM5] status, calls, input and output can be spoken of', async () => {
    const { violation } = await simulate(
      options({ invariants: ['status != "completed" || calls.ship >= 2 || size(input) > 0'], faults: [], runs: 3 }),
    );
    expect(violation?.message).toBe('it is false with input {}, status "completed", calls {"charge":1,"ship":1}');
  });

  test('[SM7] a run that does not end is told, with what it waits for', async () => {
    const ask = { id: 'ask', initialNode: 'q', nodes: [{ id: 'q', wait: { event: 'paid' } }] };
    const { violation } = await simulate({ definitions: [ask], runs: 2, faults: [] });
    expect(violation).toMatchObject({
      invariant: 'every run ends',
      message: 'ask is suspended: q is waiting for event',
    });
    const events = [{ name: 'paid', payload: {} }];
    expect(await simulate({ definitions: [ask], runs: 20, events })).toMatchObject({ violation: null });
  });

  test('[SM4] prompts are answered, sub-workflows called, in every kind of trouble', async () => {
    const child = {
      id: 'child',
      initialNode: 'c',
      nodes: [{ id: 'c', action: 'ship', outputMapping: { 'output.ok': 'true' } }],
    };
    const parent = {
      id: 'parent',
      initialNode: 'ask',
      nodes: [
        { id: 'ask', input: true, outputMapping: { 'state.answer': 'result' } },
        { id: 'call', workflow: 'child', outputMapping: { 'state.ok': 'result.ok' } },
      ],
      transitions: [{ from: 'ask', to: 'call' }],
    };
    const found = await simulate({
      definitions: [child, parent],
      actions: { actions: { ship: () => ({}) } },
      reply: () => ({ yes: true }),
      invariants: ['state.answer.yes', 'status != "completed" || state.ok'],
      faults: allFaults.filter((fault) => fault !== 'failing-worker' && fault !== 'garbled-result'),
      runs: 150,
    });
    expect(found).toMatchObject({ runs: 150, statuses: { completed: 150 }, violation: null });
  });

  test('a definition that cannot be registered is refused with its pointer', async () => {
    const definitions = [{ id: 'w', initialNode: 'nobody', nodes: [{ id: 'a' }] }] as const;
    await expect(simulate({ definitions })).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
      message: expect.stringContaining('at "/initialNode"'),
    });
  });
});
