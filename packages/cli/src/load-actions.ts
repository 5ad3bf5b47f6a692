// Load actions: from `--actions MODULE` to what nodes can ask for by name, and which names (of actions, of workflows) a
// definition asks for.

import {
  type Action,
  arithmeticNodes,
  CompiledType,
  type Converted,
  flowNodes,
  type NodeExecutor,
  type NodeExecutors,
  NodeType,
} from 'heddle';
import { CommandError } from './command-error.ts';
import { type Loading, loadModule } from './load-module.ts';

/** What runs the nodes, in the forms in which an engine takes it. */
export interface NamedActions {
  readonly actions: Readonly<Record<string, Action>>;
  /** In the form of the handle dialect. */
  readonly executors: NodeExecutors;
  /** In the form of the dataflow dialect, and those that compile to others. */
  readonly nodeTypes: Readonly<Record<string, NodeType | CompiledType>>;
}

/** What the modules export; and the example sets, for the names that they leave free. */
export async function loadActions(
  files: string | readonly string[] | undefined,
  loading: Loading = {},
): Promise<NamedActions> {
  let own = none;
  for (const file of [files ?? []].flat()) own = merge(own, await loadOwn(file, loading), file);
  const taken = new Set(namesOf(own));
  const free = <Item>(named: Readonly<Record<string, Item>>) =>
    Object.fromEntries(Object.entries(named).filter(([name]) => !taken.has(name)));
  return {
    actions: own.actions,
    executors: { ...free<NodeExecutor>(flowNodes), ...own.executors },
    nodeTypes: { ...free(arithmeticNodes), ...own.nodeTypes },
  };
}

const none: NamedActions = { actions: {}, executors: {}, nodeTypes: {} };

/** A name means one thing. */
function merge(before: NamedActions, own: NamedActions, file: string): NamedActions {
  const taken = new Set(namesOf(before));
  const twice = namesOf(own).find((name) => taken.has(name));
  if (twice === undefined)
    return {
      actions: { ...before.actions, ...own.actions },
      executors: { ...before.executors, ...own.executors },
      nodeTypes: { ...before.nodeTypes, ...own.nodeTypes },
    };
  const message = `Expected a name for one action, but "${twice}" of ${file} is exported by another module too`;
  throw new CommandError('DUPLICATE_NAME', `${message}; rename one.`);
}

const isNodeType = (value: unknown): boolean => value instanceof NodeType || value instanceof CompiledType;

/**
 * The default export's members and the named exports: functions, and objects with a `run`. Under `executors` and
 * `nodeTypes` stand those of the other two forms; what is wrong with them the engine tells.
 */
async function loadOwn(file: string, loading: Loading): Promise<NamedActions> {
  const { default: listed, ...named } = await loadModule(file, { what: 'a module with actions', ...loading });
  const exported = Object.entries({ ...membersOf(listed), ...named });
  const sets = Object.fromEntries(exported.filter(([, value]) => !isAction(value)));
  const found = exported.filter((entry): entry is [string, Action] => isAction(entry[1]));
  const own = {
    actions: Object.fromEntries(found.filter(([, action]) => !(action instanceof NodeType))),
    // What they are, the engine checks.
    executors: membersOf(sets['executors']) as NodeExecutors,
    nodeTypes: {
      ...Object.fromEntries(
        exported.filter((entry): entry is [string, NodeType | CompiledType] => isNodeType(entry[1])),
      ),
      ...(membersOf(sets['nodeTypes']) as NamedActions['nodeTypes']), // the engine refuses what is none
    },
  };
  if (namesOf(own).length > 0) return own;
  const example = 'export async function greet({ input }) { … }';
  throw new CommandError(
    'NO_ACTIONS',
    `Expected ${file} to export actions, but it exports none; write \`${example}\`.`,
  );
}

/** A list names its actions by their `name`. */
function membersOf(listed: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(listed)) {
    return Object.fromEntries(listed.map((action: { readonly name?: unknown }) => [String(action.name), action]));
  }
  return typeof listed === 'object' && listed !== null ? (listed as Readonly<Record<string, unknown>>) : {}; // it is an object
}

function isAction(value: unknown): value is Action {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && typeof (value as { readonly run?: unknown }).run === 'function'; // it is an object
}

type TokenGraph = NonNullable<Converted['token']>;

/** The names that the nodes of a graph ask for and nobody has; those that come with Heddle are there. */
export function missingActions({ nodes }: TokenGraph, named: NamedActions): string[] {
  const known = new Set(namesOf(named));
  const names = nodes.flatMap(({ action }) => (typeof action === 'object' ? [action.name] : (action ?? [])));
  return [...new Set(names)].filter((name) => !name.startsWith('core.') && !known.has(name));
}

export function namesOf(named: NamedActions): string[] {
  return Object.values(named).flatMap((set: object) => Object.keys(set));
}

/** Without those of the example sets. */
export function ownNamesOf(named: NamedActions): string[] {
  const examples: ReadonlySet<string> = new Set([...Object.keys(flowNodes), ...Object.keys(arithmeticNodes)]);
  return namesOf(named).filter((name) => !examples.has(name));
}

/** The sub-workflows that its nodes call. */
export function workflowNamesOf({ nodes }: TokenGraph): string[] {
  const names = nodes.flatMap(({ workflow }) => (typeof workflow === 'object' ? [workflow.id] : (workflow ?? [])));
  return [...new Set(names)];
}
