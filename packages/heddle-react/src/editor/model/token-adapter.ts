// Token adapter: Heddle's own definitions, steps and the transitions between them. What a transition does (fans out, joins,
// loops) is part of it; the palette has the usual arrangements of nodes and transitions.

import type { JsonObject } from 'heddle';
import { type DialectAdapter, type Ends, type Fragment, type NodeLook, positionInMeta } from './adapter.ts';
import { edgesOf, freeName, leadsTo, nodesOf } from './graph.ts';
import { isObject, objectsIn, textOf, wordOf } from './places.ts';
import { tokenPalette } from './token-palette.ts';

export const tokenAdapter: DialectAdapter = {
  dialect: 'token',
  title: 'Steps and transitions',
  description: 'Branches, joins, loops, prompts and events. Choose this one if you are not sure.',
  ...positionInMeta,
  edgesField: () => 'transitions',
  readParent: () => null,
  readEnds: ({ from, to }) => ({ from: textOf(from), to: textOf(to) }),
  writeEnds: (edge, { from, to }) => ({ ...edge, from, to }),
  newEdge,
  look,
  edgeLabel,
  refuse,
  settle,
  freshen,
  palette: tokenPalette,
  blank: (id) => ({ id, initialNode: '', nodes: [], transitions: [] }),
};

const tokenEdges = (definition: JsonObject): readonly JsonObject[] => objectsIn(definition['transitions']);

function look(node: JsonObject, edges: readonly JsonObject[]): NodeLook {
  const { action, workflow, wait, input, batch } = node;
  const plain = { outputs: null, inputs: null };
  if (action !== undefined) return { ...plain, icon: 'step', kind: 'Step', detail: nameIn(action, 'name') };
  if (workflow !== undefined)
    return { ...plain, icon: 'workflow', kind: 'Sub-workflow', detail: nameIn(workflow, 'id') };
  if (input !== undefined) return { ...plain, icon: 'prompt', kind: 'Prompt', detail: nameIn(input, 'title') };
  if (batch !== undefined) return { ...plain, icon: 'batch', kind: 'Batch', detail: nameIn(batch, 'items') };
  if (isObject(wait) && wait['event'] !== undefined)
    return { ...plain, icon: 'event', kind: 'Wait for an event', detail: textOf(wait['event']) };
  if (wait !== undefined) return { ...plain, icon: 'wait', kind: 'Wait', detail: waitText(wait) };
  return { ...plain, ...lookOfPoint(node, edges) };
}

/** A node without work of its own: what it is for, its transitions say. */
function lookOfPoint(node: JsonObject, edges: readonly JsonObject[]): Pick<NodeLook, 'icon' | 'kind' | 'detail'> {
  const id = node['id'];
  const isJoin =
    isMarkedJoin(node) || edges.some(({ to, synchronization }) => to === id && synchronization !== undefined);
  if (isJoin) return { icon: 'join', kind: 'Join', detail: '' };
  const out = edges.filter(({ from }) => from === id);
  const fansOut = out.some((edge) => edge['siblingGroup'] !== undefined || edge['foreach'] !== undefined);
  return fansOut ? { icon: 'fan-out', kind: 'Fan-out', detail: '' } : { icon: 'point', kind: 'Point', detail: '' };
}

function nameIn(value: JsonObject[string], field: string): string {
  if (!isObject(value)) return textOf(value);
  const name = value[field];
  return isObject(name) ? textOf(name['expression']) : textOf(name);
}

function waitText(wait: JsonObject[string]): string {
  if (!isObject(wait)) return '';
  const { seconds, until } = wait;
  return seconds === undefined ? `until ${wordOf(until)}` : `${wordOf(seconds)} s`;
}

const isMarkedJoin = ({ meta }: JsonObject): boolean => isObject(meta) && meta['kind'] === 'join';

function edgeLabel(edge: JsonObject): string {
  const { condition, on, foreach, spawnCount, loop, synchronization } = edge;
  const parts = [
    on === undefined || on === 'success' ? '' : `on ${textOf(on)}`,
    isObject(foreach) ? `each ${textOf(foreach['itemVar']) || 'item'} of ${textOf(foreach['collection'])}` : '',
    spawnCount === undefined ? '' : `× ${wordOf(spawnCount)}`,
    wordOf(condition),
    isObject(loop) ? `↻ at most ${wordOf(loop['maxIterations'])}` : '',
    isObject(synchronization) ? joinText(synchronization) : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function joinText({ strategy, over }: JsonObject): string {
  if (over === 'edges') return 'joins edges';
  if (isObject(strategy)) return `joins ${wordOf(strategy['mOfN'])} branches`;
  return strategy === 'any' ? 'joins the first' : 'joins all';
}

/** A way back is bounded from the start; a way into a join joins as the others do. */
function newEdge(definition: JsonObject, { from, to }: Ends): JsonObject {
  const edges = tokenEdges(definition);
  const joining = edges.find((edge) => edge['to'] === to && isObject(edge['synchronization']));
  const target = nodesOf(definition).find(({ id }) => id === to);
  const synchronization = joining?.['synchronization'] ?? (target && isMarkedJoin(target) ? { strategy: 'all' } : null);
  const isBack = leadsTo(edges.map(tokenAdapter.readEnds), { from: to, to: from });
  return {
    from,
    to,
    ...(isBack ? { loop: { maxIterations: 10 } } : {}),
    ...(synchronization === null ? {} : { synchronization }),
  };
}

function refuse(definition: JsonObject, { from, to }: Ends): string | null {
  const same = tokenEdges(definition).find((edge) => edge['from'] === from && edge['to'] === to);
  if (same === undefined || same['condition'] !== undefined || (same['on'] ?? 'success') !== 'success') return null;
  return `Expected another way than there is from "${from}" to "${to}", but that one is always taken. Give it a condition first.`;
}

function settle(definition: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  const rename = (id: string): string => renamed.get(id) ?? id;
  const ids = nodesOf(definition).map(({ id }) => textOf(id));
  const initial = rename(textOf(definition['initialNode']));
  const transitions = tokenEdges(definition).map((edge) =>
    typeof edge['emptyJoin'] === 'string' && renamed.has(edge['emptyJoin'])
      ? { ...edge, emptyJoin: rename(edge['emptyJoin']) }
      : edge,
  );
  return { ...definition, initialNode: ids.includes(initial) ? initial : (ids[0] ?? ''), transitions };
}

/** Groups of branches are known by name: those of a fragment get names of their own. */
function freshen(fragment: Fragment, definition: JsonObject): Fragment {
  const groupOf = (edge: JsonObject): string => textOf(edge['siblingGroup']);
  const taken = new Set(edgesOf(definition, tokenAdapter).map(groupOf));
  const names = new Map<string, string>();
  for (const name of new Set(fragment.edges.map(groupOf).filter((group) => group !== ''))) {
    const free = freeName(name, taken);
    taken.add(free);
    if (free !== name) names.set(name, free);
  }
  const fresh = (part: JsonObject): JsonObject => {
    const name = names.get(groupOf(part));
    return name === undefined ? part : { ...part, siblingGroup: name };
  };
  const edges = fragment.edges.map((edge) => {
    const { synchronization } = edge;
    return fresh(isObject(synchronization) ? { ...edge, synchronization: fresh(synchronization) } : edge);
  });
  return { ...fragment, edges };
}
