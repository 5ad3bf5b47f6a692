// Definitions: the registered versions, compiled once per version and process and shared by all their runs. Rules DV….

import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { ActionSchemas, KnownSchemas, WorkflowName, WorkflowSchemas } from '../definition/flow/known-schemas.ts';
import type { Graph } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import type { Catalogue } from '../dialects/catalogue/entry.ts';
import { warnOfMissingActions } from '../dialects/check-definition.ts';
import { compileGraph, compileParsed } from '../dialects/compile-graph.ts';
import type { NormalDefinition } from '../dialects/dialect.ts';
import { type Parsed, parseDefinition } from '../dialects/parse.ts';
import { contentHash } from '../dialects/version.ts';
import type { DefinitionRow, Store } from './ports.ts';
import { sideCommit } from './side-writer.ts';
import { StoreError } from './store-error.ts';

export interface Registered {
  readonly problems: readonly Problem[];
  readonly id: string | null;
  /** Null if there are errors: nothing was stored. */
  readonly version: number | null;
  readonly hash: string | null;
  /** False if equal content was registered before. */
  readonly isNew: boolean;
}

/** Looks at a version before it is stored, and throws to refuse it: its hash, and the newest version that there is. */
export type AdmitVersion = (hash: string, newest: DefinitionRow | null) => void;

/** What is known of actions when definitions are read and compiled. */
export interface ActionFacts {
  /** What an action costs, where its node does not say. */
  readonly costOf?: (action: string) => number;
  /** All that there can be; null if that is not known. */
  readonly actionNames?: () => readonly string[] | null;
  readonly nodeTypes?: Catalogue;
  /** What is known of what actions take and give. */
  readonly schemas?: ActionSchemas;
}

/** By `id@version`: a version as it was saved last. */
const decorationKind = 'drawing';
const refusedMax = 1_000;
/** Of each: who starts it all the same is told some; who registers it has been told all. */
const refusedProblemsMax = 20;

export class Definitions {
  readonly #store: Store;
  readonly #limits: Limits;
  readonly #costOf: (action: string) => number;
  readonly #actionNames: () => readonly string[] | null;
  readonly #nodeTypes: Catalogue;
  readonly #schemas: ActionSchemas;
  readonly #graphs = new Map<string, Graph>();
  /** The newest version of each workflow that was asked for; this process alone registers new ones. */
  readonly #latest = new Map<string, Graph>();
  /** How often a version was stored: what was looked up before may be the latest no more. */
  #changes = 0;
  /** Why workflows were refused in this process. */
  readonly #refused = new Map<string, readonly Problem[]>();
  #registering: Promise<unknown> = Promise.resolve();

  constructor(
    store: Store,
    limits: Limits,
    { costOf = () => 0, actionNames = () => null, nodeTypes = {}, schemas = () => undefined }: ActionFacts = {},
  ) {
    this.#store = store;
    this.#limits = limits;
    this.#costOf = costOf;
    this.#actionNames = actionNames;
    this.#nodeTypes = nodeTypes;
    this.#schemas = schemas;
  }

  /** DV6: one registration at a time: between finding a free version and storing it nobody else may take it. */
  register(source: unknown, at: number, admit?: AdmitVersion): Promise<Registered> {
    const registered = this.#registering.then(() => this.#registerNext(source, at, admit));
    this.#registering = registered.catch(() => undefined);
    return registered;
  }

  async #registerNext(source: unknown, at: number, admit?: AdmitVersion): Promise<Registered> {
    const first = this.parse(source);
    // DV5: nothing is stored of a definition with errors.
    if (!first.definition) return this.#refuse(first.source, first.problems);
    const { definition } = first;
    const hash = contentHash(definition);
    admit?.(hash, await this.#store.findDefinition(definition.id, null));
    const children = await this.#findChildren(definition);
    // DF92: what the workflows take and give that it calls is what they are registered with now.
    const { problems } = children.size === 0 ? first : this.parse(first.source, (call) => children.get(nameOf(call)));
    const warnings = [...problems, ...warnOfMissingChildren(definition, children)];
    const same = await this.#store.findDefinitionByHash(definition.id, hash);
    // DV1: equal content is the version that it already is.
    if (same) {
      await this.#keepDecoration(same, definition);
      return { problems: warnings, id: same.id, version: same.version, hash, isNew: false };
    }
    const version = await this.#nextVersion(definition);
    if (version === null)
      return { problems: [...warnings, versionExists(definition)], id: null, version: null, hash: null, isNew: false };
    const body = JSON.stringify({ ...definition, version });
    await this.#store.saveDefinition({ id: definition.id, version, hash, body, createdAt: at });
    this.#noteNew(definition.id);
    return { problems: warnings, id: definition.id, version, hash, isNew: true };
  }

