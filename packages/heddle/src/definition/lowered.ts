// Lowered: what a dialect is compiled to: a token definition with the policy of its dialect and with edits, which
// authors of token definitions cannot write. Plain JSON, so that `heddle convert` can show it.
//
// Always true: ids lead somewhere, expressions compile and paths are legal; the dialect has checked the source.

import type { Json } from '../base/json.ts';
import type { BatchDefinition, Definition, NodeDefinition, TransitionDefinition } from './definition.ts';
import type { Policy } from './graph.ts';

export interface Lowered extends Omit<Definition, 'nodes' | 'transitions'> {
  readonly policy: Policy;
  readonly nodes: readonly LoweredNode[];
  readonly transitions?: readonly LoweredTransition[];
  /** Where a run begins beside `initialNode`. */
  readonly moreInitialNodes?: readonly string[];
  /** Where the whole output of a run is. */
  readonly output?: SourceDefinition;
}

export interface LoweredTransition extends TransitionDefinition {
  /** Nobody drew it: it is never taken, only its condition is looked at. */
  readonly probe?: true;
}

export interface LoweredNode extends Omit<NodeDefinition, 'batch'> {
  readonly batch?: LoweredBatch;
  /** The input of its work, made from nothing: there is nothing to delete. */
  readonly inputEdits?: readonly EditDefinition[];
  /** What it writes to the state when its work is done. */
  readonly edits?: readonly EditDefinition[];
  /** Makes the run's output from nothing; a later one replaces it. */
  readonly resultEdits?: readonly EditDefinition[];
}

export interface LoweredBatch extends BatchDefinition {
  /** An expression that gives the list; `items` is then only where a slice is seen. */
  readonly collection?: string;
  /** The name of the item, where a slice has one. */
  readonly itemVar?: string;
  /** What the author calls the path of the items, in messages. Absent: as it is. */
  readonly label?: string;
}

export type EditDefinition =
  /** Without a value nothing is set, or the node fails if it is required. */
  | { readonly set: readonly string[]; readonly to: SourceDefinition; readonly required?: boolean }
  | { readonly merge: SourceDefinition }
  | { readonly delete: readonly string[] };

export type SourceDefinition =
  | { readonly literal: Json }
  | { readonly path: readonly string[] }
  | { readonly expression: string }
  | { readonly first: readonly SourceDefinition[] }
  | { readonly list: readonly SourceDefinition[] };
