// Builder: writes a definition in TypeScript, so that a transition to a node that is not there, an initial node that
// is not there, or a second node of the same id does not compile. What it builds is the same plain JSON that others
// write by hand; `register` checks the rest.
//
// Always true: a builder is never altered; every call answers with a new one.

import type { Definition, MappingSource, NodeDefinition, TransitionDefinition } from '../definition/definition.ts';

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

/** Nothing to pass if the initial node is there; else an argument that cannot be given, whose type says why. */
type InitialNodeIsThere<Initial extends string, Nodes extends string> = [Initial] extends [Nodes]
  ? []
  : [problem: `Expected a node "${Initial}" as the initial one, but there is none`];

export function workflow<const Initial extends string = never>(
  id: string,
  options: WorkflowOptions<Initial> = {},
): WorkflowBuilder<never, Initial> {
  return new WorkflowBuilder({ id, ...options });
}

type Parts = Omit<Definition, 'initialNode' | 'nodes'> & { readonly initialNode?: string };

class WorkflowBuilder<Nodes extends string, Initial extends string> {
  readonly #parts: Parts;
  readonly #nodes: readonly NodeDefinition[];
  readonly #transitions: readonly TransitionDefinition[];

  constructor(parts: Parts, nodes: readonly NodeDefinition[] = [], transitions: readonly TransitionDefinition[] = []) {
    this.#parts = parts;
    this.#nodes = nodes;
    this.#transitions = transitions;
  }

  /** Without an action, a workflow or a wait the node passes through. */
  node<const Id extends string>(
    id: NewId<Id, Nodes>,
    node: Omit<NodeDefinition, 'id'> = {},
  ): WorkflowBuilder<Nodes | Id, Initial> {
    return new WorkflowBuilder(this.#parts, [...this.#nodes, { id, ...node }], this.#transitions);
  }

  transition(from: Nodes, to: Nodes, options: TransitionOptions<Nodes> = {}): WorkflowBuilder<Nodes, Initial> {
    return new WorkflowBuilder(this.#parts, this.#nodes, [...this.#transitions, { from, to, ...options }]);
  }

  /** The output of a run: keys are its keys, values expressions. */
  output(outputMapping: MappingSource): WorkflowBuilder<Nodes, Initial> {
    return new WorkflowBuilder({ ...this.#parts, outputMapping }, this.#nodes, this.#transitions);
  }

  build(..._problem: InitialNodeIsThere<Initial, Nodes>): Definition {
    const initialNode = this.#parts.initialNode ?? this.#nodes[0]?.id ?? '';
    return { ...this.#parts, initialNode, nodes: this.#nodes, transitions: this.#transitions };
  }
}

export type { WorkflowBuilder };
