// Dataflow check: ids are unique, and edges lead from port to port of types that fit. Rules DA16 to DA20; cycles in
// `dataflow/cycles.ts`.

import { checkBuiltIn } from '../../definition/built-in-actions.ts';
import { checkUnique } from '../../definition/check-ids.ts';
import type { Reporter } from '../../definition/reporter.ts';
import { shorten } from '../../definition/shape.ts';
import type { FieldNames } from '../react-flow.ts';
import { reportCycles } from './cycles.ts';
import type { OutputPort } from './dataflow.ts';
import { type DataflowDraft, type EdgeDraft, labelOf, type NodeDraft } from './draft.ts';
import { inputNodeType } from './normal.ts';
import { declaresInputs, listPorts } from './ports.ts';

/**
 * `allNodesRead`: false if a node was left out, so that what seems unknown may be that one. `names`: the author's names
 * of fields, where they have other ones.
 */
export function checkDataflow(
  draft: DataflowDraft,
  { reporter, allNodesRead, names }: { reporter: Reporter; allNodesRead: boolean; names: FieldNames },
): void {
  checkUnique(draft.nodes, 'node', reporter);
  checkUnique(draft.edges, 'edge', reporter);
  for (const node of draft.nodes) {
    const pointer = reporter.origins.of(node, 'type');
    checkBuiltIn({ name: node.type, pointer, nodeId: node.id, besides: [inputNodeType] }, reporter);
  }
  const ports = new Map(draft.nodes.map((node) => [node.id, declaredPorts(node)]));
  for (const edge of draft.edges) checkEdge(edge, { ports, names, reporter });
  if (allNodesRead) warnOfDanglingEdges(draft.edges, { ports, reporter });
  warnOfMissingInputs(draft, reporter);
  reportCycles(draft, reporter);
}

type PortsByName = ReadonlyMap<string, OutputPort>;

/** Undefined: the node has whatever ports are asked for. */
interface DeclaredPorts {
  readonly input: PortsByName | undefined;
  readonly output: PortsByName | undefined;
}

function declaredPorts({ inputs, outputs }: NodeDraft): DeclaredPorts {
  return {
    input: declaresInputs(inputs) ? byName(inputs) : undefined,
    output: outputs === undefined ? undefined : byName(outputs),
  };
}

function byName(ports: readonly OutputPort[]): PortsByName {
  return new Map(ports.map((port) => [port.name, port]));
}

interface EdgeCheck {
  readonly ports: ReadonlyMap<string, DeclaredPorts>;
  readonly names: FieldNames;
  readonly reporter: Reporter;
}

/** One end of an edge. */
interface End {
  readonly edge: EdgeDraft;
  readonly field: 'sourceOutput' | 'targetInput';
  /** What its author calls the field. */
  readonly name: string;
  readonly kind: 'output' | 'input';
  readonly nodeId: string;
  readonly ports: PortsByName | undefined;
}

function checkEdge(edge: EdgeDraft, { ports, names, reporter }: EdgeCheck): void {
  const { source, target } = edge;
  const outputs = ports.get(source)?.output;
  const inputs = ports.get(target)?.input;
  const endAt = (field: End['field']) => ({ edge, field, name: names[field] ?? field });
  const from = findPort({ ...endAt('sourceOutput'), kind: 'output', nodeId: source, ports: outputs }, reporter);
  const to = findPort({ ...endAt('targetInput'), kind: 'input', nodeId: target, ports: inputs }, reporter);
  checkTypes(edge, { from, to, reporter });
}

/** The port that the end names; of one that names none, the only one that the node has. */
function findPort(end: End, reporter: Reporter): OutputPort | undefined {
  const { edge, field, ports } = end;
  const wasWritten = reporter.origins.wasWritten(edge, end.name);
  const [only] = ports?.values() ?? [];
  if (only !== undefined && ports?.size === 1 && !wasWritten) edge[field] = only.name;
  const name: string | undefined = edge[field];
  // One that was written and is not there had a wrong shape, which was reported.
  if (name === undefined) return wasWritten ? undefined : reportUnnamed(end, reporter);
  const port = ports?.get(name);
  return ports === undefined || port !== undefined ? port : reportUnknown(end, reporter);
}

// DA16: an edge names its ports, but where the node declares only one.
function reportUnnamed({ edge, name, kind, nodeId, ports }: End, reporter: Reporter): undefined {
  reporter.error('MISSING_FIELD', reporter.origins.of(edge), {
    message: `Expected ${labelOf(edge)} to name the ${kind} of node "${nodeId}" ("${name}"), but it names none`,
    hint: ports === undefined ? undefined : listPorts(ports.keys()),
  });
}

// DA17: a node that declares its ports has no others.
function reportUnknown({ edge, field, kind, nodeId, ports }: End, reporter: Reporter): undefined {
  reporter.error('UNKNOWN_PORT', reporter.origins.of(edge, field), {
    message: `Expected ${labelOf(edge)} to name an ${kind} of node "${nodeId}", but it has no "${edge[field]}"`,
    hint: listPorts(ports?.keys() ?? []),
  });
}

interface Ends {
  readonly from: OutputPort | undefined;
  readonly to: OutputPort | undefined;
  readonly reporter: Reporter;
}

// DA18: where both ports of an edge have a type it is the same, or one of them is `any`.
function checkTypes(edge: EdgeDraft, { from, to, reporter }: Ends): void {
  if (from?.type === undefined || to?.type === undefined) return;
  if (from.type === to.type || from.type === 'any' || to.type === 'any') return;
  const ends = `"${from.name}" of node "${edge.source}" is ${shorten(from.type)} and "${to.name}" of node "${edge.target}" is ${shorten(to.type)}`;
  const message = `Expected ${labelOf(edge)} to join ports of one type, but ${ends}`;
  reporter.error('TYPE_MISMATCH', reporter.origins.of(edge), { message });
}

// DA19: an edge from or to a node that is not there is worth a warning; a run records it as that node's error (DA27).
function warnOfDanglingEdges(edges: readonly EdgeDraft[], { ports, reporter }: Omit<EdgeCheck, 'names'>): void {
  for (const edge of edges) {
    for (const end of ['source', 'target'] as const) {
      if (ports.has(edge[end])) continue;
      const message = `Expected "${end}" of ${labelOf(edge)} to name a node, but there is no "${edge[end]}"`;
      reporter.warning('UNKNOWN_NODE', reporter.origins.of(edge, end), { message });
    }
  }
}

// DA20: an input that is required and never gets a value is worth a warning: the node decides what it does without.
function warnOfMissingInputs({ nodes, edges }: DataflowDraft, reporter: Reporter): void {
  const connected = new Set(edges.map(({ target, targetInput }) => JSON.stringify([target, targetInput])));
  for (const node of nodes) {
    for (const { name, required, value } of node.inputs ?? []) {
      if (!required || value !== undefined || connected.has(JSON.stringify([node.id, name]))) continue;
      const message = `Expected a value or an edge for the required input "${name}" of node "${node.id}", but it has neither`;
      reporter.warning('MISSING_INPUT', reporter.origins.of(node), { message });
    }
  }
}
