// Check of a parallel graph: everything that is wrong with it, each at its node, edge or field. Rules DR21 to DR28 and DR39.

import { given } from '../../../base/given.ts';
import { groupBy } from '../../../base/group-by.ts';
import { nearestHint } from '../../../base/nearest.ts';
import { isJsonObject } from '../../../base/path.ts';
import { checkSource } from '../../../definition/check-expressions.ts';
import { checkJoinWays } from '../../../definition/check-join-ways.ts';
import { checkObject } from '../../../definition/check-shape.ts';
import type { TransitionDefinition } from '../../../definition/definition.ts';
import { checkInputs } from '../../../definition/flow/check-inputs.ts';
import type { InputEntry, InputSite } from '../../../definition/flow/flow.ts';
import { type KnownWork, schemasOf } from '../../../definition/flow/known-schemas.ts';
import { escapePointerKey } from '../../../definition/origins.ts';
import type { ShapeCheck } from '../../../definition/shape-reports.ts';
import { wire } from '../../../definition/wiring.ts';
import { findReads } from '../../../expression/reads.ts';
import type { HandleDraft } from '../check.ts';
import { freeId, mainHandle } from '../graph.ts';
import type { HandleConnection } from '../handle.ts';
import { reportHandle } from './apply-catalogue.ts';
import { type Drawing, type Part, readDrawing } from './drawing.ts';
import { errorHandle, findKind, groupKind, type Kind } from './kinds.ts';
import { expressionIn, listExpressions, writeValue } from './values.ts';

type Node = HandleDraft['nodes'][number];

export function checkParallel(draft: HandleDraft, check: ShapeCheck & Partial<KnownWork>): void {
  const drawing = readDrawing(draft.nodes, draft.connections);
  const ids = new Set(draft.nodes.map(({ id }) => id));
  for (const node of draft.nodes) {
    const kind = findKind(node.type ?? '');
    if (kind !== undefined) checkSettings(node, kind, check);
    checkExpressions(ids, node, check);
  }
  checkEdges(draft, drawing, check);
  for (const part of drawing.parts) {
    checkPart(draft, part, check);
    checkMerges(draft, part, check);
  }
  const inbound = groupBy(draft.connections, ({ toNodeId }) => toNodeId);
  const inputs = draft.nodes.flatMap((node) => listInputs(node, inbound.get(node.id) ?? [], check));
  checkInputs({ inputs }, check.reporter);
}

/** DR28: what an action, or a called workflow, is given is what it takes, as far as that is known (DF89 to DF91). */
function listInputs(
  node: Node,
  inbound: readonly HandleConnection[],
  { reporter, schemas = () => undefined, workflows = () => undefined }: ShapeCheck & Partial<KnownWork>,
): InputSite[] {
  const { id, type = '', data = {} } = node;
  const { workflow } = data;
  const calls = type === 'core.workflow' && typeof workflow === 'string';
  const work = calls ? { workflow } : findKind(type) === undefined ? { action: type } : {};
  const known = schemasOf(work, { schemas, workflows });
  if (known?.input === undefined) return [];
  const pointer = `${reporter.origins.of(node, 'data')}${calls ? '/input' : ''}`;
  const written = calls ? (data['input'] ?? {}) : data;
  const settings = Object.entries(isJsonObject(written) ? written : {}).map(([key, value]) => ({
    keys: [key],
    form: findReads(writeValue(value)).form,
    pointer: `${pointer}/${escapePointerKey(key)}`,
  }));
  const ports = inbound.flatMap((edge): InputEntry[] => {
    const { toInput = mainHandle } = edge;
    const form = { type: 'unknown' } as const;
    return toInput === mainHandle || calls
      ? []
      : [{ keys: [toInput], form, pointer: reporter.origins.of(edge, 'toInput') }];
  });
  const who = `the settings of node "${id}"`;
  return [{ schema: known.input, of: known.of, entries: [...settings, ...ports], pointer, who }];
}

// DR21: the settings of a node fit its type. From here on they are in their own spelling.
function checkSettings(node: Node, { settings, checkMore }: Kind, check: ShapeCheck): void {
  const pointer = check.reporter.origins.of(node, 'data');
  const { draft } = checkObject(check, settings, node.data ?? {}, { pointer, name: `node "${node.id}"` });
  Object.assign(node, { data: draft });
  checkMore?.(draft, check);
}

const names: ReadonlySet<string> = new Set(['input', 'nodes', 'state', 'item', '_trigger', '_batch', '_branch']);

// DR23: expressions parse, read what can be there, and name nodes of the graph.
function checkExpressions(ids: ReadonlySet<string>, node: Node, check: ShapeCheck): void {
  const { reporter } = check;
  const data = node.data ?? {};
  const kind = findKind(node.type ?? '');
  const plain = (kind?.expressions ?? []).filter((key) => typeof data[key] === 'string');
  const found = [
    ...plain.map((key) => ({ source: expressionIn(data[key]), pointer: `/${key}` })),
    ...Object.entries(data).flatMap(([key, value]) => (plain.includes(key) ? [] : listExpressions(value, `/${key}`))),
    ...(kind?.nested?.(data) ?? []),
  ];
  for (const { source, pointer: below } of found) {
    const pointer = `${reporter.origins.of(node, 'data')}${below}`;
    if (checkSource(check, source, { pointer, who: `node "${node.id}"`, names }) === undefined) continue;
    for (const { root, keys } of findReads(source).mentions) {
      const [id] = keys;
      if (root !== 'nodes' || id === undefined || ids.has(String(id))) continue;
      const message = `Expected a node of the graph in nodes, but there is no "${String(id)}", in node "${node.id}"`;
      reporter.error('EXPRESSION_UNKNOWN_NAME', pointer, { message, hint: () => nearestHint(String(id), ids) });
    }
  }
}