  /** A version that was registered in another shard. */
  async adopt(row: DefinitionRow): Promise<void> {
    if ((await this.#store.findDefinition(row.id, row.version)) !== null) return;
    await this.#store.saveDefinition(row);
    this.#noteNew(row.id);
  }

  #noteNew(id: string): void {
    this.#latest.delete(id);
    this.#changes++;
    this.#refused.delete(id);
  }

  /** DV10: what only decorates makes no new version, and is not lost: how a version was saved last is a record beside it. */
  async #keepDecoration(row: DefinitionRow, definition: NormalDefinition): Promise<void> {
    const saved = { ...savedForm(definition), version: row.version };
    if (stableStringify(saved) === stableStringify(await this.asSaved(row))) return;
    const record = { kind: decorationKind, key: `${row.id}@${row.version}`, value: JSON.stringify(saved), dueAt: null };
    await this.#store.commit(sideCommit({ records: [record] }));
  }

  /** A version as it was saved last: a drawn graph as its editor saved it, any other in its normal form. */
  async asSaved(row: DefinitionRow): Promise<JsonObject> {
    const record = await this.#store.readRecord(decorationKind, `${row.id}@${row.version}`);
    if (!record) return { ...savedForm(readDefinition(row)), version: row.version };
    return { ...(JSON.parse(record.value) as JsonObject), version: row.version }; // written above, or before without a version
  }

