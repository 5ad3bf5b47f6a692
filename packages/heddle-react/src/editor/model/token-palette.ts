// Token palette: the kinds of nodes of Heddle's own definitions, the usual arrangements of them, and a step for each action.

import type { JsonObject } from 'heddle';
import type { Known, NodeIcon, PaletteItem } from './adapter.ts';

interface Sketch {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly icon: NodeIcon;
  readonly nodes: readonly JsonObject[];
  readonly edges?: readonly JsonObject[];
}

const at = (x: number, y: number, more: JsonObject = {}): { meta: JsonObject } => ({
  meta: { position: { x, y }, ...more },
});

/** What the branches gave is seen in what the run gives. */
const gathered = { outputMapping: { 'output.results': 'state.results' } };

const steps = 'Steps';
const flow = 'Flow';

const sketches: readonly Sketch[] = [
  {
    name: 'step',
    title: 'Step',
    description: 'Calls an action.',
    category: steps,
    icon: 'step',
    nodes: [{ id: 'step', action: 'core.echo' }],
  },
  {
    name: 'prompt',
    title: 'Prompt',
    description: 'Asks a person and waits for the answer.',
    category: steps,
    icon: 'prompt',
    nodes: [{ id: 'ask', input: { title: 'Approve?' }, outputMapping: { 'state.answer': 'result' } }],
  },
  {
    name: 'wait',
    title: 'Wait',
    description: 'Waits for a time.',
    category: steps,
    icon: 'wait',
    nodes: [{ id: 'wait', wait: { seconds: 60 } }],
  },
  {
    name: 'event',
    title: 'Wait for an event',
    description: 'Waits until an event is published.',
    category: steps,
    icon: 'event',
    nodes: [{ id: 'event', wait: { event: 'event.name' }, outputMapping: { 'state.event': 'result' } }],
  },
  {
    name: 'sub-workflow',
    title: 'Sub-workflow',
    description: 'Runs another workflow.',
    category: steps,
    icon: 'workflow',
    nodes: [{ id: 'call', workflow: 'workflow' }],
  },
  {
    name: 'batch',
    title: 'Batch',
    description: 'Works through a list in slices.',
    category: flow,
    icon: 'batch',
    nodes: [
      { id: 'batch', batch: { items: 'input.items', batchSize: 100 }, ...at(0, 0) },
      { id: 'slice', action: 'core.echo', inputMapping: { items: 'input.items' }, ...at(280, 0) },
    ],
    edges: [{ from: 'batch', to: 'slice', on: 'slice' }],
  },
  {
    name: 'point',
    title: 'Point',
    description: 'Does nothing itself: a place to branch or to end.',
    category: flow,
    icon: 'point',
    nodes: [{ id: 'point' }],
  },
  {
    name: 'fan-out',
    title: 'Fan-out with join',
    description: 'Three branches in parallel that come together.',
    category: flow,
    icon: 'fan-out',
    nodes: [
      { id: 'split', ...at(280, 0) },
      ...[1, 2, 3].map((number) => ({
        id: `branch-${number}`,
        action: 'core.echo',
        outputMapping: { 'output.result': 'result' },
        ...at((number - 1) * 280, 120),
      })),
      { id: 'join', ...gathered, ...at(280, 240, { kind: 'join' }) },
    ],
    edges: [1, 2, 3].flatMap((number) => [
      { from: 'split', to: `branch-${number}`, siblingGroup: 'branches' },
      { from: `branch-${number}`, to: 'join', synchronization: joinOf('branches') },
    ]),
  },
  {
    name: 'foreach',
    title: 'For each',
    description: 'One branch for each item of a list; their results come together.',
    category: flow,
    icon: 'fan-out',
    nodes: [
      { id: 'each', ...at(0, 0) },
      {
        id: 'work',
        action: 'core.echo',
        inputMapping: { item: 'item' },
        outputMapping: { 'output.result': 'result' },
        ...at(0, 120),
      },
      { id: 'collect', ...gathered, ...at(0, 240, { kind: 'join' }) },
    ],
    edges: [
      { from: 'each', to: 'work', siblingGroup: 'items', foreach: { collection: 'input.items', itemVar: 'item' } },
      { from: 'work', to: 'collect', synchronization: joinOf('items') },
    ],
  },
  {
    name: 'loop',
    title: 'Loop',
    description: 'Repeats a step while a condition holds.',
    category: flow,
    icon: 'point',
    nodes: [
      { id: 'repeat', action: 'core.echo', outputMapping: { 'state.last': 'result' }, ...at(0, 0) },
      { id: 'done', ...at(0, 130) },
    ],
    edges: [
      { from: 'repeat', to: 'repeat', priority: 1, condition: 'has(state.again)', loop: { maxIterations: 10 } },
      { from: 'repeat', to: 'done', priority: 2 },
    ],
  },
  {
    name: 'join',
    title: 'Join',
    description: 'Waits for the branches of the innermost fan-out.',
    category: flow,
    icon: 'join',
    nodes: [{ id: 'join', meta: { kind: 'join' } }],
  },
];

/** The results of the branches are gathered in a list. */
function joinOf(siblingGroup: string): JsonObject {
  const merge = { source: '_branch.output.result', target: 'state.results', strategy: 'append' };
  return { siblingGroup, strategy: 'all', merge };
}

/** Capitals and small letters are one. */
const byLetters = new Intl.Collator('en');

export function tokenPalette({ actions, nodeTypes }: Known): readonly PaletteItem[] {
  const about = new Map(nodeTypes.map(({ type, description }) => [type, description]));
  const sorted = actions.toSorted((one, other) => byLetters.compare(one.name, other.name));
  const ofActions = sorted.map(
    ({ name, description, input }): Sketch => ({
      name: `action:${name}`,
      title: name,
      description: description ?? about.get(name) ?? `Calls ${name}.`,
      category: 'Actions',
      icon: 'step',
      nodes: [{ id: idFor(name), action: name, ...mappingFor(input) }],
    }),
  );
  return [...sketches, ...ofActions].map(({ nodes, edges = [], ...item }) => ({
    ...item,
    fragment: { dialect: 'token', nodes, edges },
  }));
}

/** `orders.load` becomes `load`. */
export const idFor = (name: string): string => name.split('.').at(-1) ?? name;

/** The fields that the action requires, each from the field of that name of the run's input. */
function mappingFor(schema: unknown): JsonObject {
  if (typeof schema !== 'object' || schema === null || !('required' in schema)) return {};
  const names = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return names.length === 0 ? {} : { inputMapping: Object.fromEntries(names.map((name) => [name, `input.${name}`])) };
}
