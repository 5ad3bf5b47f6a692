// Apply catalogue: what the catalogue says of the nodes of a drawn graph. Their settings become those of the newest version and
// get their defaults, edges leave handles that there are, and types that compile become what they compile to. Rules DR32 to
// DR36.
//
// Always true: what comes out has no node of a type that compiles; nodes that a compiler made are marked, and lie in the node
// that was drawn.

import { groupBy } from '../../../base/group-by.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { findNearest, nearestHint } from '../../../base/nearest.ts';
import type { JsonSchema } from '../../../definition/definition.ts';
import { checkInputs } from '../../../definition/flow/check-inputs.ts';
import type { InputEntry } from '../../../definition/flow/flow.ts';
import { pointerTo } from '../../../definition/origins.ts';
import type { ShapeCheck } from '../../../definition/shape-reports.ts';
import { findReads } from '../../../expression/reads.ts';
import { type Catalogue, type CatalogueEntry, listHandles, schemaOfPort } from '../../catalogue/entry.ts';
import { migrateSettings } from '../../catalogue/migrate.ts';
import type { InputPort } from '../../dataflow/dataflow.ts';
import type { HandleDraft } from '../check.ts';
import { mainHandle } from '../graph.ts';
import type { HandleConnection } from '../handle.ts';
import { compileNode } from './compile-node.ts';
import { errorHandle, findKind } from './kinds.ts';
import { readNode, writeValue } from './values.ts';

export type Node = HandleDraft['nodes'][number];

/** Nodes and the edges between them; drafts, which are changed in place. */
export interface Drawn {
  readonly nodes: readonly Node[];
  readonly connections: readonly HandleConnection[];
}

export interface TypeCheck extends ShapeCheck {
  readonly catalogue: Catalogue;
  /** What the author calls a connection. */
  readonly word: HandleDraft['word'];
}

/** `depth`: how many compilers have made what is given. */
export function applyCatalogue({ nodes, connections }: Drawn, check: TypeCheck, depth = 0): Drawn {
  const inbound = groupBy(connections, ({ toNodeId }) => toNodeId);
  const outbound = groupBy(connections, ({ fromNodeId }) => fromNodeId);
  const made: Drawn[] = [];
  for (const node of nodes) {
    const edges = { inbound: inbound.get(node.id) ?? [], outbound: outbound.get(node.id) ?? [] };
    made.push(...applyEntry(node, edges, check, depth));
  }
  return {
    nodes: [...nodes, ...made.flatMap((one) => one.nodes)],
    connections: [...connections, ...made.flatMap((one) => one.connections)],
  };
}

export interface Edges {
  readonly inbound: readonly HandleConnection[];
  readonly outbound: readonly HandleConnection[];
}

/** Answers with what a compiler has added. */
function applyEntry(node: Node, edges: Edges, check: TypeCheck, depth: number): readonly Drawn[] {
  const { type = '' } = node;
  const entry = Object.hasOwn(check.catalogue, type) ? check.catalogue[type] : undefined;
  const { typeVersion } = node;
  delete (node as { typeVersion?: number }).typeVersion; // a draft; what is stored is of the newest
  if (entry === undefined) {
    const own = findKind(type)?.handles(node.data ?? {}) ?? [];
    if (depth === 0) warnOfLooseHandles(node, own, edges.outbound, check);
    return [];
  }
  const { reporter } = check;
  const { errors } = reporter;
  // DR33: a type that should not be used any more is a warning.
  if (entry.deprecated !== undefined) {
    const message = `Expected node "${node.id}" to be of a type that is still in use, but "${type}" is deprecated: ${entry.deprecated}`;
    reporter.warning('NODE_TYPE_DEPRECATED', reporter.origins.of(node, 'type'), { message });
  }
  const migrated = migrate(node, typeVersion, entry, check);
  if (migrated === null) return [];
  const taken = entry.inputs === undefined ? migrated : takeSettings(node, migrated, entry.inputs, { edges, check });
  const settings = entry.compile === undefined ? taken : { ...taken, ...takePorts(edges.inbound) };
  Object.assign(node, { data: settings });
  checkHandles(node, listHandles(entry, settings), edges.outbound, { check, isDrawn: depth === 0 });
  // A compiler is given settings that fit, or is not asked.
  if (entry.compile === undefined || reporter.errors > errors) return [];
  const inside = compileNode({ node, entry, edges, depth }, check);
  if (inside === null) return [];
  return inside === 'node' ? applyEntry(node, edges, check, depth + 1) : [applyCatalogue(inside, check, depth + 1)];
}

// DR32: settings of an older version become those of the newest; one that is newer than the catalogue is refused.
function migrate(
  node: Node,
  typeVersion: number | undefined,
  entry: CatalogueEntry,
  check: TypeCheck,
): JsonObject | null {
  const { reporter, limits } = check;
  const { version = 1 } = entry;
  const { id, type, data = {} } = node;
  const pointer = reporter.origins.of(node, 'typeVersion');
  if (typeVersion !== undefined && typeVersion > version) {
    const message = `Expected node "${id}" to be of version ${version} of type "${type}" or older, but it is of version ${typeVersion}`;
    reporter.error('NODE_TYPE_NEWER', pointer, {
      message,
      hint: 'This engine has an older catalogue than the editor.',
    });
    return null;
  }
  const migrated = migrateSettings(entry, { typeVersion, settings: data }, limits);
  if ('problem' in migrated) {
    const message = `Expected the settings of node "${id}" to become those of version ${version} of type "${type}", but ${migrated.problem}`;
    reporter.error('MIGRATION_FAILED', pointer, { message });
    return null;
  }
  if (typeVersion !== undefined && typeVersion < version) {
    const message = `Expected node "${id}" to have settings of version ${version} of type "${type}", but they are of version ${typeVersion}; they were migrated`;
    reporter.warning('NODE_TYPE_OUTDATED', pointer, {
      message,
      hint: 'Open the graph in an editor, and save it again.',
    });
  }
  return migrated.settings;
}

