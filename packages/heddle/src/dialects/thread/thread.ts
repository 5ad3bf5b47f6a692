// Thread: a workflow drawn as threads, as its author writes it, after other spellings are resolved. Plain
// JSON. What is legal beyond the shape stands in `thread/parse.ts`; what it means stands in SPEC.md, section TH.
//
// One of everything:
//
// { "dialect": "thread", "id": "review-papers", "version": 1, "name": "Review papers", "timeoutMs": 86400000,
//   "nodes": [
//     { "id": "start", "type": "start", "initialize": [
//         { "path": "papers" },
//         { "path": "options.depth", "optional": true, "default": 2 },
//         { "path": "total", "expression": "size(input.papers)" } ] },
//     { "id": "tidy", "type": "edit",
//       "upserts": [ { "path": "kind", "value": "review" }, { "path": "first", "expression": "context.papers[0]" } ],
//       "deletes": [ "options.depth" ] },
//     { "id": "many?", "type": "switch", "entries": [
//         { "name": "many", "expression": "size(context.papers) > 100" }, { "name": "few" } ] },
//     { "id": "score", "type": "action", "action": "score",
//       "inputs": [ { "to": "paper", "from": "first" }, { "to": "limit", "value": 10 } ],
//       "outputs": [ { "to": "output.score", "from": "score" }, { "to": "note", "from": "note", "optional": true } ],
//       "retry": { "maxAttempts": 3 }, "timeoutMs": 30000 },
//     { "id": "count", "type": "code", "path": "output", "expression": "size(context.papers)" },
//     { "id": "counts", "type": "code", "set": [ { "path": "a", "expression": "1 + 1" }, { "path": "b", "expression": "context.a * 2" } ] },
//     { "id": "both", "type": "fanOut", "outputs": [ "left", "right" ] },
//     { "id": "meet", "type": "fanIn" },
//     { "id": "slices", "type": "batch", "items": "papers", "batchSize": 10, "parallelBatches": 2 },
//     { "id": "publish", "type": "gosub", "workflow": "publish-papers", "version": 3,
//       "inputs": [ { "to": "scores", "from": "output" } ], "outputs": [ { "to": "published", "from": "ids" } ] },
//     { "id": "approve", "type": "input", "title": "Publish?" },
//     { "id": "end", "type": "end", "mappings": [ { "to": "scores", "from": "output.score" }, { "to": "ok", "expression": "context.approved" } ] } ],
//   "connectors": [
//     { "from": "start", "to": "tidy" },
//     { "from": "many?", "output": "many", "to": "slices" },
//     { "from": "both", "output": "left", "to": "score" },
//     { "from": "slices", "output": "process", "to": "count" },
//     { "from": "slices", "output": "continue", "to": "end" } ] }

import type { Json, JsonObject } from '../../base/json.ts';
import type { JsonSchema, RetryDefinition } from '../../definition/definition.ts';

export interface ThreadDefinition {
  /** The JSON Schema of the file, for editors. */
  readonly $schema?: string;
  readonly dialect: 'thread';
  readonly id: string;
  readonly version?: number;
  readonly name?: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly nodes: readonly ThreadNode[];
  readonly connectors?: readonly Connector[];
  readonly timeoutMs?: number;
  readonly limits?: Readonly<Record<string, number>>;
  readonly meta?: Json;
}

/** The way from an output of a node to the next node. A node has one follower per output. */
export interface Connector {
  readonly from: string;
  /** A switch has the names of its entries, a fan-out its outputs, a batch `process` and `continue`; others have one. */
  readonly output?: string;
  readonly to: string;
  readonly meta?: Json;
}

export type ThreadNode =
  | StartNode
  | EndNode
  | EditNode
  | SwitchNode
  | ActionNode
  | CodeNode
  | FanOutNode
  | FanInNode
  | BatchNode
  | GosubNode
  | InputNode;

interface NodeBase {
  readonly id: string;
  readonly title?: string;
  readonly meta?: Json;
}

/** Absent `initialize`: the whole input becomes the context. */
export interface StartNode extends NodeBase {
  readonly type: 'start';
  readonly initialize?: readonly InitialEntry[];
}

