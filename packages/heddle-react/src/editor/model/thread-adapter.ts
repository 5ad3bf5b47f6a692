// Thread adapter: flow charts. A thread walks from node to node; a node of several outputs has a connector for each.

import type { JsonObject } from 'heddle';
import {
  type DialectAdapter,
  type Ends,
  type NodeIcon,
  type NodeLook,
  type PaletteItem,
  positionInMeta,
} from './adapter.ts';
import { findNode } from './graph.ts';
import { isList, objectsIn, textOf } from './places.ts';

export const threadTypes = [
  'start',
  'end',
  'action',
  'code',
  'edit',
  'switch',
  'fanOut',
  'fanIn',
  'batch',
  'gosub',
  'input',
] as const;

export type ThreadType = (typeof threadTypes)[number];

interface TypeLook {
  readonly icon: NodeIcon;
  readonly title: string;
  readonly description: string;
  /** Where the field is that says what it does. */
  readonly detail?: string;
  /** What a new one has. */
  readonly settings: JsonObject;
}

const looks: Readonly<Record<ThreadType, TypeLook>> = {
  start: { icon: 'start', title: 'Start', description: 'Fills the context from the input.', settings: {} },
  end: { icon: 'end', title: 'End', description: "Builds the run's result.", settings: {} },
  action: {
    icon: 'step',
    title: 'Action',
    description: 'Calls an action.',
    detail: 'action',
    settings: { action: 'core.echo' },
  },
  code: {
    icon: 'edit',
    title: 'Code',
    description: 'Writes the value of an expression.',
    detail: 'expression',
    settings: { path: 'output', expression: 'context' },
  },
  edit: {
    icon: 'edit',
    title: 'Edit',
    description: 'Writes and removes values of the context.',
    settings: { upserts: [{ path: 'value', value: '' }] },
  },
  switch: {
    icon: 'switch',
    title: 'Switch',
    description: 'Takes the first entry that holds.',
    settings: { entries: [{ name: 'yes', expression: 'true' }, { name: 'no' }] },
  },
  fanOut: {
    icon: 'fan-out',
    title: 'Fan-out',
    description: 'Starts a thread at each output.',
    settings: { outputs: ['a', 'b'] },
  },
  fanIn: { icon: 'join', title: 'Fan-in', description: 'Waits for all threads of the fan-out.', settings: {} },
  batch: {
    icon: 'batch',
    title: 'Batch',
    description: 'Works through a list in slices.',
    detail: 'items',
    settings: { items: 'items', batchSize: 100 },
  },
  gosub: {
    icon: 'workflow',
    title: 'Sub-routine',
    description: 'Runs another workflow.',
    detail: 'workflow',
    settings: { workflow: 'workflow' },
  },
  input: {
    icon: 'prompt',
    title: 'Input',
    description: 'Asks a person.',
    detail: 'title',
    settings: { title: 'Approve?' },
  },
};

const isThreadType = (type: string): type is ThreadType => Object.hasOwn(looks, type);

export const threadAdapter: DialectAdapter = {
  dialect: 'thread',
  title: 'Flow chart',
  description: 'Start, switch, fan-out, sub-routine, end: a thread walks through it with a context.',
  ...positionInMeta,
  edgesField: () => 'connectors',
  readParent: () => null,
  readEnds: ({ from, to, output }) => ({
    from: textOf(from),
    to: textOf(to),
    ...(typeof output === 'string' ? { output } : {}),
  }),
  writeEnds: ({ output: _, ...edge }, ends) => ({ ...edge, ...endsOf(ends) }),
  newEdge: (_, ends) => endsOf(ends),
  look,
  edgeLabel: () => '',
  refuse,
  settle: (definition) => definition,
  freshen: (fragment) => fragment,
  palette,
  blank: (id) => ({
    dialect: 'thread',
    id,
    nodes: [
      { id: 'start', type: 'start', meta: { position: { x: 0, y: 0 } } },
      { id: 'end', type: 'end', meta: { position: { x: 0, y: 240 } } },
    ],
    connectors: [],
  }),
};

const endsOf = ({ from, to, output }: Ends): JsonObject => ({ from, ...(output === undefined ? {} : { output }), to });

function look(node: JsonObject, edges: readonly JsonObject[]): NodeLook {
  const type = textOf(node['type']);
  if (!isThreadType(type)) return { icon: 'step', kind: type || 'Unknown', detail: '', outputs: null, inputs: null };
  const { icon, title, detail = '' } = looks[type];
  const value = node[detail];
  const shown = typeof value === 'string' ? value : textOf(objectsIn([value ?? null])[0]?.['name']);
  return {
    icon,
    kind: title,
    detail: shown,
    inputs: type === 'start' ? [] : null,
    outputs: outputsOf(type, node, edges),
  };
}

function outputsOf(type: ThreadType, node: JsonObject, edges: readonly JsonObject[]): readonly string[] | null {
  if (type === 'end') return [];
  if (type === 'batch') return ['process', 'continue'];
  if (type === 'switch') return objectsIn(node['entries']).map(({ name }) => textOf(name));
  if (type !== 'fanOut') return null;
  const { outputs } = node;
  if (isList(outputs)) return outputs.map(textOf);
  const connected = edges.filter(({ from }) => from === node['id']);
  return [...new Set(connected.map(({ output }) => textOf(output)).filter((name) => name !== ''))];
}

function refuse(definition: JsonObject, { from, to, output }: Ends): string | null {
  const typeOf = (id: string): string => textOf(findNode(definition, id)?.['type']);
  if (typeOf(from) === 'end') return `Expected a connector to leave a node that continues, but "${from}" is an end.`;
  if (typeOf(to) === 'start') return `Expected a connector to lead to a later node, but "${to}" is a start.`;
  const taken = objectsIn(definition['connectors']).find(
    (one) => one['from'] === from && textOf(one['output']) === (output ?? ''),
  );
  if (taken === undefined) return null;
  const place = output === undefined ? `"${from}"` : `output "${output}" of "${from}"`;
  return `Expected one connector to leave ${place}, but one leads to "${textOf(taken['to'])}" already.`;
}

function palette(): readonly PaletteItem[] {
  return threadTypes.map((type) => {
    const { icon, title, description, settings } = looks[type];
    return {
      name: type,
      title,
      description,
      category: 'Flow chart',
      icon,
      fragment: { dialect: 'thread', nodes: [{ id: type, type, ...settings }], edges: [] },
    };
  });
}