function checkEdges(draft: HandleDraft, drawing: Drawing<Node, HandleConnection>, { reporter }: ShapeCheck): void {
  const byId = new Map(draft.nodes.map((node) => [node.id, node]));
  // DR24: an edge stays in the part that it begins in.
  for (const edge of drawing.crossing) {
    if (!byId.has(edge.fromNodeId) || !byId.has(edge.toNodeId)) continue; // that was told
    reporter.error('CROSSES_CONTAINER', reporter.origins.of(edge), {
      message: `Expected both ends of ${draft.word} ${nameOf(edge)} to be drawn in the same node, but they are not`,
      hint: 'What runs for each item of a list ends with the item: its results are the output of the node around it.',
    });
  }
  // DR25: an edge leaves a handle that its node has.
  for (const edge of draft.connections) {
    const node = byId.get(edge.fromNodeId);
    const kind = findKind(node?.type ?? '');
    const handle = edge.fromOutput ?? mainHandle;
    if (node === undefined || kind === undefined || handle === errorHandle) continue;
    const handles = kind.handles(node.data ?? {});
    if (!handles.includes(handle)) reportHandle({ node, handles, edge, word: draft.word }, reporter);
  }
}

function checkPart(draft: HandleDraft, part: Part<Node, HandleConnection>, { reporter }: ShapeCheck): void {
  // DR26: an edge that leads back has a limit.
  for (const edge of part.back) {
    if (edge.maxIterations !== undefined || draft.maxIterations !== undefined) continue;
    reporter.error('LOOP_WITHOUT_LIMIT', reporter.origins.of(edge), {
      message: `Expected a limit for the loop that ${draft.word} ${nameOf(edge)} leads back by, but there is none`,
      hint: 'Give the edge "maxIterations" (also in its "data"), or the definition.',
    });
  }
  // DR27: nodes that no way leads to are legal, and told: they never run.
  const begin = part.container === null ? 'a run begins' : `an item of node "${part.container.id}" begins`;
  for (const node of part.nodes) {
    if (part.reached.has(node.id)) continue;
    const message = `Expected a way to node "${node.id}" from where ${begin}, but there is none`;
    reporter.warning('UNREACHABLE_NODE', reporter.origins.of(node), { message });
  }
}

// DR39: a merge that requires all its edges, of which one is never followed, or two exclude each other, never runs (DF62).
function checkMerges(draft: HandleDraft, part: Part<Node, HandleConnection>, { limits, reporter }: ShapeCheck): void {
  const byId = new Map(part.nodes.map((node) => [node.id, node]));
  const needsAll = ({ type, data }: Node): boolean => type === 'core.merge' && data?.['require'] === 'all';
  if (!part.nodes.some(needsAll)) return;
  const start = freeId(part.nodes);
  const inbound = groupBy(part.edges, ({ toNodeId }) => toNodeId);
  const ways = part.edges.map((edge): TransitionDefinition => {
    const { id, fromNodeId: from, toNodeId: to } = edge;
    const target = byId.get(to);
    const require = target !== undefined && needsAll(target) ? 'all' : 'some';
    const join = (inbound.get(to)?.length ?? 0) > 1 ? { synchronization: { over: 'edges', require } as const } : {};
    const way = { ...given({ id }), from, to, ...wayOut(byId.get(from), edge), ...join };
    reporter.origins.place(way, reporter.origins.of(edge));
    return way;
  });
  const begun = part.roots.map(({ id }) => ({ from: start, to: id }));
  const wiring = wire([{ id: start }, ...part.nodes.map(({ id }) => ({ id }))], [...begun, ...ways]);
  checkJoinWays(wiring, { start: 0, limits, reporter, word: draft.word });
}

/** As tiers and outcomes of which a visit takes one: of the handles of such a node one is followed. */
function wayOut(node: Node | undefined, { fromOutput = mainHandle }: HandleConnection) {
  if (fromOutput === errorHandle) return { on: 'failure' as const };
  if (fromOutput === 'timeout') return { on: 'failure' as const, priority: 2 };
  const { type = '', data = {} } = node ?? {};
  const isExclusive = type === 'core.condition' || type === 'core.switch' || (type === groupKind && 'handle' in data);
  const handles = isExclusive ? (findKind(type)?.handles(data) ?? []) : [];
  return handles.includes(fromOutput) ? { priority: 1 + handles.indexOf(fromOutput) } : {};
}

const nameOf = ({ fromNodeId, toNodeId }: HandleConnection): string => `"${fromNodeId}->${toNodeId}"`;
