// Parse token: what an author wrote in the token dialect becomes a normalised definition, with a report of everything
// that is wrong with it. Calls the checks of this room, in their order.

import { isJsonArray, type Json } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
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
import type { Draft } from './draft.ts';
import { warnOfDroppedWrites } from './dropped-writes.ts';
import { definitionShape } from './fields.ts';
import { warnOfDiscarded } from './flow/check-discarded.ts';
import { checkInputs } from './flow/check-inputs.ts';
import { checkReads } from './flow/check-reads.ts';
import type { KnownWork } from './flow/known-schemas.ts';
import { tokenFlow } from './flow/token-flow.ts';
import { JoinFinder } from './home-join.ts';
import type { Limits } from './limits.ts';
import { findLoopResets } from './loop-resets.ts';
import { findRegions } from './regions.ts';
import type { Reporter } from './reporter.ts';
import { expandShorthand } from './shorthand.ts';
import { type Wiring, wire } from './wiring.ts';

export function parseToken(json: Json, { limits, reporter, schemas, workflows }: Options & KnownWork): Definition {
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
  const written = isJsonObject(json) ? json['nodes'] : undefined;
  const allNodesRead = isJsonArray(written) && written.length > 0 && written.length === draft.nodes.length;
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
