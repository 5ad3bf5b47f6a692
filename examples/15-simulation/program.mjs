// Two shops under the same thousand faulty worlds: one charges whenever it is asked, the other once for each key.
import { readFile } from 'node:fs/promises';
import { simulate } from 'heddle/testing';

const definition = JSON.parse(await readFile(new URL('workflow.json', import.meta.url), 'utf8'));

// Created for every run, so that no run sees the card of another.
const shop = (remembersKeys) => () => {
  const keys = new Set();
  let charged = 0;
  const charge = ({ input, idempotencyKey }) => {
    if (!remembersKeys || !keys.has(idempotencyKey)) charged += input.total;
    keys.add(idempotencyKey);
    return { charged };
  };
  return { actions: { charge, ship: () => ({}) } };
};

const outcomes = {};
for (const [name, remembersKeys] of Object.entries({ careless: false, careful: true })) {
  const { violation } = await simulate({
    definitions: [definition],
    input: { total: 12 },
    actions: shop(remembersKeys),
    invariants: ['state.charged <= input.total'],
    runs: 1_000,
  });
  if (violation) process.stderr.write(`${name}: ${violation.message}\n${violation.text}\n`);
  outcomes[name] = violation ? 'charged twice' : 'holds';
}
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
