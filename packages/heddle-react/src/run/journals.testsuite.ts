// Journals of real runs, for tests: what the engine has recorded, and what it is drawn on.

import { type Actions, createEngine, type Json, type JsonObject } from 'heddle';
import type { Journal } from './journal-source.ts';

export async function journalOf(definition: JsonObject, input: Json, actions: Actions = {}): Promise<Journal> {
  const engine = await createEngine({ actions });
  try {
    const { id } = await engine.register(definition);
    const run = await engine.start(id ?? '', input);
    await run.result();
    const { drawing } = await run.view();
    const events = [];
    for await (const event of run.events()) events.push(event);
    return { definition, drawing, events };
  } finally {
    await engine.close();
  }
}

/** Branches of a foreach, some of which fail, joined, after a loop of three rounds. */
export const roundsThenFanOut: JsonObject = {
  id: 'rounds-then-fan-out',
  initialNode: 'count',
  nodes: [
    { id: 'count', outputMapping: { 'state.n': '(has(state.n) ? state.n : 0) + 1' } },
    { id: 'open', name: 'Open the orders' },
    { id: 'price', action: 'price', inputMapping: { n: 'item' }, outputMapping: { 'state.price': 'result.price' } },
    { id: 'sum', outputMapping: { 'output.prices': 'state.prices' } },
  ],
  transitions: [
    { from: 'count', to: 'count', loop: { maxIterations: 9 }, condition: 'state.n < 3', priority: 1 },
    { from: 'count', to: 'open', priority: 2 },
    {
      from: 'open',
      to: 'price',
      foreach: { collection: 'input.items', itemVar: 'item' },
      siblingGroup: 'orders',
      onBranchFailure: 'end',
    },
    {
      from: 'price',
      to: 'sum',
      synchronization: {
        siblingGroup: 'orders',
        merge: { source: '_branch.output.price', target: 'state.prices', strategy: 'append' },
      },
    },
  ],
};

export const pricing: Actions = {
  price: ({ input }) => {
    const { n } = input as { n: number }; // as it is mapped
    if (n === 2) throw Object.assign(new Error('No price for 2'), { code: 'NO_PRICE' });
    return { price: n * 10 };
  },
};
