// Thread lower: a checked thread definition becomes a token definition. The context of a thread is the state; an output
// is a transition; what nodes do to the context are edits. Rules TH17 to TH28.

import { assert } from '../../base/assert.ts';
import { given } from '../../base/given.ts';
import type { JsonObject } from '../../base/json.ts';
import type { SiblingSynchronization, TransitionDefinition } from '../../definition/definition.ts';
import { type Policy, tokenPolicy } from '../../definition/graph.ts';
import type {
  EditDefinition,
  Lowered,
  LoweredNode,
  LoweredTransition,
  SourceDefinition,
} from '../../definition/lowered.ts';
import { conditionSource } from '../../expression/condition.ts';
import {
  type ActionNode,
  type BatchNode,
  type CodeNode,
  type Connector,
  type EditNode,
  type GosubNode,
  groupConnectors,
  type InitialEntry,
  type InputNode,
  isBlank,
  type StartNode,
  type SwitchNode,
  type ThreadDefinition,
  type ThreadMapping,
  type ThreadNode,
} from './thread.ts';

const threadPolicy: Policy = {
  ...tokenPolicy,
  dialect: 'thread',
  // TH27: an output that is not connected ends the path.
  noMatch: 'end',
  unjoinedBranches: 'last_wins',
  joinOutsideGroup: 'fail',
  inputPolicy: 'serial',
};

const context: SourceDefinition = { path: ['context'] };
const result: SourceDefinition = { path: ['result'] };

export function lowerThread({ dialect: _, nodes, connectors = [], ...settings }: ThreadDefinition): Lowered {
  const leaving = groupConnectors(connectors);
  const joins = new Set(nodes.filter(({ type }) => type === 'fanIn').map(({ id }) => id));
  const lowering: Lowering = { leaving: (id) => leaving.get(id) ?? [], isJoin: (id) => joins.has(id) };
  return {
    ...settings,
    policy: threadPolicy,
    initialNode: nodes.find(({ type }) => type === 'start')?.id ?? '',
    nodes: nodes.map((node) => lowerNode(lowering, node)),
    transitions: nodes.flatMap((node) => lowerConnectors(lowering, node)),
    output: context,
  };
}

interface Lowering {
  readonly leaving: (nodeId: string) => readonly Connector[];
  readonly isJoin: (nodeId: string) => boolean;
}

function lowerNode(lowering: Lowering, node: ThreadNode): LoweredNode {
  const { id, title, meta } = node;
  const base = { id, ...given({ name: title, meta }) };
  return { ...base, ...lowerWork(lowering, node) };
}

type Work = Omit<LoweredNode, 'id'>;

function lowerWork(lowering: Lowering, node: ThreadNode): Work {
  switch (node.type) {
    case 'start':
      return { edits: lowerStart(node) };
    case 'end':
      // TH18: an end makes the result of the run: its mappings, or the whole context. Of several ends the last counts.
      return { resultEdits: node.mappings?.map(readContext) ?? [{ merge: context }] };
    case 'edit':
      return { edits: lowerEdit(node) };
    case 'action':
      return lowerAction(node);
    case 'code':
      return { edits: lowerCode(node) };
    case 'batch':
      return lowerBatch(lowering, node);
    case 'gosub':
      return lowerGosub(node);
    case 'input':
      return lowerInput(node);
    case 'switch':
    case 'fanOut':
    case 'fanIn':
      return {};
  }
}

// TH17: the context begins with the entries of the start, taken from the input at the same path, or with all of it. What
// is mandatory and missing fails the run; null is there.
function lowerStart({ initialize }: StartNode): EditDefinition[] {
  if (initialize === undefined) return [{ merge: { path: ['input'] } }];
  return initialize.map((entry) => ({ set: keysOf(entry.path), to: entrySource(entry), required: isMandatory(entry) }));
}

const isMandatory = (entry: InitialEntry): boolean =>
  entry.optional !== true && entry.default === undefined && entry.expression === undefined;

function entrySource({ path, default: literal, expression }: InitialEntry): SourceDefinition {
  const fromInput: SourceDefinition = { path: ['input', ...keysOf(path)] };
  if (literal !== undefined) return { first: [fromInput, { literal }] };
  return expression === undefined ? fromInput : { first: [fromInput, { expression }] };
}

// TH19: an edit writes its upserts, then removes its deletes, each in order.
function lowerEdit({ upserts = [], deletes = [] }: EditNode): EditDefinition[] {
  return [
    ...upserts.map(({ path, value, expression }): EditDefinition => {
      const to: SourceDefinition = expression === undefined ? { literal: value ?? null } : { expression };
      return { set: keysOf(path), to, required: true };
    }),
    ...deletes.map((path): EditDefinition => ({ delete: keysOf(path) })),
  ];
}

// TH21: an action gets its inputs, or the whole context; its outputs are kept, or its result as `output`, unless that is
// nothing: null, or the empty object of an action that returned nothing.
function lowerAction({ action, inputs, outputs, retry, timeoutMs }: ActionNode): Work {
  const isNothing = 'result == null || result == {}';
  const whole: EditDefinition = { set: ['output'], to: { expression: `${isNothing} ? optional.none() : result` } };
  return {
    action,
    inputEdits: inputs?.map(readContext) ?? [{ merge: context }],
    edits: outputs?.map(readResult) ?? [whole],
    ...given({ retry, timeoutMs }),
  };
}

