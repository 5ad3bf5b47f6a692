// Catalogue entry: what is known of a node type, as data: for an editor that offers it, and for the check of graphs that
// use it. Rules CT….

import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import type { JsonSchema, RetryDefinition } from '../../definition/definition.ts';
import type { InputPort, OutputPort } from '../dataflow/dataflow.ts';

/** What a type says of itself beside its ports. */
export interface NodeTypeFacts {
  /** Of its settings: nodes say which one theirs are of (`typeVersion`). Default: 1. */
  readonly version?: number;
  /** Default: its name. */
  readonly title?: string;
  readonly description?: string;
  /** Where an editor lists it. */
  readonly category?: string;
  /** The name of a picture, for an editor that has pictures by name. */
  readonly icon?: string;
  /** The handles that edges may leave, beside `error`. Absent: whatever its results name. */
  readonly handles?: readonly string[] | MadeHandles;
  /** The secrets that it needs. */
  readonly credentials?: readonly Credential[];
  /** Whether it does more than compute its outputs. Default: true. */
  readonly sideEffects?: boolean;
  /** Why it should not be used any more, and what to use instead. */
  readonly deprecated?: string;
  /** By version: how its settings become those of the next. */
  readonly migrations?: Readonly<Record<string, SettingsMigration>>;
}

/** Handles that the settings of a node name: one for each member of a list. */
export interface MadeHandles {
  /** The setting that is the list. */
  readonly from: string;
  /** Of members that are objects: where the name of the handle is. */
  readonly key?: string;
  /** Those that are there in any case. */
  readonly also?: readonly string[];
}

export interface Credential {
  /** Of the secret. */
  readonly name: string;
  readonly description?: string;
}

/** By setting of the next version: an expression over `settings`, or null if it is gone. What is not named stays. */
export type SettingsMigration = Readonly<Record<string, string | null>>;

/** What is known of one type. */
export interface CatalogueEntry extends NodeTypeFacts {
  /** Absent: whatever comes. */
  readonly inputs: readonly InputPort[] | undefined;
  readonly outputs: readonly OutputPort[] | undefined;
  /** What a node of the type becomes, where it is no work of its own. */
  readonly compile?: CompileNode;
}

/** By the names of the types. */
export type Catalogue = Readonly<Record<string, CatalogueEntry>>;

/** A node of a type that compiles. */
export interface NodeToCompile {
  readonly id: string;
  /** Of the newest version, with their defaults; what an edge brings is an expression that reads it. */
  readonly settings: JsonObject;
  /** An expression for the value of a setting, be it written out or an expression itself; `null` if it is absent. */
  readonly expressionOf: (setting: string) => string;
  /** An expression that reads the output of a node of the graph that it becomes. */
  readonly outputOf: (name: string) => string;
}

export type CompileNode = (node: NodeToCompile) => CompiledNode | CompiledGraph;

/** One node of another type. */
export interface CompiledNode {
  readonly type: string;
  readonly data?: JsonObject;
  readonly retry?: RetryDefinition;
  readonly timeoutMs?: number;
  /** By handle of the type: the handle of what it becomes. Absent: the same. */
  readonly handles?: Readonly<Record<string, string>>;
}

/** Several nodes, as a drawn graph has them, which run as one (`core.group`). */
export interface CompiledGraph {
  readonly nodes: readonly (Omit<CompiledNode, 'handles'> & {
    readonly id: string;
    readonly typeVersion?: number;
    readonly parentId?: string;
  })[];
  readonly edges?: readonly CompiledEdge[];
  /** Of the whole. Default: the outputs of its last nodes. */
  readonly output?: string;
  /** The handle that is taken. Default: all. */
  readonly handle?: string;
}

export interface CompiledEdge {
  readonly source: string;
  readonly target: string;
  readonly sourceHandle?: string;
  readonly targetHandle?: string;
  readonly maxIterations?: number;
}

const wordSchemas: Readonly<Record<string, JsonSchema>> = {
  number: { type: 'number' },
  string: { type: 'string' },
  boolean: { type: 'boolean' },
};

/** What the values of a port must look like; absent if nothing is said of it. */
export function schemaOfPort({ schema, type = '' }: OutputPort): JsonSchema | undefined {
  return schema ?? (Object.hasOwn(wordSchemas, type) ? wordSchemas[type] : undefined);
}

/** CT4: handles are listed, or made from a setting, `main` if that names none; null if nothing is said of them. */
export function listHandles({ handles }: NodeTypeFacts, settings: JsonObject): readonly string[] | null {
  if (handles === undefined) return null;
  if (!('from' in handles)) return handles;
  const { from, key, also = [] } = handles;
  const members = settings[from];
  const named = (Array.isArray(members) ? members : []).map((member: Json) =>
    key !== undefined && isJsonObject(member) ? member[key] : member,
  );
  const all = [...new Set([...named.filter((one) => typeof one === 'string'), ...also])];
  return all.length > 0 ? all : ['main'];
}
