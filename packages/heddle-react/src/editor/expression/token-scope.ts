// Token scope: what an expression of a token definition can read, by where it stands: the input by its schema, what nodes
// before it have written, the result of its node, the items of the lists that lead to it.
//
// Always true: the names are those that the parser admits there (DF24); what is known of members is a help, and no check.

import type { Definition, JsonSchema, NodeDefinition, TransitionDefinition } from 'heddle';
import { type PlacedSchema, placed } from './schema-walk.ts';
import { type ExpressionScope, engineName, findName, itemBelow, type ScopeName } from './scope.ts';

/** Where an expression stands. */
export type ExpressionPlace =
  | { readonly type: 'inputMapping' | 'wait' | 'prompt'; readonly nodeId: string }
  | { readonly type: 'outputMapping' | 'condition'; readonly nodeId: string }
  | { readonly type: 'collection' | 'merge' | 'quorum'; readonly nodeId: string }
  /** Of a node, or of the definition itself. */
  | { readonly type: 'summary'; readonly nodeId: string | null }
  /** Of the definition itself. */
  | { readonly type: 'output' };

export interface KnownAction {
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
}

/** What is known of actions, by name. */
export type KnownActions = Readonly<Record<string, KnownAction>>;

/** As far as it is drawn: a draft may lack anything. */
export type DraftDefinition = Partial<Definition>;

export function tokenScope(
  definition: DraftDefinition,
  place: ExpressionPlace,
  actions: KnownActions,
): ExpressionScope {
  const nodeId = place.type === 'output' ? null : place.nodeId;
  // A summary is read whenever somebody looks: whatever the run has written by then is there.
  const before = nodesBefore(definition, place.type === 'summary' ? null : nodeId);
  const hasResult = place.type === 'outputMapping' || place.type === 'condition';
  // What a node writes itself is there in the conditions after it.
  const writers = hasResult && nodeId !== null ? new Set([...before, nodeId]) : before;
  const { inputSchema, stateSchema } = definition;
  const sections: ScopeName[] = [
    { name: 'input', about: 'the input of the run', ...given(inputSchema) },
    { name: 'state', about: 'what mappings have written', ...given(stateSchema), members: [] },
    { name: 'output', about: 'what mappings have written' },
  ];
  const written = sections.map((section) => withWrites(section, definition, { writers, actions }));
  if (place.type === 'quorum' || (place.type === 'summary' && nodeId === null)) return { names: written };
  if (place.type === 'summary')
    return { names: [...written.filter(({ name }) => name !== 'output'), resultOf(definition, nodeId, actions)] };
  const result = hasResult ? [resultOf(definition, nodeId, actions)] : [];
  const trigger = place.type === 'merge' ? [] : [engineName('_trigger', 'what started the run')];
  const known = { names: [...written, ...result] };
  return {
    names: [
      ...known.names,
      ...itemsInScope(definition, { before, known }),
      engineName('_branch', 'the branch of a fan-out'),
      engineName('_batch', 'the slice of a batch'),
      ...trigger,
    ],
  };
}

const given = (schema: JsonSchema | undefined): { readonly schema?: PlacedSchema } =>
  schema === undefined ? {} : { schema: placed(schema) };

/** The nodes from which a node can be reached; all of them for the end of the run. */
function nodesBefore({ nodes = [], transitions = [] }: DraftDefinition, nodeId: string | null): Set<string> {
  if (nodeId === null) return new Set(nodes.map(({ id }) => id));
  const before = new Set<string>();
  const pending = [nodeId];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const { from, to } of transitions) {
      if (to !== at || before.has(from)) continue;
      before.add(from);
      pending.push(from);
    }
  }
  return before;
}

interface Writers {
  readonly writers: ReadonlySet<string>;
  readonly actions: KnownActions;
}

/** `state.a.b` of the mappings and merges before. */
function withWrites(section: ScopeName, definition: DraftDefinition, { writers, actions }: Writers): ScopeName {
  const members = new Map<string, ScopeName>();
  const add = (target: string, write: Omit<ScopeName, 'name'>): void => {
    const [root, name, ...rest] = target.split('.');
    if (root !== section.name || name === undefined || members.has(name)) return;
    // Of a deeper target only its first member is known for sure.
    members.set(name, rest.length === 0 ? { name, ...write } : { name, about: write.about ?? '' });
  };
  for (const node of definition.nodes ?? []) {
    if (!writers.has(node.id)) continue;
    for (const [target, source] of Object.entries(node.outputMapping ?? {}))
      add(target, { about: `written by "${node.id}"`, ...schemaOfSource(source, node, actions) });
    if (node.batch?.merge?.target !== undefined) add(node.batch.merge.target, { about: `merged by "${node.id}"` });
  }
  for (const { to, synchronization } of definition.transitions ?? []) {
    if (synchronization === undefined || 'over' in synchronization || !writers.has(to)) continue;
    for (const { target } of [synchronization.merge ?? []].flat()) add(target, { about: `merged at "${to}"` });
  }
  return members.size === 0 ? section : { ...section, members: [...members.values()] };
}

/** Of a mapping that hands on the result, or a member of it. */
function schemaOfSource(source: unknown, node: NodeDefinition, actions: KnownActions): Pick<ScopeName, 'schema'> {
  const keys = typeof source === 'string' && /^result(\.\w+)*$/.test(source) ? source.split('.') : null;
  const found = keys === null ? undefined : findName({ names: [resultName(node, actions)] }, keys);
  return found?.schema === undefined ? {} : { schema: found.schema };
}

function resultOf({ nodes = [] }: DraftDefinition, nodeId: string | null, actions: KnownActions): ScopeName {
  const node = nodes.find(({ id }) => id === nodeId);
  return node === undefined ? { name: 'result' } : resultName(node, actions);
}

function resultName({ id, action, input }: NodeDefinition, actions: KnownActions): ScopeName {
  const about = `what "${id}" gave`;
  if (typeof input === 'object') return { name: 'result', about, ...given(input.schema) };
  const name = typeof action === 'object' ? action.name : action;
  const known = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  return { name: 'result', about, ...given(known?.output) };
}

/** The item variables of the lists on the way. */
function itemsInScope(
  { transitions = [] }: DraftDefinition,
  { before, known }: { readonly before: ReadonlySet<string>; readonly known: ExpressionScope },
): readonly ScopeName[] {
  const items = transitions.flatMap(({ from, foreach }: TransitionDefinition): ScopeName[] => {
    if (foreach?.itemVar === undefined || !before.has(from)) return [];
    const list = findName(known, foreach.collection.split('.'));
    const item = list === undefined ? { name: foreach.itemVar } : itemBelow(list, foreach.itemVar);
    return [{ ...item, about: `an item of ${foreach.collection}` }];
  });
  return [...new Map(items.map((item) => [item.name, item])).values()];
}
