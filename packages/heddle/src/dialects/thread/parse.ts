// Thread parse: what an author wrote in the thread dialect becomes a normalised definition, or a list of everything
// that is wrong with it.

import type { Json } from '../../base/json.ts';
import { findNearest } from '../../base/nearest.ts';
import { isJsonObject } from '../../base/path.ts';
import { Budget } from '../../definition/budget.ts';
import { checkSelfCalls } from '../../definition/check-self-call.ts';
import { checkObject } from '../../definition/check-shape.ts';
import { checkInputs } from '../../definition/flow/check-inputs.ts';
import { checkReads } from '../../definition/flow/check-reads.ts';
import type { KnownWork } from '../../definition/flow/known-schemas.ts';
import { JoinFinder } from '../../definition/home-join.ts';
import { pointerTo } from '../../definition/origins.ts';
import { describeJson, type ObjectShape } from '../../definition/shape.ts';
import { reportMissing, reportWrongType, type ShapeCheck } from '../../definition/shape-reports.ts';
import { type Wiring, wire } from '../../definition/wiring.ts';
import { checkThread, type NodesWritten } from './check.ts';
import { checkThreadTexts } from './check-texts.ts';
import { nodeShapes, nodeTypes, threadShape } from './fields.ts';
import { threadFlow } from './flow.ts';
import { lowerThread } from './lower.ts';
import type { ThreadDefinition, ThreadDraft, ThreadNode } from './thread.ts';

interface ThreadCheck extends ShapeCheck, Partial<KnownWork> {}

/** Null if there is an error. */
export function parseThread(json: Json, check: ThreadCheck): ThreadDefinition | null {
  const { draft, ...written } = readDraft(json, check);
  checkThread(draft, { ...written, reporter: check.reporter });
  checkThreadTexts(draft, check);
  if (check.reporter.hasErrors) return null;
  const definition = finish(draft);
  const { nodes, transitions = [], initialNode } = lowerThread(definition);
  const wiring = wire(nodes, transitions);
  checkTangle(wiring, check);
  checkWays(definition, { ...check, wiring, start: wiring.numberOf.get(initialNode) ?? 0 });
  return check.reporter.hasErrors ? null : definition;
}

const finish = ({ $schema: _, ...draft }: ThreadDraft): ThreadDefinition => ({ ...draft, dialect: 'thread' });

/** Fan-outs must be traceable in bounded time, as in a token definition: they are when it is compiled. */
function checkTangle(wiring: Wiring, { limits, reporter }: ShapeCheck): void {
  const budget = new Budget(limits.definitionAnalysisMax);
  const finder = new JoinFinder(wiring, { depthMax: limits.branchDepthMax, budget });
  for (const opening of finder.openings) finder.trace(opening);
  if (!budget.isSpent) return;
  reporter.error('LIMIT_EXCEEDED', '/connectors', {
    message: `Expected fan-outs that can be traced in ${limits.definitionAnalysisMax} steps (limit definitionAnalysisMax), but they take more`,
    hint: 'Split the workflow into sub-workflows.',
  });
}

/** What it calls and reads, in the graph that it is compiled to: its nodes have the same numbers. */
function checkWays(
  definition: ThreadDefinition,
  { wiring, start, ...check }: ThreadCheck & { readonly wiring: Wiring; readonly start: number },
): void {
  const { reporter, limits, schemas = () => undefined, workflows = () => undefined } = check;
  const pointerOf = (number: number): string => reporter.origins.of(definition.nodes[number] ?? {}, 'workflow');
  checkSelfCalls(wiring, { start, definition, pointerOf, reporter });
  const flow = threadFlow({ definition, wiring, reporter, known: { schemas, workflows } });
  checkInputs(flow, reporter);
  checkReads(flow, { wiring, start, reporter, limits });
}

function readDraft(json: Json, check: ShapeCheck): { readonly draft: ThreadDraft } & NodesWritten {
  const { draft } = checkObject(check, threadShape, json, { pointer: '', name: 'definition' });
  const written = (draft['nodes'] ?? []) as readonly Json[]; // as its shape says
  const pointer = check.reporter.origins.of(draft, 'nodes');
  const nodes = written.flatMap((node, index) => readNode(node, index, { check, pointer }));
  // By its shape the draft has only fields of a definition.
  const whole = Object.assign(draft, { nodes, connectors: draft['connectors'] ?? [] }) as unknown as ThreadDraft;
  return {
    draft: whole,
    idsWritten: listIds(written),
    allNodesRead: written.length > 0 && nodes.length === written.length,
  };
}

function listIds(written: readonly Json[]): ReadonlySet<string> | null {
  const ids = written.filter(isJsonObject).map(({ id }) => id);
  return ids.length > 0 && ids.every((id) => typeof id === 'string') ? new Set(ids) : null;
}

const anyNode: ObjectShape = { type: 'object', what: 'a node', fields: {} };

/** Capitals and underscores do not matter: `fanOut`, `fan_out`, `FanOut`. */
const wordOf = (type: string): string => type.replaceAll('_', '').toLowerCase();

const typeByWord = new Map(nodeTypes.map((type) => [wordOf(type), type]));

function readNode(
  value: Json,
  index: number,
  { check, pointer: list }: { check: ShapeCheck; pointer: string },
): ThreadNode[] {
  const pointer = pointerTo(list, index);
  const place = { pointer, name: `nodes[${index}]` };
  if (!isJsonObject(value)) {
    reportWrongType(check, anyNode, value, place);
    return [];
  }
  const written = value['type'];
  if (written === undefined) {
    reportMissing(check, { shape: anyNode, what: '"type"', place });
    return [];
  }
  const type = typeof written === 'string' ? typeByWord.get(wordOf(written)) : undefined;
  if (type === undefined) {
    reportUnknownType(check, written, pointer);
    return [];
  }
  const { draft, isWhole } = checkObject(check, nodeShapes[type], value, place);
  return isWhole ? [Object.assign(draft, { type }) as unknown as ThreadNode] : []; // as the shape of its type says
}

function reportUnknownType({ reporter }: ShapeCheck, written: Json, pointer: string): void {
  const nearest = typeof written === 'string' ? findNearest(wordOf(written), typeByWord.keys()) : undefined;
  const type = nearest === undefined ? undefined : typeByWord.get(nearest);
  reporter.error('UNKNOWN_VALUE', pointerTo(pointer, 'type'), {
    message: `Expected "type" to be ${nodeTypes.map((known) => `"${known}"`).join(' or ')}, but found ${describeJson(written)}`,
    hint: type === undefined ? undefined : `Did you mean "${type}"?`,
  });
}
