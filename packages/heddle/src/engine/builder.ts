// Builder: writes a definition in TypeScript, so that a transition to a node that is not there, an initial node that
// is not there, or a second node of the same id does not compile. What it builds is the same plain JSON that others
// write by hand; `register` checks the rest.
//
// Always true: a builder is never altered; every call answers with a new one.

import { HeddleError } from '../base/heddle-error.ts';
import { findNearest } from '../base/nearest.ts';
import type { Definition, MappingSource, NodeDefinition, TransitionDefinition } from '../definition/definition.ts';
import type { ActionReference, KnownActions, NodeFields } from './known-actions.ts';

export interface WorkflowOptions<Initial extends string>
  extends Omit<Definition, 'id' | 'initialNode' | 'nodes' | 'transitions' | 'outputMapping'> {
  /** Where a run starts. Absent: at the first node. */
  readonly initialNode?: Initial;
}

export interface TransitionOptions<Nodes extends string>
  extends Omit<TransitionDefinition, 'from' | 'to' | 'emptyJoin'> {
  readonly emptyJoin?: Nodes;
}

/** An id that is not taken yet. Ids that are only known as `string` cannot be told apart here. */
type NewId<Id extends string, Nodes extends string> = string extends Nodes ? Id : Id extends Nodes ? never : Id;

/** Anything if the initial node is there, or its id is only known as `string`; else a text that says what is wrong. */
type InitialNodeIsThere<Initial extends string, Nodes extends string> = string extends Initial | Nodes
  ? unknown
  : [Initial] extends [Nodes]
    ? unknown
    : `Expected initialNode to be the id of a node, but there is no node "${Exclude<Initial, Nodes>}"`;

export function workflow<const Initial extends string = never>(
  id: string,
  options: WorkflowOptions<Initial> = {},
): WorkflowBuilder<never, Initial, never> {
  return new WorkflowBuilder({ id, ...options });
}

type Parts = Omit<Definition, 'initialNode' | 'nodes'> & { readonly initialNode?: string };

class WorkflowBuilder<Nodes extends string, Initial extends string, Known extends KnownActions> {
  readonly #parts: Parts;
  readonly #nodes: readonly NodeDefinition[];
  readonly #transitions: readonly TransitionDefinition[];

  constructor(parts: Parts, nodes: readonly NodeDefinition[] = [], transitions: readonly TransitionDefinition[] = []) {
    this.#parts = parts;
    this.#nodes = nodes;
    this.#transitions = transitions;
  }

  /**
   * Says which actions there are, as a value or as a type, so that the mappings of the nodes that follow are checked
   * against the types of their actions. It has no effect at run time: the engine is given its actions elsewhere.
   */
  actions<Given extends KnownActions>(_actions?: Given): WorkflowBuilder<Nodes, Initial, Given> {
    return new WorkflowBuilder(this.#parts, this.#nodes, this.#transitions);
  }

  /** Without an action, a workflow or a wait the node passes through. */
  node<
    const Id extends string,
    const Reference extends ActionReference<Known> = never,
    const In extends MappingSource = MappingSource,
    const Out extends MappingSource = MappingSource,
  >(id: NewId<Id, Nodes>, node?: NodeFields<Known, Reference, In, Out>): WorkflowBuilder<Nodes | Id, Initial, Known> {
    return new WorkflowBuilder(this.#parts, [...this.#nodes, { id, ...node }], this.#transitions);
  }

  transition(from: Nodes, to: Nodes, options: TransitionOptions<Nodes> = {}): WorkflowBuilder<Nodes, Initial, Known> {
    return new WorkflowBuilder(this.#parts, this.#nodes, [...this.#transitions, { from, to, ...options }]);
  }

  /** The output of a run: keys are its keys, values expressions. */
  output(outputMapping: MappingSource): WorkflowBuilder<Nodes, Initial, Known> {
    return new WorkflowBuilder({ ...this.#parts, outputMapping }, this.#nodes, this.#transitions);
  }

  build(this: WorkflowBuilder<Nodes, Initial, Known> & InitialNodeIsThere<Initial, Nodes>): Definition {
    const initialNode = this.#parts.initialNode ?? this.#nodes[0]?.id ?? '';
    const definition = { ...this.#parts, initialNode, nodes: this.#nodes, transitions: this.#transitions };
    if (this.#parts.initialNode !== undefined) refuseUnknownInitial(definition);
    return definition;
  }
}

/** OP20: an initial node that is not there is refused when the definition is built, with the nodes that are. */
function refuseUnknownInitial({ id, initialNode, nodes }: Definition): void {
  const ids = nodes.map((node) => node.id);
  if (ids.includes(initialNode)) return;
  const nearest = findNearest(initialNode, ids);
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  throw new HeddleError(
    'DEFINITION_INVALID',
    `Expected initialNode of workflow "${id}" to be the id of a node, but "${initialNode}" is none of ${listOf(ids)}${hint}`,
    { pointer: '/initialNode' },
  );
}

const idsTold = 20;

function listOf(ids: readonly string[]): string {
  const told = ids.slice(0, idsTold).map((id) => `"${id}"`);
  const rest = ids.length - told.length;
  return `its nodes (${told.join(', ') || 'there are none'}${rest > 0 ? ` and ${rest} more` : ''})`;
}

export type { WorkflowBuilder };