/** DR36: what edges bring to inputs of a type that compiles are settings for it, which read the outputs of their nodes. */
function takePorts(inbound: readonly HandleConnection[]): JsonObject {
  const ports = groupBy(
    inbound.filter(({ toInput = mainHandle }) => toInput !== mainHandle),
    ({ toInput = mainHandle }) => toInput,
  );
  return Object.fromEntries(
    [...ports].map(([input, edges]) => {
      for (const edge of edges) Object.assign(edge, { toInput: mainHandle });
      return [input, `=${edges.reduceRight((rest, { fromNodeId }) => readNode(fromNodeId, rest), 'null')}`];
    }),
  );
}

/**
 * DR34: the settings of a type that says which inputs it takes are these: what is required is there or brought by an edge,
 * what is written out fits, what is absent has its default. The rest is the editor's own, and not given to the work.
 */
function takeSettings(
  node: Node,
  settings: JsonObject,
  inputs: readonly InputPort[],
  { edges, check }: { readonly edges: Edges; readonly check: TypeCheck },
): JsonObject {
  const { reporter } = check;
  const pointer = reporter.origins.of(node, 'data');
  const names = inputs.map(({ name }) => name);
  for (const key of Object.keys(settings)) {
    const near = names.includes(key) ? undefined : findNearest(key, names);
    if (near === undefined || Object.hasOwn(settings, near)) continue;
    const message = `Expected a setting of type "${node.type}" (${names.join(', ')}), but it has none that is called "${key}", in node "${node.id}"`;
    reporter.warning('FIELD_NOT_IN_SCHEMA', pointerTo(pointer, key), { message, hint: () => nearestHint(key, names) });
  }
  const brought = edges.inbound.flatMap((edge): InputEntry[] => {
    const { toInput = mainHandle } = edge;
    const form = { type: 'unknown' } as const;
    return toInput === mainHandle ? [] : [{ keys: [toInput], form, pointer: reporter.origins.of(edge, 'toInput') }];
  });
  const taken = inputs.flatMap(({ name, value }): [string, Json][] => {
    const own = Object.hasOwn(settings, name) ? settings[name] : value;
    return own === undefined ? [] : [[name, own]];
  });
  const entries = taken.map(([name, value]) => ({
    keys: [name],
    form: findReads(writeValue(value)).form,
    pointer: pointerTo(pointer, name),
  }));
  const site = {
    schema: schemaOfInputs(inputs),
    of: `node type "${node.type}"`,
    entries: [...entries, ...brought],
    pointer,
    who: `the settings of node "${node.id}"`,
    severity: 'error' as const,
  };
  checkInputs({ inputs: [site] }, reporter);
  return Object.fromEntries(taken);
}

function schemaOfInputs(inputs: readonly InputPort[]): JsonSchema {
  const properties = inputs.map((port) => [port.name, schemaOfPort(port) ?? true]);
  const required = inputs.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : []));
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

// DR35: an edge leaves a handle that its type has, if that is said.
function checkHandles(
  node: Node,
  handles: readonly string[] | null,
  outbound: readonly HandleConnection[],
  { check: { reporter, word }, isDrawn }: { readonly check: TypeCheck; readonly isDrawn: boolean },
): void {
  if (handles === null) return;
  for (const edge of outbound) {
    const { fromOutput = mainHandle } = edge;
    if (fromOutput === errorHandle || handles.includes(fromOutput)) continue;
    reportHandle({ node, handles, edge, word }, reporter);
  }
  if (isDrawn) warnOfLooseHandles(node, handles, outbound, { reporter, word });
}

/** In the editor's words. */
export function reportHandle(
  { node, handles, edge, word }: { node: Node; handles: readonly string[]; edge: HandleConnection; word: string },
  reporter: TypeCheck['reporter'],
): void {
  const { fromNodeId, toNodeId, fromOutput = mainHandle } = edge;
  const list = handles.length === 0 ? 'none' : handles.map((one) => `"${one}"`).join(', ');
  reporter.error('UNKNOWN_HANDLE', reporter.origins.of(edge, 'fromOutput'), {
    message: `Expected ${word} "${fromNodeId}->${toNodeId}" to leave a handle of node "${node.id}" (${list}), but found "${fromOutput}"`,
    hint: () => nearestHint(fromOutput, handles),
  });
}

const mayBeLoose: ReadonlySet<string> = new Set([mainHandle, 'default', 'timeout', errorHandle]);

/** DR38: of a node some of whose handles are connected, one that no edge leaves is told: a run that takes it ends there. */
function warnOfLooseHandles(
  node: Node,
  handles: readonly string[],
  outbound: readonly HandleConnection[],
  { reporter, word }: Pick<TypeCheck, 'reporter' | 'word'>,
): void {
  const left = new Set(outbound.map(({ fromOutput = mainHandle }) => fromOutput));
  if (!handles.some((handle) => left.has(handle))) return;
  for (const handle of handles) {
    if (left.has(handle) || mayBeLoose.has(handle)) continue;
    reporter.warning('HANDLE_NOT_CONNECTED', reporter.origins.of(node), {
      message: `Expected an ${word} from handle "${handle}" of node "${node.id}", but there is none: what takes it ends there`,
      hint: 'Connect it to what follows, or to a node of type core.end.',
    });
  }
}
