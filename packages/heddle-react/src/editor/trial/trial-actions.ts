// Trial actions: what a server says of its actions and node types, as actions of an engine that calls nobody: each has its
// schemas and ports, and does what it is told. So do those that are built in, which no other action can take the place of.

import {
  type ActionContext,
  type ActionObject,
  defineNodeType,
  type JsonSchema,
  type NodeType,
  type NodeTypeInfo,
} from 'heddle';
import type { StandIn } from 'heddle/testing';

/** Answers a call in place of the action. `run`: what one that is built in would do. */
export type Answerer = (action: string, context: ActionContext, run?: () => unknown) => Promise<unknown>;

export interface TrialActions {
  readonly actions: Readonly<Record<string, ActionObject>>;
  readonly nodeTypes: Readonly<Record<string, NodeType>>;
  readonly standIn: StandIn;
}

/** Those of the engine itself that ask nobody: unless they are pinned, they do their own work. */
export const runsItself = (action: string): boolean => action.startsWith('core.');

/** Every engine has them, whatever the catalogue says, and none may do here what it does elsewhere without being asked. */
const isBuiltIn = (action: string): boolean => runsItself(action) || action === 'http.request';

export function trialActions(catalogue: readonly NodeTypeInfo[], answer: Answerer): TrialActions {
  const actions: Record<string, ActionObject> = {};
  const nodeTypes: Record<string, NodeType> = {};
  for (const info of catalogue) {
    const { type } = info;
    if (runsItself(type)) continue;
    if (hasPorts(info)) nodeTypes[type] = toNodeType(info, answer);
    else actions[type] = toAction(info, answer);
  }
  const standIn: StandIn = ({ action, context, run }) =>
    // What its input schema made of the input is an object still: that of http.request says so, others have none.
    isBuiltIn(action) ? answer(action, context as ActionContext, run) : run();
  return { actions, nodeTypes, standIn };
}

type Ports = NodeTypeInfo['outputs'];

/** Ports say of what type they are; the fields of a schema do not. */
function hasPorts({ inputs = [], outputs = [], handles }: NodeTypeInfo): boolean {
  return handles !== undefined || [...inputs, ...outputs].some(({ type }) => type !== undefined);
}

function toAction({ type, inputs, outputs }: NodeTypeInfo, answer: Answerer): ActionObject {
  const [input, output] = [schemaOfPorts(inputs), schemaOfPorts(outputs)];
  return {
    run: (context) => answer(type, context),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
  };
}

/** What an object with these members must look like; undefined where nothing is said. */
export function schemaOfPorts(ports: Ports): JsonSchema | undefined {
  if (ports === undefined) return undefined;
  const required = ports.flatMap((port) => ('required' in port && port.required === true ? [port.name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(ports.map(({ name, schema = true }) => [name, schema])),
    required,
  };
}

function toNodeType(info: NodeTypeInfo, answer: Answerer): NodeType {
  const { type, inputs, outputs, source: _source, isContainer: _isContainer, ...facts } = info;
  return defineNodeType({
    ...facts,
    ...(inputs === undefined ? {} : { inputs: byName(inputs) }),
    ...(outputs === undefined ? {} : { outputs: byName(outputs) }),
    // What was pinned are its outputs by port; an object, or the engine says so.
    run: (context) => answer(type, context) as Promise<Record<string, never>>,
  });
}

function byName<Port extends { readonly name: string }>(ports: readonly Port[]): Record<string, Omit<Port, 'name'>> {
  return Object.fromEntries(ports.map(({ name, ...port }) => [name, port]));
}
