// Check groups: every group that is opened has a settled fate. Rules DF29 to DF32.

import { type Draft, labelOf } from './draft.ts';
import { chooseHomeJoin, groupFields, readGroupSettings } from './group-settings.ts';
import type { JoinedOpening } from './home-join.ts';
import type { Reporter } from './reporter.ts';
import { listNames } from './shape.ts';
import type { Wiring } from './wiring.ts';

interface GroupCheck {
  readonly draft: Draft;
  readonly openings: readonly JoinedOpening[];
  readonly reporter: Reporter;
}

export function checkGroups(wiring: Wiring, { draft, openings, reporter }: GroupCheck): void {
  const isUnsure = hasUnreadJoin(wiring, draft, reporter);
  for (const joined of openings) {
    checkAgreement(joined, reporter);
    if (isJoinedOnceAtEachNode(wiring, joined, reporter)) checkHomeJoin(wiring, joined, reporter);
    if (joined.joins.length === 0 && !isUnsure) warnOfUnjoined(joined, reporter);
  }
}

/** DF81: a join that could not be read, or that leads from or to nowhere, may be the one that a group seems to lack. */
function hasUnreadJoin({ wires }: Wiring, { nodes, transitions }: Draft, { origins }: Reporter): boolean {
  const joins = wires.filter(({ transition }) => transition.synchronization !== undefined);
  const read = new Set<object>(joins.map(({ transition }) => transition));
  const joined = new Set(joins.map(({ transition }) => transition.to));
  return (
    transitions.some((transition) => origins.wasWritten(transition, 'synchronization') && !read.has(transition)) ||
    nodes.some((node) => origins.wasWritten(node, 'fanIn') && !joined.has(node.id))
  );
}

// DF29: transitions that open one group together do not contradict each other.
function checkAgreement({ opening }: JoinedOpening, reporter: Reporter): void {
  for (const field of groupFields) {
    const given = opening.wires.filter(({ transition }) => transition[field] !== undefined);
    const [first] = given;
    const other = given.find(({ transition }) => transition[field] !== first?.transition[field]);
    if (first === undefined || other === undefined) continue;
    const ends = `${labelOf(first.transition)} and ${labelOf(other.transition)}`;
    reporter.error('GROUP_DISAGREES', reporter.origins.of(other.transition, field), {
      message: `Expected ${ends} to agree on "${field}" of group "${opening.group}", but they differ`,
    });
  }
}

/** A group that is joined at one node both by its name and as the innermost would have two joins there. */
function isJoinedOnceAtEachNode(wiring: Wiring, { opening, joins }: JoinedOpening, reporter: Reporter): boolean {
  const twice = joins.find((join, index) => joins.findIndex(({ node }) => node === join.node) !== index);
  const [first] = opening.wires;
  if (twice === undefined || first === undefined) return true;
  reporter.error('JOIN_DISAGREES', reporter.origins.of(first.transition), {
    message: `Expected group "${opening.group}" of ${labelOf(first.transition)} to be joined in one way at node "${wiring.nodes[twice.node]?.id}", but it is joined by name and without`,
    hint: 'Name the group in each synchronization there, or in none.',
  });
  return false;
}

function checkHomeJoin(wiring: Wiring, joined: JoinedOpening, reporter: Reporter): void {
  const { opening, joins } = joined;
  const { emptyJoin } = readGroupSettings(opening);
  const [first] = opening.wires;
  if (first === undefined) return;
  const nodes = listNames(joins.map((join) => `"${wiring.nodes[join.node]?.id}"`));
  if (emptyJoin !== undefined) {
    // DF30: `emptyJoin` names a node at which the group can be joined.
    if (chooseHomeJoin(wiring, joined) !== null) return;
    const owner = opening.wires.find(({ transition }) => transition.emptyJoin !== undefined) ?? first;
    const found = joins.length === 0 ? 'it is joined nowhere' : `it is joined at ${nodes}`;
    reporter.error('UNKNOWN_JOIN', reporter.origins.of(owner.transition, 'emptyJoin'), {
      message: `Expected "emptyJoin" to name a join of group "${opening.group}", but "${emptyJoin}" is none: ${found}`,
    });
  } else if (joins.length > 1) {
    // DF31: where several joins could act for a group without arrivals, its author says which.
    reporter.error('EMPTY_JOIN_AMBIGUOUS', reporter.origins.of(first.transition), {
      message: `Expected one join for group "${opening.group}" of ${labelOf(first.transition)}, but it can reach those at ${nodes}`,
      hint: 'Say with "emptyJoin" on the transition which node goes on when no branch arrives.',
    });
  }
}

// DF32: a fan-out that nobody joins is legal, but its branches write for nothing.
function warnOfUnjoined({ opening }: JoinedOpening, reporter: Reporter): void {
  const [first] = opening.wires;
  if (first === undefined || readGroupSettings(opening).emptyJoin !== undefined) return;
  reporter.warning('FAN_OUT_UNJOINED', reporter.origins.of(first.transition), {
    message: `Expected a join for group "${opening.group}" of ${labelOf(first.transition)}, but none can be reached`,
    hint: 'What its branches write will be discarded.',
  });
}
