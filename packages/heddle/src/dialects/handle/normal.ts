// Handle, normal form: a handle definition as it is stored and run. Other spellings are resolved, decoration and drawing
// are gone, every node has a type, and every connection names its handles.

import type { JsonObject } from '../../base/json.ts';
import type { DrawnGraph, DrawnNode } from '../react-flow.ts';
import type { HandleConnection, HandleDefinition, HandleNode } from './handle.ts';

type OtherFields = 'edges' | 'decorative' | '$schema' | keyof DrawnGraph;

export interface NormalHandle extends Omit<HandleDefinition, 'mode' | 'nodes' | 'connections' | OtherFields> {
  /** Absent: one node at a time. */
  readonly mode?: 'parallel';
  /** What the editor saved, as it was. Not part of what the version is known by. */
  readonly drawing?: JsonObject;
  readonly nodes: readonly NormalHandleNode[];
  readonly connections: readonly NormalConnection[];
}

type NodeFields = 'type' | 'data' | 'parentId' | 'typeVersion';

export interface NormalHandleNode extends Omit<HandleNode, NodeFields | keyof DrawnNode> {
  readonly type: string;
  readonly data?: JsonObject;
  readonly parentId?: string;
  /** Nobody drew it: a type that compiles has made it. */
  readonly isMade?: true;
}

export interface NormalConnection extends HandleConnection {
  readonly fromOutput: string;
  readonly toInput: string;
}
