import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { defaultLimits as limits } from '../../definition/limits.ts';
import { compileGraph } from '../compile-graph.ts';
import { parseDefinition } from '../parse.ts';

const word = fc.constantFrom('a', 'b', 'c', 'x', 'any', 'number', 'start', '', '__proto__', 'toString', 'a/b~c');
const value = fc.oneof(
  word,
  fc.constantFrom<Json>(0, 1, -1, 1.5, true, false, null),
  fc.array(word, { maxLength: 2 }),
  fc.dictionary(word, word, { maxKeys: 2 }),
  fc.constantFrom<Json>(
    [{ name: 'x' }],
    [
      { name: 'x', type: 'any' },
      { name: 'a', repeated: true },
    ],
    { x: 1 },
  ),
  fc.constantFrom<Json>(
    { inputs: { x: 1 } },
    { outputs: [{ name: 'x', type: 'number' }], inputs: [] },
    { maxAttempts: 2 },
  ),
);
const nodeKeys = ['inputs', 'outputs', 'data', 'position', 'cost', 'retry', 'timeoutMs', 'meta', 'selected', 'zzz'];
const edgeKeys = ['id', 'sourceOutput', 'sourceHandle', 'targetPort', 'target_input', 'type', 'animated', 'zzz'];
const some = (keys: readonly string[], maxKeys: number) => fc.dictionary(fc.constantFrom(...keys), value, { maxKeys });
const node = fc.tuple(word, some(nodeKeys, 3)).map(([id, rest]) => ({ id, type: 'work', ...rest }));
const edge = fc
  .tuple(word, word, some(edgeKeys, 3))
  .map(([source, target, rest]) => ({ source, sourceOutput: 'x', target, targetInput: 'x', ...rest }));
const definition = fc.record({
  dialect: fc.constant('dataflow'),
  id: fc.constantFrom('w', 'bad name'),
  nodes: fc.array(fc.oneof({ weight: 9, arbitrary: node }, { weight: 1, arbitrary: value }), { maxLength: 4 }),
  edges: fc.oneof({ weight: 9, arbitrary: fc.array(edge, { maxLength: 5 }) }, { weight: 1, arbitrary: value }),
});

/** Mostly right: what is drawn leads on, and ports are such as they should be. */
const ids = ['n', 'a', 'b', 'start'] as const;
const ports = fc.constantFrom<JsonObject>(
  {},
  { inputs: { x: 1 } },
  { inputs: [{ name: 'x', type: 'any' }] },
  { data: { inputs: [{ name: 'x', repeated: true }], outputs: [{ name: 'x' }] }, position: { x: 1 } },
  { outputs: [{ name: 'x', type: 'number' }] },
  { outputs: [{ name: 'y' }] },
);
const forward = fc
  .tuple(fc.nat(3), fc.nat(3), fc.constantFrom('x', 'x', 'x', 'y', null))
  .filter(([from, to]) => from < to)
  .map(([from, to, port]) => ({ source: ids[from], sourceHandle: port, target: ids[to], targetInput: 'x' }));
const fair = fc
  .tuple(fc.array(ports, { minLength: 4, maxLength: 4 }), fc.array(forward, { maxLength: 4 }), fc.nat(4))
  .map(([drawn, edges, count]) => ({
    dialect: 'dataflow',
    id: 'w',
    nodes: drawn.slice(0, count).map((rest, index) => ({ id: ids[index], type: 'work', ...rest })),
    edges,
  }));

const number: Json = {
  inputs: [{ name: 'x', type: 'number', required: true }],
  outputs: [{ name: 'x', type: 'number' }],
};
const nodeTypes = { work: number } as unknown as Parameters<typeof parseDefinition>[1]['nodeTypes'];

function leads(source: Json, pointer: string): boolean {
  let here: Json | undefined = source;
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return false;
    here = (here as JsonObject)[name];
  }
  return true;
}

test.each([
  ['nothing', undefined],
  ['something', nodeTypes],
])(
  'whatever comes, the problems point into it, and what has no errors compiles and parses to itself, with %s known of types',
  (_, known) => {
    const options = { limits, ...(known ? { nodeTypes: known } : {}) };
    let legal = 0;
    fc.assert(
      fc.property(fc.oneof(definition, fair), (source) => {
        const parsed = parseDefinition(source, options);
        for (const { pointer, message } of parsed.problems) {
          expect(leads(source as unknown as Json, pointer), `${pointer}: ${message}`).toBe(true);
          expect(message).toMatch(/^Expected .+, but /s);
        }
        expect(parsed.definition === null).toBe(parsed.problems.some(({ severity }) => severity === 'error'));
        if (parsed.definition === null) return;
        legal++;
        const { nodes, initialNodes } = compileGraph(parsed.definition, { version: 1, limits });
        for (const root of initialNodes) expect(nodes.get(root.id)).toBe(root);
        expect(parseDefinition(parsed.definition, options)).toMatchObject({
          definition: parsed.definition,
          problems: expect.not.arrayContaining([expect.objectContaining({ severity: 'error' })]) as unknown,
        });
      }),
      { numRuns: 1_500, seed: 17 },
    );
    expect(legal).toBeGreaterThan(150);
  },
);
