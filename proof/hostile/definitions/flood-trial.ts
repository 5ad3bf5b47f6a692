// Flood trial: definitions within the limits that are wrong in thousands of places at once, with names that are long or many.
// What is said of them is bounded, and so is the time that it takes. Rule DF58; attacks A19 to A23.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { show, type Trial } from '../trial.ts';

let opened: Promise<TestEngine> | null = null;
const open = (): Promise<TestEngine> => (opened ??= createTestEngine());

/** Of this process alone, so that others on the machine do not count: a tenth of this is usual. */
const secondsMax = 2;
const textMax = 1_000_000;
const problemsMax = 1_001;

export async function makeFloodTrial(dice: Dice): Promise<Trial> {
  const { engine } = await open();
  const count = dice.chance(1, 10) ? 6_000 : dice.between(300, 1_000);
  const make = dice.pick(floods);
  return {
    input: () => `${make.name} of ${count}: ${show(make(3))}`,
    check: () => {
      const source = make(count);
      const begun = process.cpuUsage().user;
      const problems = engine.validate(source);
      const seconds = (process.cpuUsage().user - begun) / 1_000_000;
      const text = problems.reduce((sum, { message, hint = '' }) => sum + message.length + hint.length, 0);
      const isBounded = seconds <= secondsMax && text <= textMax && problems.length <= problemsMax;
      return isBounded
        ? null
        : `Expected a bounded answer, but found ${problems.length} problems of ${text} characters in ${seconds} s`;
    },
  };
}

const names = (count: number, start = 'name'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${start}${index}`);
const long = 'x'.repeat(200_000);

const floods: readonly [(count: number) => Json, ...((count: number) => Json)[]] = [
  function unknownEnds(count) {
    const transitions = names(2 * count, 'gone').map((name) => ({ from: name, to: `${name}x` }));
    return { id: 'w', initialNode: 'name0', nodes: names(count).map((id) => ({ id })), transitions };
  },
  function unknownConnections(count) {
    const connections = names(2 * count, 'gone').map((name) => ({ fromNodeId: name, toNodeId: `${name}x` }));
    return { dialect: 'handle', id: 'w', nodes: names(count).map((id) => ({ id })), connections };
  },
  function unknownConnectors(count) {
    const nodes = names(count).map((id) => ({ id, type: 'fanIn' }));
    return { id: 'w', nodes, connectors: names(2 * count, 'gone').map((name) => ({ from: name, to: `${name}x` })) };
  },
  function unknownPorts(count) {
    const outputs = names(count, 'port').map((name) => ({ name }));
    const edges = names(2 * count, 'prot').map((name) => ({
      source: 'a',
      sourceOutput: name,
      target: 'b',
      targetInput: 'x',
    }));
    return { dialect: 'dataflow', id: 'w', nodes: [{ id: 'a', type: 'x', outputs }], edges };
  },
  function unknownOutputs(count) {
    const nodes = [
      { id: 'a', type: 'fanOut', outputs: names(count) },
      { id: 'b', type: 'end' },
    ];
    return { id: 'w', nodes, connectors: names(2 * count, 'nmae').map((output) => ({ from: 'a', output, to: 'b' })) };
  },
  function unknownFields(count) {
    return {
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a', ...Object.fromEntries(names(10 * count).map((key) => [key, 1])) }],
    };
  },
  function fieldsOfALongName(count) {
    return {
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: long, ...Object.fromEntries(names(count).map((key) => [key, 1])) }],
    };
  },
  function waysFromALongName(count) {
    return { id: 'w', initialNode: long, nodes: [{ id: long }, ...names(count).map((id) => ({ id }))] };
  },
  function longPortType(count) {
    const nodes = [
      { id: 'a', type: 'x', outputs: [{ name: 'o', type: long }] },
      { id: 'b', type: 'x', inputs: [{ name: 'i', type: 'y' }] },
    ];
    return { dialect: 'dataflow', id: 'w', nodes, edges: names(count).map(() => ({ source: 'a', target: 'b' })) };
  },
  function manyVariables(count) {
    const outputMapping = Object.fromEntries(names(count, 'state.k').map((key) => [key, 'nmae']));
    const transitions = names(count).map((itemVar) => ({
      from: 'a',
      to: 'a',
      foreach: { collection: 'input.a', itemVar },
    }));
    return { id: 'w', initialNode: 'a', nodes: [{ id: 'a', outputMapping }], transitions };
  },
  function badSchema(count) {
    const properties = Object.fromEntries(names(count).map((key) => [key, { type: 'x', pattern: long.slice(0, 100) }]));
    return { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], inputSchema: { properties } };
  },
  function slowSchemas(count) {
    const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const members = names(30, 'd').map((name, level): [string, Json] => [
      name,
      level === 0 ? {} : twice(`d${level - 1}`),
    ]);
    const schema = { $defs: Object.fromEntries(members), ...twice('d29') };
    const nodes = names(Math.min(count, 500)).map((id) => ({ id, input: { schema } }));
    return { id: 'w', initialNode: 'name0', nodes };
  },
  function sameIds(count) {
    return { id: 'w', initialNode: 'a', nodes: names(count).map(() => ({ id: 'a', retry: {} })) };
  },
  function badConditions(count) {
    const transitions = names(2 * count).map((name) => ({ from: 'a', to: 'a', condition: `${name} b` }));
    return { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], transitions };
  },
];
