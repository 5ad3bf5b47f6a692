// Definitions: the registered versions, compiled once per version and process and shared by all their runs. Rules DV….

import { HeddleError } from '../base/heddle-error.ts';
import type { Problem } from '../base/problem.ts';
import { compileGraph } from '../definition/compile-graph.ts';
import type { Definition } from '../definition/definition.ts';
import type { Graph } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { parseDefinition } from '../definition/parse.ts';
import { contentHash } from '../definition/version.ts';
import type { DefinitionRow, Store } from './ports.ts';

export interface Registered {
  readonly problems: readonly Problem[];
  readonly id: string | null;
  /** Null if there are errors: nothing was stored. */
  readonly version: number | null;
  readonly hash: string | null;
  /** False if equal content was registered before. */
  readonly isNew: boolean;
}

const refusedMax = 1_000;

export class Definitions {
  private readonly store: Store;
  private readonly limits: Limits;
  private readonly graphs = new Map<string, Graph>();
  /** The newest version of each workflow that was asked for; this process alone registers new ones. */
  private readonly latest = new Map<string, Graph>();
  /** How often a version was stored: what was looked up before may be the latest no more. */
  private changes = 0;
  /** Why workflows were refused in this process. */
  private readonly refused = new Map<string, readonly Problem[]>();
  private registering: Promise<unknown> = Promise.resolve();

  constructor(store: Store, limits: Limits) {
    this.store = store;
    this.limits = limits;
  }

  /** DV6: one registration at a time: between finding a free version and storing it nobody else may take it. */
  register(source: unknown, at: number): Promise<Registered> {
    const registered = this.registering.then(() => this.registerNext(source, at));
    this.registering = registered.catch(() => undefined);
    return registered;
  }

  private async registerNext(source: unknown, at: number): Promise<Registered> {
    const { definition, problems } = parseDefinition(source, { limits: this.limits });
    // DV5: nothing is stored of a definition with errors.
    if (!definition) return this.refuse(source, problems);
    const hash = contentHash(definition);
    const warnings = [...problems, ...(await this.warnOfMissingChildren(definition))];
    const same = await this.store.findDefinitionByHash(definition.id, hash);
    // DV1: equal content is the version that it already is.
    if (same) {
      return { problems: warnings, id: same.id, version: same.version, hash, isNew: false };
    }
    const version = await this.nextVersion(definition);
    if (version === null)
      return { problems: [...warnings, versionExists(definition)], id: null, version: null, hash: null, isNew: false };
    const body = JSON.stringify({ ...definition, version });
    await this.store.saveDefinition({ id: definition.id, version, hash, body, createdAt: at });
    this.latest.delete(definition.id);
    this.changes++;
    this.refused.delete(definition.id);
    return { problems: warnings, id: definition.id, version, hash, isNew: true };
  }

  /** Remembered, so that whoever starts it all the same hears why it is not there. */
  private refuse(source: unknown, problems: readonly Problem[]): Registered {
    const id = typeof source === 'object' && source !== null && 'id' in source ? source.id : null;
    if (typeof id === 'string' && this.refused.size < refusedMax) this.refused.set(id, problems);
    return { problems, id: null, version: null, hash: null, isNew: false };
  }

  /** DV2: other content gets the next version, or the one it asks for if that is free. */
  private async nextVersion({ id, version }: Definition): Promise<number | null> {
    if (version !== undefined) return (await this.store.findDefinition(id, version)) ? null : version;
    return ((await this.store.findDefinition(id, null))?.version ?? 0) + 1;
  }

  /** DV3: a sub-workflow that is not registered yet is worth a warning, no more: it may come before it is called. */
  private async warnOfMissingChildren({ id, nodes }: Definition): Promise<Problem[]> {
    const warnings: Problem[] = [];
    for (const [index, node] of nodes.entries()) {
      const call = typeof node.workflow === 'string' ? { id: node.workflow } : node.workflow;
      if (!call || call.id === id || (await this.store.findDefinition(call.id, call.version ?? null))) continue;
      warnings.push({
        severity: 'warning',
        code: 'WORKFLOW_NOT_REGISTERED',
        pointer: `/nodes/${index}/workflow`,
        message: `Expected workflow ${call.id}${call.version ? ` version ${call.version}` : ''} to be registered, but it is not yet`,
      });
    }
    return warnings;
  }

  /** DV4: without a version the latest; compiled once. */
  async find(id: string, version: number | null): Promise<Graph | null> {
    const cached = this.cached(id, version);
    if (cached) return cached;
    const { changes } = this;
    const row = await this.store.findDefinition(id, version);
    if (!row) return null;
    const graph = this.compile(row);
    if (version === null && changes === this.changes) this.latest.set(id, graph);
    return graph;
  }

  cached(id: string, version: number | null): Graph | undefined {
    return version === null ? this.latest.get(id) : this.graphs.get(`${id}@${version}`);
  }

  private compile(row: DefinitionRow): Graph {
    const key = `${row.id}@${row.version}`;
    const cached = this.graphs.get(key);
    if (cached) return cached;
    const graph = compileGraph(JSON.parse(row.body) as Definition, { version: row.version, limits: this.limits });
    this.graphs.set(key, graph);
    return graph;
  }

  async mustFind(id: string, version: number | null): Promise<Graph> {
    const graph = await this.find(id, version);
    if (graph) return graph;
    const [first, ...more] = (this.refused.get(id) ?? []).filter(({ severity }) => severity === 'error');
    if (!first) throw new HeddleError('WORKFLOW_NOT_FOUND', notRegistered(id, version));
    const why = `${first.pointer} ${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
    const message = `Expected workflow ${id} to be registered, but its definition was refused: ${why}`;
    throw new HeddleError('WORKFLOW_NOT_FOUND', message, { problems: [first, ...more] });
  }
}

export function notRegistered(id: string, version: number | null): string {
  return `Expected workflow ${id}${version === null ? '' : ` version ${version}`} to be registered, but it is not; register it first`;
}

function versionExists({ id, version }: Definition): Problem {
  return {
    severity: 'error',
    code: 'VERSION_EXISTS',
    pointer: '/version',
    message: `Expected a free version of workflow ${id}, but version ${version} has other content`,
    hint: 'Leave the version out to get the next one; versions never change.',
  };
}
