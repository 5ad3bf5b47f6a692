// Dataflow draft: a dataflow definition while it is being read. Of the right shape in every part that is there, but
// ports may still stand in `data`, and edges may lack theirs or lead nowhere.

import type { Json } from '../../base/json.ts';
import type { InputPort, OutputPort } from './dataflow.ts';
import type { NormalDataflow, NormalDataflowEdge, NormalDataflowNode } from './normal.ts';

export interface DataflowDraft extends Omit<NormalDataflow, 'nodes' | 'edges'> {
  readonly $schema?: string;
  readonly decorative?: readonly string[];
  nodes: readonly NodeDraft[];
  readonly edges: readonly EdgeDraft[];
}

export interface NodeDraft extends Omit<NormalDataflowNode, 'inputs' | 'outputs'> {
  inputs?: readonly InputPort[];
  outputs?: readonly OutputPort[];
  readonly data?: Json;
  readonly position?: Json;
}

export type EdgeDraft = { -readonly [Key in keyof NormalDataflowEdge]: NormalDataflowEdge[Key] };

/** How an edge is called in messages: its id, and its ends. */
export function labelOf({ id, source, target }: EdgeDraft): string {
  return id === undefined ? `edge "${source}->${target}"` : `edge "${id}" ("${source}->${target}")`;
}
