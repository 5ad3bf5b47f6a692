// Node type: work for the dataflow dialect, written as a function from input ports to output ports. Each is an action
// that knows its ports. Rules DA36 to DA40.

import type { Json } from '../../../base/json.ts';
import { kindOf } from '../../../base/kind-of.ts';
import type { ObjectReference } from '../../../base/object-reference.ts';
import type { Problem } from '../../../base/problem.ts';
import { tagNumbers, untagNumbers } from '../../../base/tagged-numbers.ts';
import type { Action, ActionContext, ActionObject, ActionSettings, Actions } from '../../../executor/action.ts';
import { ActionError } from '../../../executor/action-error.ts';
import type { GatheredActions } from '../../../executor/registry.ts';
import { CompiledType } from '../../catalogue/compiled-type.ts';
import type { Catalogue, NodeTypeFacts } from '../../catalogue/entry.ts';
import {
  type InputPorts,
  isObject,
  listPorts,
  type OutputPorts,
  pickFacts,
  refuseType,
} from '../../catalogue/given-type.ts';
import type { InputPort, OutputPort } from '../dataflow.ts';

/** What a value of a port is, by the words that TypeScript knows too; an artifact comes as a reference to its bytes. */
type ValueOf<Port> = Port extends { readonly type: 'number' }
  ? number
  : Port extends { readonly type: 'string' }
    ? string
    : Port extends { readonly type: 'boolean' }
      ? boolean
      : Port extends { readonly type: 'artifact' }
        ? ObjectReference
        : Json;

/** `undefined` where nothing came, whatever the port says: the node decides what it can do without. */
export type NodeInputs<Ports> = {
  readonly [Name in keyof Ports]:
    | (Ports[Name] extends { readonly repeated: true } ? readonly ValueOf<Ports[Name]>[] : ValueOf<Ports[Name]>)
    | undefined;
};

/** What is `undefined` is left out. */
export type NodeOutputs<Ports> = { readonly [Name in keyof Ports]?: ValueOf<Ports[Name]> | undefined };

/** In drawn graphs: the handles that are taken. */
interface NamedHandles {
  readonly _branch?: string | readonly string[];
}

type Returned<Ports> = (NodeOutputs<Ports> & NamedHandles) | NodeFailure;

export interface NodeContext<Inputs = Readonly<Record<string, unknown>>> extends ActionContext {
  readonly inputs: Inputs;
}

/** What a node says instead of outputs when it has failed. */
export class NodeFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** For a node to return: it has failed. Throwing does the same. */
export function failure(message: string): NodeFailure {
  return new NodeFailure(message);
}

type Settings = Omit<ActionSettings, 'input' | 'output'> & NodeTypeFacts;

export interface NodeTypeSource<Inputs extends InputPorts, Outputs extends OutputPorts> extends Settings {
  /** Absent: whatever edges and values bring. */
  readonly inputs?: Inputs;
  /** Absent: whatever it returns. */
  readonly outputs?: Outputs;
  readonly run: (context: NodeContext<NodeInputs<Inputs>>) => Returned<Outputs> | Promise<Returned<Outputs>>;
}

/** As it is held, whatever its ports are. */
interface UntypedSource extends Settings {
  readonly inputs?: InputPorts;
  readonly outputs?: OutputPorts;
  run(context: NodeContext): unknown;
}

/** By name, or a list of those that have theirs. */
export type NodeTypes = Readonly<Record<string, NodeType | CompiledType>> | readonly NodeType[];

/** A node type whose ports give its function the types of its inputs and outputs. */
export function defineNodeType<const Inputs extends InputPorts, const Outputs extends OutputPorts>(
  source: NodeTypeSource<Inputs, Outputs>,
): NodeType {
  return new NodeType(source);
}

export class NodeType implements ActionObject {
  declare readonly name?: string;
  readonly inputs: readonly InputPort[] | undefined;
  readonly outputs: readonly OutputPort[] | undefined;
  /** For editors. */
  readonly facts: NodeTypeFacts;
  readonly #source: UntypedSource;

