// What holds for any expression: plain paths agree with the language, the language agrees with cel-js where both can
// speak, nothing throws, nothing alters its scope, and every value is JSON.

import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkJson } from '../base/check-json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { compileExpression } from './compile.ts';
import { compile, deepFreeze, evaluate, limits, names } from './evaluation.testsuite.ts';

const keys = ['a', 'b', 'c', 'constructor', 'toString', 'length', 'for', 'prototype'];
const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, false, '', 'a', 'text', 0, 1, -1, 0.5, 1e300),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
}));
const scopes = fc.record({ state: json.object, input: json.value }, { requiredKeys: [] });

test('a plain path gives what the language gives', () => {
  const path = fc
    .tuple(fc.constantFrom('state', 'input'), fc.array(fc.constantFrom(...keys), { maxLength: 4 }))
    .map(([root, rest]) => [root, ...rest].join('.'));
  fc.assert(
    fc.property(path, scopes, (source, scope) => {
      expect(evaluate(source, scope)).toEqual(evaluate(`(${source})`, scope));
    }),
    { numRuns: 2_000 },
  );
});

const leaf = fc.constantFrom(
  ...(
    'state.a | state.b.c | input | input.a | state | 1 | 0 | -2.5 | "a" | "text" | true | ' +
    'false | null | x | state.?a | state[?"b"].orValue(1) | [] | {} | input[0] | has(state.a) | state.__proto__ | range(3)'
  ).split(' | '),
);
const binary = fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'in', '&&', '||');
const unaryCall = fc.constantFrom(
  ...(
    'size sum avg min max unique flatten keys values lower upper trim round ' +
    'abs int double string bool type sort reverse range floor ceil join merge'
  ).split(' '),
);
const binaryCall = fc.constantFrom(
  ...'merge join split contains startsWith endsWith substring slice get round max indexOf'.split(' '),
);
const macro = fc.constantFrom('all', 'exists', 'exists_one', 'filter', 'map');
const sources = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.tuple(tie('node'), binary, tie('node')).map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(unaryCall, tie('node')).map(([name, arg]) => `${name}(${arg})`),
    fc.tuple(binaryCall, tie('node'), tie('node')).map(([name, a, b]) => `(${a}).${name}(${b})`),
    fc.tuple(macro, tie('node'), tie('node')).map(([name, list, body]) => `(${list}).${name}(x, ${body})`),
    fc.tuple(tie('node'), tie('node'), tie('node')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `[${a}, ${b}][0]`),
    fc.tuple(tie('node'), tie('node')).map(([key, value]) => `{${key}: ${value}}`),
    fc.tuple(tie('node'), tie('node')).map(([value, body]) => `cel.bind(x, ${value}, ${body})`),
    tie('node').map((node) => `!(${node})`),
    tie('node').map((node) => `-(${node})`),
    tie('node').map((node) => `(${node}).?a.orValue(0)`),
  ),
})).node;

test('no evaluation throws, alters its scope, or gives anything but JSON', () => {
  const open = new Set([...names, 'x']);
  fc.assert(
    fc.property(sources, scopes, (source, scope) => {
      const compiled = compileExpression(source, { limits: { ...limits, expressionCostMax: 20_000 }, names: open });
      if ('problem' in compiled) return;
      const evaluation = compiled.expression.evaluate(deepFreeze(scope));
      if (evaluation.type !== 'value') {
        const form = evaluation.type === 'missing' ? / is (?:missing|not in scope here)/ : /^Expected /;
        expect(evaluation.message).toMatch(form);
        expect(evaluation.message).not.toMatch(/evaluated, but/);
        return;
      }
      const checked = checkJson(evaluation.value, { bytesMax: 1e9, depthMax: 100, limitName: 'x' });
      expect(checked).toMatchObject({ ok: true });
    }),
    { numRuns: 5_000 },
  );
});

test('any text at all compiles or is refused', () => {
  const fragments = fc.constantFrom(
    ...'state.a input [ ] ( ) { } . , : ? + - ! && "x" \' \\ 1 0x 1e b" r\' // \n in x.map( has('.split(' '),
  );
  const garbage = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragments).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(garbage, scopes, (source, scope) => {
      const compiled = compile(source);
      if ('expression' in compiled) compiled.expression.evaluate(scope);
      else expect(compiled.problem.message).toMatch(/^Expected /);
    }),
    { numRuns: 3_000 },
  );
});

test('where both can speak, the language agrees with cel-js', () => {
  const cel = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });
  const values = fc.record({
    state: fc.record({
      p: fc.boolean(),
      q: fc.boolean(),
      n: fc.double({ noNaN: true, min: -9, max: 9 }),
      s: fc.string(),
    }),
  });
  const truth = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        'state.p',
        'state.q',
        '(state.n > 1.5)',
        '(state.n == 2.0)',
        '(state.s == "a")',
        'state.missing',
        'true',
      ),
      fc.tuple(tie('node'), fc.constantFrom('&&', '||', '=='), tie('node')).map(([a, op, b]) => `(${a} ${op} ${b})`),
      tie('node').map((node) => `!(${node})`),
      fc.tuple(tie('node'), tie('node'), tie('node')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      tie('node').map((node) => `[1.0, 2.0].exists(x, x > state.n && ${node})`),
      tie('node').map((node) => `[1.0, 2.0].all(x, x > state.n || ${node})`),
    ),
  })).node;
  const oracle = (source: string, scope: object): unknown => {
    try {
      return cel.evaluate(source, scope) as unknown;
    } catch {
      return 'fault';
    }
  };
  fc.assert(
    fc.property(truth, values, (source, scope) => {
      const evaluation = evaluate(source, scope);
      expect(evaluation.type === 'value' ? evaluation.value : 'fault').toEqual(oracle(source, scope));
    }),
    { numRuns: 1_000 },
  );
});
