// Node type: work for the dataflow dialect, written as a function from input ports to output ports. Each is an action
// that knows its ports. Rules DA36 to DA40.

import { HeddleError } from '../../../base/heddle-error.ts';
import type { Json } from '../../../base/json.ts';
import { kindOf } from '../../../base/kind-of.ts';
import type { ObjectReference } from '../../../base/object-reference.ts';
import type { Problem } from '../../../base/problem.ts';
import { refuseUnknown } from '../../../base/refuse-options.ts';
import { tagNumbers, untagNumbers } from '../../../base/tagged-numbers.ts';
import type { Action, ActionContext, ActionObject, ActionSettings, Actions } from '../../../executor/action.ts';
import { ActionError } from '../../../executor/action-error.ts';
import type { GatheredActions } from '../../../executor/registry.ts';
import type { InputPort, NodeTypePorts, OutputPort } from '../dataflow.ts';

/** Ports by name. */
type InputPorts = Readonly<Record<string, Omit<InputPort, 'name'>>>;
type OutputPorts = Readonly<Record<string, Omit<OutputPort, 'name'>>>;

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

type Settings = Omit<ActionSettings, 'input' | 'output'>;

export interface NodeTypeSource<Inputs extends InputPorts, Outputs extends OutputPorts> extends Settings {
  /** Absent: whatever edges and values bring. */
  readonly inputs?: Inputs;
  /** Absent: whatever it returns. */
  readonly outputs?: Outputs;
  readonly run: (
    context: NodeContext<NodeInputs<Inputs>>,
  ) => NodeOutputs<Outputs> | NodeFailure | Promise<NodeOutputs<Outputs> | NodeFailure>;
}

/** As it is held, whatever its ports are. */
interface UntypedSource extends Settings {
  readonly inputs?: InputPorts;
  readonly outputs?: OutputPorts;
  run(context: NodeContext): unknown;
}

/** By name, or a list of those that have theirs. */
export type NodeTypes = Readonly<Record<string, NodeType>> | readonly NodeType[];

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
  readonly #source: UntypedSource;

  constructor(source: UntypedSource) {
    refuseSource(source);
    this.inputs = source.inputs && listPorts(source.inputs);
    this.outputs = source.outputs && listPorts(source.outputs);
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

/** DA36: a port without a type takes and gives anything. */
function listPorts<Port extends object>(ports: Readonly<Record<string, Port>>): (Port & OutputPort)[] {
  return Object.entries(ports).map(([name, port]) => ({ type: 'any', ...port, name }));
}

function takeOutputs(returned: unknown, nodeId: string): unknown {
  // DA38: a node fails by throwing, or by returning a failure; the message is kept as it is.
  if (returned instanceof NodeFailure) throw new ActionError(returned.message, { code: 'NODE_FAILED' });
  // DA39: NaN and the infinities are kept as tagged values, in outputs and on the way to the next node.
  if (returned === undefined || isObject(returned)) return tagNumbers(returned);
  const message = `Expected node "${nodeId}" to return its outputs by port, but it returned ${kindOf(returned)}`;
  throw new ActionError(message, { code: 'OUTPUTS_INVALID', retryable: false });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const settings = ['name', 'timeoutMs', 'retry', 'execution', 'concurrency', 'rate', 'cost', 'version'] as const;
const sourceFields = ['inputs', 'outputs', 'run', ...settings];
const portFields = ['type', 'description', 'value', 'repeated', 'required'];

/** A mistake shows where the node type is defined, not in the first run. */
function refuseSource(source: UntypedSource): void {
  if (!isObject(source)) throw invalid(`a node type, but found ${kindOf(source)}`);
  refuseUnknown('a node type', source, sourceFields);
  if (typeof source.run !== 'function') throw invalid(`a function "run", but found ${kindOf(source['run'])}`);
  for (const ports of [source.inputs ?? {}, source.outputs ?? {}]) {
    if (!isObject(ports)) throw invalid(`ports by name, but found ${kindOf(ports)}`);
    for (const [name, port] of Object.entries(ports)) {
      if (!isObject(port)) throw invalid(`port "${name}" to be an object such as {type}, but found ${kindOf(port)}`);
      refuseUnknown(`port "${name}"`, port, portFields);
    }
  }
}

function invalid(what: string): HeddleError {
  return new HeddleError('OPTION_INVALID', `Expected ${what}`);
}

/** DA40: node types are actions by their names; a name that is given twice is refused. */
export function addNodeTypes(actions: Actions, nodeTypes: NodeTypes): GatheredActions {
  const taken = new Set(listEntries(actions).map(([name]) => name));
  const problems: Problem[] = [];
  const types: [string, NodeType][] = [];
  for (const [name, type] of listEntries(nodeTypes)) {
    const refused = checkNodeType(name, type, taken);
    taken.add(name);
    if (refused) problems.push(refused);
    else types.push([name, type]);
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
  if (!(type instanceof NodeType))
    return refuse(
      'WRONG_TYPE',
      `Expected node type "${name}" to be made with defineNodeType, but found ${kindOf(type)}`,
    );
  return taken.has(name)
    ? refuse('DUPLICATE_NAME', `Expected a node type under a name of its own, but "${name}" is taken`)
    : null;
}

function listEntries<Item extends Action>(
  items: Readonly<Record<string, Item>> | readonly Item[],
): (readonly [string, Item])[] {
  if (!Array.isArray(items)) return Object.entries(items);
  // Of what is none, others tell.
  return Array.from(items as readonly Item[], (item) => [
    (Object(item) as { readonly name?: string }).name ?? '', // any object can be asked
    item,
  ]);
}

/** The ports of those actions that say which they have. */
export function portsOf(actions: Actions): NodeTypePorts {
  return Object.fromEntries(
    // Or a list: `listEntries` looks.
    listEntries(actions as Readonly<Record<string, Action>>).flatMap(([name, action]) =>
      action instanceof NodeType ? [[name, { inputs: action.inputs, outputs: action.outputs }]] : [],
    ),
  );
}
