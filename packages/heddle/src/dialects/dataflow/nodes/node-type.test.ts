import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Json } from '../../../base/json.ts';
import type { ObjectReference } from '../../../base/object-reference.ts';
import type { ActionContext } from '../../../executor/action.ts';
import { arithmeticNodes } from './arithmetic-nodes.ts';
import { addNodeTypes, catalogueOf, defineNodeType, failure, type NodeOutputs, type NodeType } from './node-type.ts';

/** What the executor would call it with. */
const call = (type: NodeType, input: Readonly<Record<string, Json>> = {}) =>
  type.run({ input, nodeId: 'n', runId: 'r', attempt: 1 } as unknown as ActionContext);

const nothing = defineNodeType({ run: () => ({}) });

describe('a node type', () => {
  test('its ports give its function the types of inputs and outputs', () => {
    const type = defineNodeType({
      inputs: { n: { type: 'number', required: true }, list: { type: 'string', repeated: true }, any: {} },
      outputs: { ok: { type: 'boolean' } },
      run: ({ inputs, attempt }) => {
        expectTypeOf(inputs).toEqualTypeOf<{
          readonly n: number | undefined;
          readonly list: readonly string[] | undefined;
          readonly any: Json | undefined;
        }>();
        expectTypeOf(attempt).toBeNumber();
        return { ok: true };
      },
    });
    expect([type.inputs, type.outputs]).toEqual([
      [
        { name: 'n', type: 'number', required: true },
        { name: 'list', type: 'string', repeated: true },
        { name: 'any', type: 'any' },
      ],
      [{ name: 'ok', type: 'boolean' }],
    ]);
  });

  test('an artifact is a reference to its bytes, and an output that is undefined is none', async () => {
    const type = defineNodeType({
      inputs: { picture: { type: 'artifact' }, all: { type: 'artifact', repeated: true } },
      outputs: { first: { type: 'artifact' }, note: { type: 'string' } },
      run: ({ inputs }) => {
        expectTypeOf(inputs.picture).toEqualTypeOf<ObjectReference | undefined>();
        expectTypeOf(inputs.all).toEqualTypeOf<readonly ObjectReference[] | undefined>();
        return { first: inputs.picture, note: undefined };
      },
    });
    expectTypeOf<NodeOutputs<{ first: { type: 'artifact' } }>>().toEqualTypeOf<{
      readonly first?: ObjectReference | undefined;
    }>();
    const picture = { id: 'a'.repeat(64), mimeType: 'image/png' };
    expect(await call(type, { picture })).toEqual({ first: picture });
  });

  test('[DA36] a port without a type takes and gives anything; without ports nothing is known of them', () => {
    const type = defineNodeType({ inputs: { x: {} }, outputs: { y: {} }, run: () => ({}) });
    expect(catalogueOf({ type, nothing, other: () => 1 })).toEqual({
      type: { inputs: [{ name: 'x', type: 'any' }], outputs: [{ name: 'y', type: 'any' }] },
      nothing: { inputs: undefined, outputs: undefined },
    });
  });

  test('[DA37] every port is there; what has no value is undefined; what no port has comes too', async () => {
    const seen: unknown[] = [];
    const type = defineNodeType({
      inputs: { a: {}, b: {} },
      run: ({ inputs, nodeId }) => {
        seen.push({ ...inputs }, nodeId);
        return {};
      },
    });
    await call(type, { a: null, c: 1 });
    expect(seen).toStrictEqual([{ a: null, b: undefined, c: 1 }, 'n']);
  });

  test('[DA38] it fails by throwing or by returning a failure, with its message', async () => {
    const returns = defineNodeType({ run: () => failure('Division by zero') });
    const later = defineNodeType({ run: () => Promise.resolve(failure('too late')) });
    const throws = defineNodeType({
      run: () => {
        throw new Error('boom');
      },
    });
    await expect(call(returns)).rejects.toMatchObject({ message: 'Division by zero', code: 'NODE_FAILED' });
    await expect(call(later)).rejects.toMatchObject({ message: 'too late', code: 'NODE_FAILED' });
    await expect(call(throws)).rejects.toThrow(new Error('boom'));
  });

  test('[DA39] NaN and infinities are tagged in outputs, and what was tagged is a number again', async () => {
    const type = defineNodeType({ run: ({ inputs }) => ({ sum: Number(inputs['a']) + 1, list: [Infinity] }) });
    const tagged = { sum: { $number: 'NaN' }, list: [{ $number: 'Infinity' }] };
    expect(await call(type, { a: { $number: 'NaN' } })).toEqual(tagged);
    expect(await call(type, { a: 1 })).toEqual({ sum: 2, list: [{ $number: 'Infinity' }] });
  });

  test('[DA38] what is no object of outputs is a failure; nothing is no outputs', async () => {
    const returning = (value: unknown) => call(defineNodeType({ run: () => value as object }));
    expect(await returning(undefined)).toBeUndefined();
    for (const [value, kind] of [
      [5, 'a number'],
      [null, 'null'],
      [[], 'a list'],
    ] as const) {
      const message = `Expected node "n" to return its outputs by port, but it returned ${kind}`;
      await expect(returning(value)).rejects.toMatchObject({ message, code: 'OUTPUTS_INVALID', retryable: false });
    }
  });

  test('a mistake shows where it is defined', () => {
    const define = (source: unknown) => () => defineNodeType(source as { run: () => object });
    expect(define(null)).toThrow('Expected a node type, but found null');
    expect(define({})).toThrow('Expected a function "run", but found nothing');
    expect(define({ run: () => ({}), output: {} })).toThrow('did you mean outputs?');
    expect(define({ run: () => ({}), inputs: [] })).toThrow('Expected ports by name, but found a list');
    expect(define({ run: () => ({}), inputs: { a: 'number' } })).toThrow(
      'Expected port "a" to be an object such as {type}, but found a string',
    );
    expect(define({ run: () => ({}), outputs: { a: { typ: 1 } } })).toThrow('did you mean type?');
  });
});

