// Parse: the door of this room. What an author wrote becomes a normalised definition, or a list of everything that
// is wrong with it.
//
// Always true: all problems are found in one go; each points into the author's own JSON; a definition comes out only
// if there is no error, and then `compileGraph` accepts it.

import { copyToJson } from '../base/check-json.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { Budget } from './budget.ts';
import { checkEdgeJoins } from './check-edge-joins.ts';
import { checkExpressions } from './check-expressions.ts';
import { checkFlow } from './check-flow.ts';
import { checkGroups } from './check-groups.ts';
import { checkIds } from './check-ids.ts';
import { checkJoinWays } from './check-join-ways.ts';
import { checkJoins } from './check-joins.ts';
import { checkMeetingPaths } from './check-meeting-paths.ts';
import { checkNode } from './check-nodes.ts';
import { checkSelfCalls } from './check-self-call.ts';
import { checkObject } from './check-shape.ts';
import { checkTransitions } from './check-transitions.ts';
import { checkWaiting } from './check-waiting.ts';
import type { Definition } from './definition.ts';
import type { NodeTypePorts } from './dialects/dataflow.ts';
import { parseDataflow } from './dialects/dataflow-parse.ts';
import { type NormalDefinition, readDialect } from './dialects/dialect.ts';
import { parseHandle } from './dialects/handle-parse.ts';
import { parseThread } from './dialects/thread-parse.ts';
import type { Draft } from './draft.ts';
import { warnOfDroppedWrites } from './dropped-writes.ts';
import { definitionShape } from './fields.ts';
import { warnOfDiscarded } from './flow/check-discarded.ts';
import { checkInputs } from './flow/check-inputs.ts';
import { checkReads } from './flow/check-reads.ts';
import type { ActionSchemas, KnownWork, WorkflowSchemas } from './flow/known-schemas.ts';
import { tokenFlow } from './flow/token-flow.ts';
import type { Dialect } from './graph.ts';
import { JoinFinder } from './home-join.ts';
import type { Limits } from './limits.ts';
import { findLoopResets } from './loop-resets.ts';
import { findRegions } from './regions.ts';
import { Reporter } from './reporter.ts';
import { describeJson } from './shape.ts';
import { expandShorthand } from './shorthand.ts';
import { type Wiring, wire } from './wiring.ts';

export interface Parsed {
  /** Errors and warnings, in the order in which they were found. */
  readonly problems: readonly Problem[];
  /** Null if there is an error. */
  readonly definition: NormalDefinition | null;
  /** What the author wrote, as JSON of our own; undefined if it is none. */
  readonly source: Json | undefined;
}

export interface ParseOptions {
  readonly limits: Limits;
  /** What is known of the ports of node types, for dataflow definitions. */
  readonly nodeTypes?: NodeTypePorts;
  /** Whether the engine has an action of a name, for drawings whose nodes may be decoration. */
  readonly isWork?: (type: string) => boolean;
  /** What is known of what actions take and give. */
  readonly schemas?: ActionSchemas;
  /** What is known of what workflows take and give that it calls. */
  readonly workflows?: WorkflowSchemas;
}

/** `source`: parsed JSON of any dialect, or what the typed builder built. */
export function parseDefinition(
  source: unknown,
  { limits, nodeTypes = {}, isWork = () => false, ...known }: ParseOptions,
): Parsed {
  const { schemas = () => undefined, workflows = () => undefined } = known;
  const reporter = new Reporter();
  const given = source === undefined ? undefined : readJson(source, { limits, reporter });
  const json = reporter.hasErrors || !isDefinition(given, reporter) ? undefined : given;
  const dialect = json === undefined ? null : readDialect(json, reporter);
  if (json === undefined || dialect === null) return { problems: reporter.problems, definition: null, source: json };
  const read = readers[dialect](json, { limits, reporter, nodeTypes, isWork, schemas, workflows });
  return { problems: reporter.problems, definition: reporter.hasErrors ? null : read, source: json };
}

// DF74: what is no object at all is refused in one sentence, which says what to hand in instead.
function isDefinition(source: unknown, reporter: Reporter): boolean {
  if (typeof source === 'object' && source !== null && !Array.isArray(source)) return true;
  const found = Array.isArray(source) ? 'a list' : describeJson(source as Json | undefined);
  reporter.error('WRONG_TYPE', '', {
    message: `Expected a workflow definition (an object), but found ${source === undefined ? 'undefined' : found}`,
    hint: definitionHint(source),
  });
  return false;
}

function definitionHint(source: unknown): string {
  if (Array.isArray(source)) return 'Definitions are handed in one at a time.';
  if (typeof source !== 'string')
    return 'Hand in the definition itself, such as { id, initialNode, nodes, transitions }.';
  return source.trimStart().startsWith('{')
    ? 'It is JSON text: hand in JSON.parse(text).'
    : 'Hand in what the file holds, not its name: JSON.parse(await readFile(name, "utf8")).';
}

