// Check join ways: an edge join that needs all its transitions is led to by ways that can all be taken. Rule DF62.

import { Budget } from './budget.ts';
import { Dominators } from './dominators.ts';
import { labelOf } from './draft.ts';
import type { Limits } from './limits.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

interface CheckContext {
  readonly start: number;
  readonly limits: Limits;
  readonly reporter: Reporter;
  /** What the author calls a transition. */
  readonly word?: string;
}

/** Ways into one node that are compared with each other. */
const comparedMax = 50;

export function checkJoinWays(wiring: Wiring, { start, limits, reporter, word = 'transition' }: CheckContext): void {
  const joins = wiring.inbound.filter((wires) => wires.some(needsAll));
  if (joins.length === 0) return;
  const dominators = new Dominators(wiring, { start, budget: new Budget(limits.definitionAnalysisMax / 10) });
  if (!dominators.isComplete) return;
  const visits = countVisits(wiring, dominators, start);
  for (const wires of joins) checkWays(wires, { dominators, visits, reporter, word });
}

const needsAll = ({ transition: { synchronization } }: Wire): boolean =>
  synchronization !== undefined && 'over' in synchronization && synchronization.require === 'all';

interface WayCheck {
  readonly dominators: Dominators;
  readonly visits: ReadonlySet<number>;
  readonly reporter: Reporter;
  readonly word: string;
}

// DF62: an edge join that needs all transitions is never met if one of them is never taken, or two never together.
function checkWays(wires: readonly Wire[], { dominators, visits, reporter, word }: WayCheck): void {
  const [first] = wires;
  if (first === undefined || !dominators.isReached(first.to)) return;
  const expected = `Expected all ${word}s into node "${first.transition.to}" to be taken, since its join requires all`;
  const hint = 'Write "require": "some", or lead there by ways that are all taken.';
  const idle = wires.find(({ from, transition }) => !dominators.isReached(from) || transition.condition === false);
  if (idle !== undefined) {
    const message = `${expected}, but ${labelOf(idle.transition, word)} never is`;
    reporter.warning('JOIN_NEVER_MET', reporter.origins.of(idle.transition), { message, hint });
    return;
  }
  const parting = findParting(wires.slice(0, comparedMax), { dominators, visits });
  if (parting === null) return;
  const { pair, at } = parting;
  const name = (both: Pair): string => both.map(({ transition }) => labelOf(transition, word)).join(' and ');
  const message = `${expected}, but ${name(pair)} exclude each other: only one of ${name(at)} is taken`;
  reporter.warning('JOIN_NEVER_MET', reporter.origins.of(pair[1].transition), { message, hint });
}

type Pair = readonly [Wire, Wire];

interface Parting {
  readonly pair: Pair;
  /** The transitions at which their ways part. */
  readonly at: Pair;
}

type Ways = Pick<WayCheck, 'dominators' | 'visits'>;

function findParting(wires: readonly Wire[], { dominators, visits }: Ways): Parting | null {
  for (const [index, right] of wires.entries()) {
    for (const left of wires.slice(0, index)) {
      const [one, other] = dominators.partingOf(left, right) ?? [];
      if (one === undefined || other === undefined || !visits.has(one.from) || !excludeEachOther(one, other)) continue;
      return { pair: [left, right], at: [one, other] };
    }
  }
  return null;
}

/** Two transitions of one node of which one visit never takes both: RT1, RT7. */
function excludeEachOther(left: Wire, right: Wire): boolean {
  if ((left.transition.priority ?? 1) !== (right.transition.priority ?? 1)) return isForOneOutcome(left, right);
  const [one, other] = [left.transition.on ?? 'success', right.transition.on ?? 'success'];
  return one !== other && one !== 'any' && other !== 'any' && one !== 'slice' && other !== 'slice';
}

/** Transitions for slices are taken beside all others. */
const isForOneOutcome = (left: Wire, right: Wire): boolean =>
  left.transition.on !== 'slice' && right.transition.on !== 'slice';

/** Nodes that a run visits once at most. */
function countVisits(wiring: Wiring, dominators: Dominators, start: number): ReadonlySet<number> {
  const once = new Set<number>();
  for (const node of dominators.reachedNodes) {
    const inbound = (wiring.inbound[node] ?? []).filter(({ from }) => dominators.isReached(from));
    const isLed = inbound.every((wire) => once.has(wire.from) && !dominators.leadsBack(wire) && isSingle(wire));
    const isFirst = node === start && inbound.length === 0;
    if (isFirst || (node !== start && isLed && comeOneByOne(inbound, { dominators, visits: once }))) once.add(node);
  }
  return once;
}

const isSingle = ({ transition, opens, join }: Wire): boolean =>
  opens === null && join === null && transition.on !== 'slice';

/** An edge join runs once; other nodes run for every transition that is taken into them. */
function comeOneByOne(inbound: readonly Wire[], parts: Ways): boolean {
  if (inbound.length <= 1 || inbound.every(({ overEdges }) => overEdges)) return true;
  if (inbound.length > comparedMax) return false;
  return inbound.every((right, index) =>
    inbound.slice(0, index).every((left) => findParting([left, right], parts) !== null),
  );
}