/** Taken from the input at the same path. A default, or an expression that gives one, makes it optional. */
export interface InitialEntry {
  readonly path: string;
  readonly optional?: boolean;
  readonly default?: Json;
  readonly expression?: string;
}

/** Absent `mappings`: the whole context is the result. */
export interface EndNode extends NodeBase {
  readonly type: 'end';
  readonly mappings?: readonly ThreadMapping[];
}

/** First the upserts, then the deletes, each in order. */
export interface EditNode extends NodeBase {
  readonly type: 'edit';
  readonly upserts?: readonly Upsert[];
  readonly deletes?: readonly string[];
}

/** Either a value or an expression. */
export interface Upsert {
  readonly path: string;
  readonly value?: Json;
  readonly expression?: string;
}

/** The first entry that holds; the last one is the default and needs no expression. */
export interface SwitchNode extends NodeBase {
  readonly type: 'switch';
  readonly entries: readonly SwitchEntry[];
}

export interface SwitchEntry {
  readonly name: string;
  /** An expression, or a condition as data. Absent or blank: never holds, unless it is the last. */
  readonly expression?: string | JsonObject;
}

/** Absent `inputs`: the whole context. Absent `outputs`: the result is written to `output`, if there is one. */
export interface ActionNode extends NodeBase {
  readonly type: 'action';
  readonly action: string | { readonly name: string; readonly version?: number };
  readonly inputs?: readonly ThreadMapping[];
  readonly outputs?: readonly ThreadMapping[];
  readonly retry?: RetryDefinition;
  readonly timeoutMs?: number;
}

/** Either `expression` (written to `path`, by default `output`) or `set`. */
export interface CodeNode extends NodeBase {
  readonly type: 'code';
  readonly path?: string;
  readonly expression?: string;
  readonly set?: readonly { readonly path: string; readonly expression: string }[];
}

/** Absent `outputs`: those that connectors name. */
export interface FanOutNode extends NodeBase {
  readonly type: 'fanOut';
  readonly outputs?: readonly string[];
}

export interface FanInNode extends NodeBase {
  readonly type: 'fanIn';
}

export interface BatchNode extends NodeBase {
  readonly type: 'batch';
  /** Where the list is in the context. In the process path it holds the slice. */
  readonly items: string;
  /** 0 (default): one slice with all items. */
  readonly batchSize?: number;
  /** Slices running at one time. Default: 1. */
  readonly parallelBatches?: number;
}

/** Absent `inputs`: the whole context. Absent `outputs`: the child's result is merged over the context. */
export interface GosubNode extends NodeBase {
  readonly type: 'gosub';
  readonly workflow: string;
  readonly version?: number;
  readonly inputs?: readonly ThreadMapping[];
  readonly outputs?: readonly ThreadMapping[];
}

/** The answer, an object or nothing, is merged over the context. */
export interface InputNode extends NodeBase {
  readonly type: 'input';
  readonly schema?: JsonSchema;
  readonly deadlineMs?: number;
}

/**
 * Exactly one of `from`, `expression` and `value`. `from` is a path in the context, or in the result for `outputs`.
 * A value that is missing fails the node, unless the mapping is optional.
 */
export interface ThreadMapping {
  readonly to: string;
  readonly from?: string;
  readonly expression?: string;
  readonly value?: Json;
  readonly optional?: boolean;
}

/** A definition while it is being read: parts that do not fit were reported and left out. */
export interface ThreadDraft extends Omit<ThreadDefinition, 'connectors'> {
  readonly connectors: readonly Connector[];
}

/** Whether an entry says nothing, and never holds. */
export const isBlank = ({ expression = '' }: SwitchEntry): boolean =>
  typeof expression === 'string' && expression.trim() === '';

/** The connectors by the node that they leave. */
export function groupConnectors(connectors: readonly Connector[]): ReadonlyMap<string, readonly Connector[]> {
  const leaving = new Map<string, Connector[]>();
  for (const connector of connectors) {
    const others = leaving.get(connector.from);
    if (others === undefined) leaving.set(connector.from, [connector]);
    else others.push(connector);
  }
  return leaving;
}
