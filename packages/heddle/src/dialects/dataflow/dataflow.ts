// Dataflow: a workflow drawn as nodes with ports and edges from port to port, as its author or an editor such as
// React Flow saves it. Plain JSON; what it means stands in SPEC.md, section DA.
//
// { "dialect": "dataflow", "id": "price", "nodes": [
//     { "id": "net", "type": "number", "inputs": { "value": 80 } },
//     { "id": "tax", "type": "multiply", "inputs": [ { "name": "a", "type": "number" }, { "name": "b", "value": 0.2 } ] },
//     { "id": "sum", "type": "add" } ],
//   "edges": [
//     { "source": "net", "sourceOutput": "value", "target": "tax", "targetInput": "a" },
//     { "source": "net", "sourceOutput": "value", "target": "sum", "targetInput": "a" },
//     { "source": "tax", "sourceOutput": "result", "target": "sum", "targetInput": "b" } ] }

import type { Json } from '../../base/json.ts';
import type { JsonSchema, RetryDefinition } from '../../definition/definition.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode } from '../react-flow.ts';

export interface DataflowDefinition extends DrawnGraph {
  readonly $schema?: string;
  readonly dialect: 'dataflow';
  readonly id: string;
  readonly version?: number;
  readonly name?: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly nodes: readonly DataflowNode[];
  readonly edges?: readonly DataflowEdge[];
  /** Node types that are only drawn. */
  readonly decorative?: readonly string[];
  readonly timeoutMs?: number;
  readonly limits?: Readonly<Record<string, number>>;
  readonly meta?: Json;
}

export interface DataflowNode extends DrawnNode {
  readonly id: string;
  /** The node type or action that does its work. It must be there, though the types of React Flow do not promise it. */
  readonly type?: string | undefined;
  readonly name?: string;
  /** A list of ports, or an object of values by port. */
  readonly inputs?: readonly InputPort[] | Readonly<Record<string, Json>>;
  readonly outputs?: readonly OutputPort[];
  readonly cost?: number;
  readonly retry?: RetryDefinition;
  readonly timeoutMs?: number;
  readonly meta?: Json;
  /** As React Flow saves it: its `inputs` and `outputs` are the ports of the node. */
  readonly data?: unknown;
}

export interface OutputPort {
  readonly name: string;
  /** What its values are: any word; `any` fits all. */
  readonly type?: string;
  readonly description?: string;
  /** For an editor: what it is called, and what its values look like. Values of drawn graphs are checked by it. */
  readonly title?: string;
  readonly schema?: JsonSchema;
}

export interface InputPort extends OutputPort {
  /** What it gets where no edge brings a value. */
  readonly value?: Json;
  /** It gathers the values of all its edges in a list. */
  readonly repeated?: boolean;
  /** A warning in a dataflow, where the node itself decides what it can do without; an error in other drawn graphs. */
  readonly required?: boolean;
}

/** The names of ports may be left out where a node has only one. */
export interface DataflowEdge extends DrawnEdge {
  readonly id?: string;
  readonly source: string;
  readonly sourceOutput?: string;
  readonly sourcePort?: string;
  readonly sourceHandle?: string | null | undefined;
  readonly target: string;
  readonly targetInput?: string;
  readonly targetPort?: string;
  readonly targetHandle?: string | null | undefined;
  readonly meta?: Json;
}