type Reader = (json: Json, options: Required<ParseOptions> & Options) => NormalDefinition | null;

const readers: Readonly<Record<Dialect, Reader>> = {
  token: parseToken,
  dataflow: parseDataflow,
  thread: parseThread,
  handle: parseHandle,
};

function parseToken(json: Json, { limits, reporter, schemas, workflows }: Options & KnownWork): Definition {
  const { draft, allNodesRead } = readDraft(json, { limits, reporter });
  checkParts(draft, { limits, reporter, allNodesRead });
  const wiring = checkGraph(draft, { limits, reporter });
  const start = wiring.numberOf.get(draft.initialNode ?? '');
  if (!reporter.hasErrors && start !== undefined) {
    const pointerOf = (number: number): string => reporter.origins.of(wiring.nodes[number] ?? {}, 'workflow');
    checkSelfCalls(wiring, { start, definition: draft, pointerOf, reporter });
    checkJoinWays(wiring, { start, limits, reporter });
    const flow = tokenFlow({ draft, wiring, reporter, known: { schemas, workflows } });
    checkInputs(flow, reporter);
    checkReads(flow, { wiring, start, reporter, limits });
    if (draft.outputMapping !== undefined) warnOfDiscarded(flow, { wiring, reporter });
  }
  return finish(draft);
}

// DF42: a definition is plain JSON of bounded size and depth. A copy, so that the author's object and ours never
// share a part.
function readJson(source: unknown, { limits, reporter }: Options): Json | undefined {
  const { definitionBytesMax, jsonDepthMax } = limits;
  const read = copyToJson(source, {
    bytesMax: definitionBytesMax,
    depthMax: jsonDepthMax,
    limitName: 'definitionBytesMax',
  });
  if (read.ok) return read.value;
  reporter.error(read.code, read.pointer, { message: read.message });
  return undefined;
}

interface Options {
  readonly limits: Limits;
  readonly reporter: Reporter;
}

function readDraft(json: Json, options: Options): { draft: Draft; allNodesRead: boolean } {
  const { draft: read } = checkObject(options, definitionShape, json, { pointer: '', name: 'definition' });
  // By its shape the draft has only fields of a definition; the two lists may be missing.
  const draft = Object.assign(read, {
    nodes: read['nodes'] ?? [],
    transitions: read['transitions'] ?? [],
  }) as unknown as Draft;
  const written = (json as { readonly nodes?: readonly Json[] } | null)?.nodes;
  const allNodesRead = Array.isArray(written) && written.length > 0 && written.length === draft.nodes.length;
  expandShorthand(draft, options.reporter);
  return { draft, allNodesRead };
}

function checkParts(draft: Draft, { limits, reporter, allNodesRead }: Options & { allNodesRead: boolean }): void {
  checkIds(draft, { reporter, allNodesRead });
  for (const node of draft.nodes) checkNode(node, reporter);
  checkTransitions(draft, reporter);
  checkWaiting(draft, { reporter, allNodesRead });
  checkExpressions(draft, { reporter, limits });
}

function checkGraph(draft: Draft, { limits, reporter }: Options): Wiring {
  const wiring = wire(draft.nodes, draft.transitions);
  const budget = new Budget(limits.definitionAnalysisMax);
  const finder = new JoinFinder(wiring, { depthMax: limits.branchDepthMax, budget });
  const openings = finder.openings.map((opening) => ({ opening, ...finder.trace(opening) }));
  findLoopResets(wiring, budget);
  const regions = findRegions(wiring.outgoing.map((wires) => wires.map(({ to }) => to)));
  checkJoins(wiring, { openings, limits, reporter });
  if (budget.isSpent) reportTooTangled(limits, reporter);
  else {
    checkGroups(wiring, { draft, openings, reporter });
    for (const opening of openings) warnOfDroppedWrites(wiring, opening, { budget, reporter });
  }
  checkEdgeJoins(wiring, { regions, reporter });
  checkFlow(wiring, { initialNode: draft.initialNode, regions, reporter });
  checkMeetingPaths(wiring, reporter);
  return wiring;
}

// DF43: loops and fan-outs that cannot be traced in bounded time are refused.
function reportTooTangled(limits: Limits, reporter: Reporter): void {
  reporter.error('LIMIT_EXCEEDED', '/transitions', {
    message: `Expected loops and fan-outs that can be traced in ${limits.definitionAnalysisMax} steps (limit definitionAnalysisMax), but they take more`,
    hint: 'Split the workflow into sub-workflows.',
  });
}

function finish({ $schema: _, dialect: _dialect, ...draft }: Draft): Definition {
  // Without errors nothing required is missing, and no shorthand is left.
  return draft as Definition;
}
