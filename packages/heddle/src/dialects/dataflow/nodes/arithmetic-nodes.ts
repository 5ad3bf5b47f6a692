// Arithmetic nodes: an example set of node types, enough to try a dataflow graph out. Pass them with your own:
// `nodeTypes: { ...arithmeticNodes, mine }`.

import { defineNodeType, failure, type NodeContext, type NodeType } from './node-type.ts';

const operands = {
  a: { type: 'number', required: true },
  b: { type: 'number', required: true },
} as const;
const result = { result: { type: 'number' } } as const;

type Operands = NodeContext<{ readonly a: number | undefined; readonly b: number | undefined }>;

export const arithmeticNodes: Readonly<Record<ArithmeticNode, NodeType>> = {
  /** Gives the value that it is given. */
  number: defineNodeType({
    inputs: { value: { type: 'number', required: true } },
    outputs: { value: { type: 'number' } },
    run: ({ inputs }) => ({ value: mustHave(inputs.value, 'value') }),
  }),
  add: binary((a, b) => a + b),
  subtract: binary((a, b) => a - b),
  multiply: binary((a, b) => a * b),
  divide: defineNodeType({
    inputs: operands,
    outputs: result,
    run: (context) => {
      const [a, b] = readBoth(context);
      return b === 0 ? failure('Division by zero') : { result: a / b };
    },
  }),
  /** Adds whatever there is: without an operand the result is not a number. */
  looseAdd: defineNodeType({
    inputs: { a: { type: 'number' }, b: { type: 'number' } },
    outputs: result,
    run: ({ inputs: { a, b } }) => ({ result: (a as number) + (b as number) }), // as JavaScript adds
  }),
  /** Adds up all that its edges bring. */
  sum: defineNodeType({
    inputs: { values: { type: 'number', repeated: true } },
    outputs: result,
    run: ({ inputs }) => ({ result: (inputs.values ?? []).reduce((total, value) => total + value, 0) }),
  }),
};

type ArithmeticNode = 'number' | 'add' | 'subtract' | 'multiply' | 'divide' | 'looseAdd' | 'sum';

function binary(compute: (a: number, b: number) => number): NodeType {
  return defineNodeType({
    inputs: operands,
    outputs: result,
    run: (context) => ({ result: compute(...readBoth(context)) }),
  });
}

function readBoth({ inputs }: Operands): [number, number] {
  return [mustHave(inputs.a, 'a'), mustHave(inputs.b, 'b')];
}

function mustHave(value: number | undefined, port: string): number {
  if (value === undefined) throw new Error(`Missing required input: ${port}`);
  return value;
}
