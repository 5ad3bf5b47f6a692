// A node type is a function from input ports to output ports.
import { arithmeticNodes, defineNodeType, failure } from 'heddle';

export const { number, multiply, sum } = arithmeticNodes; // add, subtract and divide come with them

export const money = defineNodeType({
  inputs: { amount: { type: 'number', required: true }, currency: { type: 'string' } },
  outputs: { text: { type: 'string' } },
  run({ inputs: { amount, currency = 'USD' } }) {
    // A port without an edge or a value is undefined: the node decides whether it needs it.
    if (amount === undefined) return failure('Missing required input: amount');
    return { text: `${amount.toFixed(2)} ${currency}` };
  },
});