  parse(source: unknown, workflows: WorkflowSchemas = () => undefined): Parsed {
    const known = this.#actionNames();
    const isWork = (type: string): boolean => known?.includes(type) ?? false;
    const around = { limits: this.#limits, nodeTypes: this.#nodeTypes, schemas: this.#schemas };
    const parsed = parseDefinition(source, { ...around, workflows, isWork });
    const { definition, source: json } = parsed;
    if (!definition || !known) return parsed;
    return { ...parsed, problems: [...parsed.problems, ...warnOfMissingActions(definition, { known, source: json })] };
  }

  /** One that is tried, and not stored. */
  compileDraft(source: unknown, version: number): Graph {
    return compileParsed(this.parse(source), { version, limits: this.#limits, costOf: this.#costOf });
  }

  /** Remembered, so that whoever starts it all the same hears why it is not there. */
  noteRefused(source: unknown, problems: readonly Problem[]): void {
    const id = typeof source === 'object' && source !== null && 'id' in source ? source.id : null;
    if (typeof id !== 'string' || this.#refused.size >= refusedMax) return;
    const errors = problems.filter(({ severity }) => severity === 'error');
    this.#refused.set(id, errors.slice(0, refusedProblemsMax));
  }

  #refuse(source: Json | undefined, problems: readonly Problem[]): Registered {
    this.noteRefused(source, problems);
    return { problems, id: null, version: null, hash: null, isNew: false };
  }

  /** DV2: other content gets the next version, or the one it asks for if that is free. */
  async #nextVersion({ id, version }: NormalDefinition): Promise<number | null> {
    if (version !== undefined) return (await this.#store.findDefinition(id, version)) ? null : version;
    return ((await this.#store.findDefinition(id, null))?.version ?? 0) + 1;
  }

  /** What is known of the registered workflows that a definition calls, by name. */
  async #findChildren({ id, nodes }: NormalDefinition): Promise<Map<string, KnownSchemas>> {
    const children = new Map<string, KnownSchemas>();
    for (const call of nodes.map(readCall)) {
      if (call === null || call.id === id || children.has(nameOf(call))) continue;
      const row = await this.#store.findDefinition(call.id, call.version ?? null);
      if (row) children.set(nameOf(call), schemasOf(parseBody(row.body, row.hash)));
    }
    return children;
  }

  /** DV4: without a version the latest; compiled once. */
  async find(id: string, version: number | null): Promise<Graph | null> {
    const cached = this.cached(id, version);
    if (cached) return cached;
    const changes = this.#changes;
    const row = await this.#store.findDefinition(id, version);
    if (!row) return null;
    const graph = this.#compile(row);
    if (version === null && changes === this.#changes) this.#latest.set(id, graph);
    return graph;
  }

  cached(id: string, version: number | null): Graph | undefined {
    return version === null ? this.#latest.get(id) : this.#graphs.get(`${id}@${version}`);
  }

  #compile(row: DefinitionRow): Graph {
    const key = `${row.id}@${row.version}`;
    const cached = this.#graphs.get(key);
    if (cached) return cached;
    const { version } = row;
    const graph = compileGraph(readDefinition(row), { version, limits: this.#limits, costOf: this.#costOf });
    this.#graphs.set(key, graph);
    return graph;
  }

  async mustFind(id: string, version: number | null): Promise<Graph> {
    const graph = await this.find(id, version);
    if (graph) return graph;
    const [first, ...more] = this.#refused.get(id) ?? [];
    if (!first) throw new HeddleError('WORKFLOW_NOT_FOUND', notRegistered(id, version));
    const why = `${first.pointer} ${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
    const message = `Expected workflow ${id} to be registered, but its definition was refused: ${why}`;
    throw new HeddleError('WORKFLOW_NOT_FOUND', message, { problems: [first, ...more] });
  }
}

/** DR30: a drawn graph is what its editor saved. */
function savedForm(definition: NormalDefinition): JsonObject {
  const drawing = 'drawing' in definition ? definition.drawing : undefined;
  return drawing ?? (definition as unknown as JsonObject); // it was JSON when it was registered
}

/** DV8: what is stored of a version is what was registered, by its hash; else it is damaged, and nothing is made of it. */
export function readDefinition({ id, version, hash, body }: DefinitionRow): NormalDefinition {
  const definition = parseBody(body, hash);
  if (definition !== null) return definition;
  const message = `Expected version ${version} of workflow ${id} to be as it was registered, but it is damaged`;
  throw new StoreError('STORE_DAMAGED', `${message}. Put a backup of the store in its place.`);
}

/** Null if it is no JSON, or another definition. */
function parseBody(body: string, hash: string): NormalDefinition | null {
  try {
    const definition = JSON.parse(body) as NormalDefinition; // registered after it was parsed
    return contentHash(definition) === hash ? definition : null;
  } catch {
    return null;
  }
}

/** The sub-workflow that a node of any dialect calls. */
function readCall(node: object): { readonly id: string; readonly version?: number } | null {
  const isDrawn = 'type' in node && node.type === 'core.workflow' && 'data' in node;
  const settings = isDrawn ? node.data : node;
  if (typeof settings !== 'object' || settings === null || !('workflow' in settings)) return null;
  // What nodes that call workflows have.
  const { workflow, version } = settings as { workflow?: string | { id: string; version?: number }; version?: number };
  if (typeof workflow !== 'string') return workflow ?? null;
  return version === undefined ? { id: workflow } : { id: workflow, version };
}

/** DV3: a sub-workflow that is not registered yet is worth a warning, no more: it may come before it is called. */
function warnOfMissingChildren(definition: NormalDefinition, children: ReadonlyMap<string, unknown>): Problem[] {
  return definition.nodes.flatMap((node, index): Problem[] => {
    const call = readCall(node);
    if (!call || call.id === definition.id || children.has(nameOf(call))) return [];
    const message = `Expected workflow ${call.id}${call.version ? ` version ${call.version}` : ''} to be registered, but it is not yet`;
    const pointer =
      'workflow' in node ? `/nodes/${index}/workflow` : `/nodes/${placeOf(definition, node, index)}/data/workflow`;
    return [{ severity: 'warning', code: 'WORKFLOW_NOT_REGISTERED', pointer, message }];
  });
}

/** Where an editor saved a node: what is only drawn stands among the others there. */
function placeOf(definition: NormalDefinition, { id }: { readonly id: string }, index: number): number {
  const drawn = 'drawing' in definition ? definition.drawing?.['nodes'] : undefined;
  const place = Array.isArray(drawn) ? drawn.findIndex((one: Json) => isJsonObject(one) && one['id'] === id) : -1;
  return place === -1 ? index : place;
}

const nameOf = ({ id, version }: WorkflowName): string => `${id}@${version ?? ''}`;

/** Of one that is damaged nothing is known. */
function schemasOf(definition: NormalDefinition | null): KnownSchemas {
  const input = definition !== null && 'inputSchema' in definition ? definition.inputSchema : undefined;
  const output = definition !== null && 'outputSchema' in definition ? definition.outputSchema : undefined;
  return { input, output };
}

export function notRegistered(id: string, version: number | null): string {
  return `Expected workflow ${id}${version === null ? '' : ` version ${version}`} to be registered, but it is not; register it first`;
}

function versionExists({ id, version }: NormalDefinition): Problem {
  return {
    severity: 'error',
    code: 'VERSION_EXISTS',
    pointer: '/version',
    message: `Expected a free version of workflow ${id}, but version ${version} has other content`,
    hint: 'Leave the version out to get the next one; versions never change.',
  };
}