// TH22: a code node writes the values of its expressions, in order; a value that is missing fails it.
function lowerCode({ path = 'output', expression, set }: CodeNode): EditDefinition[] {
  const assignments = set ?? [{ path, expression: expression ?? '' }];
  return assignments.map((one) => ({ set: keysOf(one.path), to: { expression: one.expression }, required: true }));
}

// TH25: a batch works through the list at its path in slices, each a thread of its own in which the path holds the slice;
// their `output` is merged; then it continues, once. With `process` not connected it only continues.
function lowerBatch({ leaving }: Lowering, { id, items, batchSize, parallelBatches }: BatchNode): Work {
  if (!leaving(id).some(({ output }) => output === 'process')) return {};
  return {
    batch: {
      items: `state.${items}`,
      label: `context.${items}`,
      ...given({ batchSize, parallelBatches }),
      merge: outputMerge,
    },
  };
}

const outputMerge = { source: 'state.output', target: 'state.output', strategy: 'output_merge' } as const;

// TH26: a gosub runs another workflow with its inputs, or the whole context; its outputs are kept, or its whole result is
// merged over the context.
function lowerGosub({ workflow: id, version, inputs, outputs }: GosubNode): Work {
  return {
    workflow: { id, ...given({ version }) },
    inputEdits: inputs?.map(readContext) ?? [{ merge: context }],
    edits: outputs?.map(readResult) ?? [{ merge: result }],
  };
}

// TH28: an answer is an object, merged over the context key by key, or null; unless the node's schema says otherwise.
function lowerInput({ title, schema = { type: ['object', 'null'] }, deadlineMs }: InputNode): Work {
  return {
    input: {
      ...given({ title }),
      schema,
      ...given({ deadlineMs }),
    },
    edits: [{ merge: result }],
  };
}

const readContext = (mapping: ThreadMapping): EditDefinition => lowerMapping(mapping, 'context');
const readResult = (mapping: ThreadMapping): EditDefinition => lowerMapping(mapping, 'result');

function lowerMapping({ to, from, expression, value, optional }: ThreadMapping, root: string): EditDefinition {
  const source: SourceDefinition =
    from !== undefined
      ? { path: [root, ...keysOf(from)] }
      : expression !== undefined
        ? { expression }
        : { literal: value ?? null };
  return { set: keysOf(to), to: source, required: optional !== true };
}

const keysOf = (path: string): readonly string[] => path.split('.');

function lowerConnectors(lowering: Lowering, node: ThreadNode): LoweredTransition[] {
  const connectors = lowering.leaving(node.id);
  const ways = node.type === 'switch' ? lowerSwitch(node, connectors) : inOrder(node, connectors).map(plainWay(node));
  return ways.map(
    ({ connector, ...settings }): TransitionDefinition => ({
      from: connector.from,
      to: connector.to,
      ...settings,
      ...given({ synchronization: lowering.isJoin(connector.to) ? fanIn : undefined }),
      ...given({ meta: connector.meta }),
    }),
  );
}

interface Way extends Pick<LoweredTransition, 'priority' | 'condition' | 'siblingGroup' | 'on' | 'probe'> {
  readonly connector: Connector;
}

// TH20: the entries of a switch are looked at in their order: the first that holds and is connected is taken, the last if
// none does. One that is not connected is looked at all the same, for it must be true or false; a blank one never holds.
function lowerSwitch({ entries }: SwitchNode, connectors: readonly Connector[]): Way[] {
  const connectorOf = (name: string | undefined) => connectors.find(({ output }) => output === name);
  const otherwise = connectorOf(entries.at(-1)?.name);
  if (!otherwise) return []; // refused when it was parsed
  const looked = entries.slice(0, -1).flatMap((entry, index): Way[] => {
    if (isBlank(entry)) return [];
    const { name, expression = '' } = entry;
    const connector = connectorOf(name);
    const priority = index + 1;
    if (connector) return [{ connector, priority, condition: expression }];
    return [{ connector: otherwise, priority, condition: neverTaken(expression), probe: true }];
  });
  return [...looked, { connector: otherwise, priority: entries.length }];
}

/** Evaluated, but never true. */
export function neverTaken(condition: string | JsonObject): string {
  const made = conditionSource(condition);
  assert('source' in made, `Expected a checked condition, but found ${JSON.stringify(condition)}`);
  return `(${made.source}\n) ? false : false`;
}

/** Of a fan-out: in the order of its outputs, whatever that of the connectors. */
function inOrder(node: ThreadNode, connectors: readonly Connector[]): readonly Connector[] {
  const order = new Map((node.type === 'fanOut' ? (node.outputs ?? []) : []).map((name, index) => [name, index]));
  const placeOf = ({ output = '' }: Connector): number => order.get(output) ?? 0;
  return connectors.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const plainWay =
  (node: ThreadNode) =>
  (connector: Connector): Way => {
    // TH23: every connected output of a fan-out is a branch of one group.
    if (node.type === 'fanOut') return { connector, siblingGroup: node.id };
    return node.type === 'batch' && connector.output === 'process' ? { connector, on: 'slice' } : { connector };
  };

// TH24: a fan-in waits for all branches of the innermost fan-out; only their `output` is merged, and the thread that
// fanned out continues.
const fanIn: SiblingSynchronization = { strategy: 'all', merge: outputMerge };