describe('[DA40] node types among actions', () => {
  const action = () => 1;
  const named = defineNodeType({ name: 'mine', cost: 3, run: () => ({}) });

  test('by name, beside actions by name or in a list', () => {
    expect(addNodeTypes({ action }, { nothing })).toEqual({ actions: { action, nothing }, problems: [] });
    expect(addNodeTypes({ action }, [named])).toEqual({ actions: { action, mine: named }, problems: [] });
    const { actions } = addNodeTypes([{ name: 'action', run: action }], { other: named });
    const list = actions as readonly NodeType[];
    expect(list.map(({ name }) => name)).toEqual(['action', 'other']);
    expect(list[1]).toMatchObject({ name: 'other', cost: 3 });
  });

  test('a name that is given twice, and what is no node type, are refused, all at once', () => {
    const types = {
      action: nothing,
      plain: action as unknown as NodeType,
      five: 5 as unknown as NodeType,
      fine: named,
    };
    const problem = (pointer: string, code: string, message: string) => ({ severity: 'error', code, pointer, message });
    expect(addNodeTypes({ action }, types)).toEqual({
      actions: { action, fine: named },
      problems: [
        problem('/action', 'DUPLICATE_NAME', 'Expected a node type under a name of its own, but "action" is taken'),
        problem(
          '/plain',
          'WRONG_TYPE',
          'Expected node type "plain" to be made with defineNodeType or defineCompiledType, but found a function',
        ),
        problem(
          '/five',
          'WRONG_TYPE',
          'Expected node type "five" to be made with defineNodeType or defineCompiledType, but found a number',
        ),
      ],
    });
    expect(addNodeTypes({}, [named, named]).problems).toMatchObject([{ pointer: '/mine', code: 'DUPLICATE_NAME' }]);
    expect(addNodeTypes({}, [null as never]).problems).toMatchObject([{ pointer: '/', code: 'WRONG_TYPE' }]);
  });
});

test('arithmetic nodes compute', async () => {
  const { number, add, subtract, multiply, divide, looseAdd, sum } = arithmeticNodes;
  expect(await call(number, { value: 5 })).toEqual({ value: 5 });
  const both = { a: 6, b: 3 };
  const results = await Promise.all([add, subtract, multiply, divide].map((type) => call(type, both)));
  expect(results).toEqual([{ result: 9 }, { result: 3 }, { result: 18 }, { result: 2 }]);
  await expect(call(divide, { a: 1, b: 0 })).rejects.toThrow('Division by zero');
  await expect(call(add, { a: 1 })).rejects.toThrow('Missing required input: b');
  await expect(call(number)).rejects.toThrow('Missing required input: value');
  expect(await call(looseAdd, { a: 1 })).toEqual({ result: { $number: 'NaN' } });
  expect([await call(sum, { values: [1, 2, 3] }), await call(sum)]).toEqual([{ result: 6 }, { result: 0 }]);
});