  constructor(source: UntypedSource) {
    refuseType(source, 'run', settings);
    this.inputs = source.inputs && listPorts(source.inputs);
    this.outputs = source.outputs && listPorts(source.outputs);
    this.facts = pickFacts(source);
    this.#source = source;
    for (const name of settings) if (source[name] !== undefined) Object.assign(this, { [name]: source[name] });
  }

  /** The same under the name that it is registered by. */
  named(name: string): NodeType {
    return name === this.name ? this : new NodeType({ ...this.#source, name });
  }

  async run(context: ActionContext): Promise<unknown> {
    // DA37: a node is given a value for each port that has one, and `undefined` for the others.
    const missing = Object.fromEntries((this.inputs ?? []).map(({ name }) => [name, undefined]));
    const inputs = { ...missing, ...(untagNumbers(context.input) as object) }; // by its type, or spreading does nothing
    return takeOutputs(await this.#source.run(Object.assign(context, { inputs })), context.nodeId);
  }
}

function takeOutputs(returned: unknown, nodeId: string): unknown {
  // DA38: a node fails by throwing, or by returning a failure; the message is kept as it is.
  if (returned instanceof NodeFailure) throw new ActionError(returned.message, { code: 'NODE_FAILED' });
  // DA39: NaN and the infinities are kept as tagged values, in outputs and on the way to the next node.
  if (returned === undefined || isObject(returned)) return tagNumbers(returned);
  const message = `Expected node "${nodeId}" to return its outputs by port, but it returned ${kindOf(returned)}`;
  throw new ActionError(message, { code: 'OUTPUTS_INVALID', retryable: false });
}

const settings = ['name', 'timeoutMs', 'retry', 'execution', 'concurrency', 'rate', 'cost', 'version'] as const;

/** DA40: node types are actions by their names, but for those that compile; a name that is given twice is refused. */
export function addNodeTypes(actions: Actions, nodeTypes: NodeTypes): GatheredActions {
  const taken = new Set(listEntries<Action>(actions).map(([name]) => name));
  const problems: Problem[] = [];
  const types: [string, NodeType][] = [];
  for (const [name, type] of listEntries<NodeType | CompiledType>(nodeTypes)) {
    const refused = checkNodeType(name, type, taken);
    taken.add(name);
    if (refused) problems.push(refused);
    else if (type instanceof NodeType) types.push([name, type]);
  }
  if (Array.isArray(actions))
    return { actions: [...actions, ...types.map(([name, type]) => type.named(name))], problems };
  const named = actions as Readonly<Record<string, Action>>; // it is no list
  return { actions: { ...named, ...Object.fromEntries(types) }, problems };
}

function checkNodeType(name: string, type: unknown, taken: ReadonlySet<string>): Problem | null {
  const refuse = (code: string, message: string): Problem => ({
    severity: 'error',
    code,
    pointer: `/${name}`,
    message,
  });
  if (!(type instanceof NodeType || type instanceof CompiledType))
    return refuse(
      'WRONG_TYPE',
      `Expected node type "${name}" to be made with defineNodeType or defineCompiledType, but found ${kindOf(type)}`,
    );
  return taken.has(name)
    ? refuse('DUPLICATE_NAME', `Expected a node type under a name of its own, but "${name}" is taken`)
    : null;
}

function listEntries<Item extends Action | CompiledType>(
  items: Readonly<Record<string, Item>> | readonly Item[],
): (readonly [string, Item])[] {
  if (!Array.isArray(items)) return Object.entries(items);
  // Of what is none, others tell.
  return Array.from(items as readonly Item[], (item) => [
    (Object(item) as { readonly name?: string }).name ?? '', // any object can be asked
    item,
  ]);
}

/** What is known of those actions and node types that say it. */
export function catalogueOf(actions: Actions | NodeTypes): Catalogue {
  return Object.fromEntries(
    // Or a list: `listEntries` looks.
    listEntries(actions as Readonly<Record<string, Action | CompiledType>>).flatMap(([name, type]) => {
      if (type instanceof CompiledType) return [[name, type.entry]];
      return type instanceof NodeType ? [[name, { ...type.facts, inputs: type.inputs, outputs: type.outputs }]] : [];
    }),
  );
}
