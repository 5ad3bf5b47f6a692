// Dataflow, normal form: a dataflow definition as it is stored and run. Other spellings are resolved, decoration and
// drawing are gone, ports are lists, and every edge names its ports.

import type { DrawnEdge, DrawnGraph, DrawnNode } from '../react-flow.ts';
import type { DataflowDefinition, DataflowEdge, DataflowNode, InputPort } from './dataflow.ts';

export interface NormalDataflow
  extends Omit<DataflowDefinition, 'nodes' | 'edges' | 'decorative' | '$schema' | keyof DrawnGraph> {
  readonly nodes: readonly NormalDataflowNode[];
  readonly edges?: readonly NormalDataflowEdge[];
}

export interface NormalDataflowNode extends Omit<DataflowNode, 'type' | 'inputs' | 'data' | keyof DrawnNode> {
  readonly type: string;
  readonly inputs?: readonly InputPort[];
}

type OtherNames = 'sourcePort' | 'sourceHandle' | 'targetPort' | 'targetHandle';

export interface NormalDataflowEdge extends Omit<DataflowEdge, OtherNames | keyof DrawnEdge> {
  readonly sourceOutput: string;
  readonly targetInput: string;
}

/** The type of nodes that put out the fields of the run's input. */
export const inputNodeType = 'core.input';

/** Every id that the graph has: its nodes, then those that only edges speak of. */
export function nodeIdsOf({ nodes, edges = [] }: Pick<NormalDataflow, 'nodes' | 'edges'>): string[] {
  const ids = new Set(nodes.map(({ id }) => id));
  for (const { source, target } of edges) ids.add(source).add(target);
  return [...ids];
}
