// Handle: a workflow drawn as nodes and connections between their handles, as its author or an editor such as
// React Flow saves it. Plain JSON; what it means stands in SPEC.md, section HN.
//
// { "dialect": "handle", "id": "greet", "version": 1, "name": "Greet", "maxNodes": 20, "timeoutMs": 60000,
//   "nodes": [
//     { "id": "1", "type": "WEBHOOK_TRIGGER" },
//     { "id": "2", "type": "IF_ELSE", "data": { "condition": { "field": "user.age", "operator": "less_than", "value": 18 } } },
//     { "id": "3", "type": "SEND_MAIL", "data": { "template": "welcome" }, "name": "Say hello" } ],
//   "connections": [
//     { "fromNodeId": "1", "toNodeId": "2" },
//     { "fromNodeId": "2", "fromOutput": "false", "toNodeId": "3", "toInput": "main" } ] }

import type { Json } from '../../base/json.ts';
import type { RetryDefinition } from '../../definition/definition.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode } from '../react-flow.ts';

export interface HandleDefinition extends DrawnGraph {
  readonly $schema?: string;
  readonly dialect: 'handle';
  /** How it is run. Default: `sequential`; a graph as React Flow saves it, without `dialect`, is `parallel`. */
  readonly mode?: 'sequential' | 'parallel';
  readonly id: string;
  readonly version?: number;
  readonly name?: string;
  readonly description?: string;
  readonly nodes: readonly HandleNode[];
  readonly connections?: readonly HandleConnection[];
  /** The same in the words of React Flow. */
  readonly edges?: readonly HandleEdge[];
  /** Node types that are only drawn. */
  readonly decorative?: readonly string[];
  readonly maxNodes?: number;
  /** Parallel: the most rounds of a loop, where its edge does not say. */
  readonly maxIterations?: number;
  readonly timeoutMs?: number;
  readonly limits?: Readonly<Record<string, number>>;
  readonly meta?: Json;
}

export interface HandleNode extends DrawnNode {
  readonly id: string;
  /** The executor (or action) that runs it. Default: `default`. */
  readonly type?: string | undefined;
  readonly name?: string;
  /** The node's configuration. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Parallel: the node that it is drawn in. */
  readonly parentId?: string | undefined;
  /** Parallel: the version of its type that its settings are of. Absent: the newest. */
  readonly typeVersion?: number;
  /** Parallel: when a failed attempt is made again, and how long one may take. */
  readonly retry?: RetryDefinition;
  readonly timeoutMs?: number;
  readonly meta?: Json;
}

/** A handle that is not named is `main`. */
export interface HandleConnection {
  readonly id?: string;
  readonly fromNodeId: string;
  readonly toNodeId: string;
  readonly fromOutput?: string;
  readonly toInput?: string;
  /** Parallel, of one that leads back: the most rounds of the loop. */
  readonly maxIterations?: number;
  readonly meta?: Json;
}

export interface HandleEdge extends DrawnEdge {
  readonly id?: string;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle?: string | null | undefined;
  readonly targetHandle?: string | null | undefined;
  readonly maxIterations?: number;
  readonly meta?: Json;
}
