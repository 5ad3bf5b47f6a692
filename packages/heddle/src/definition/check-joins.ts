// Check joins: who joins what agrees with who opens what. Rules DF26 to DF28.

import type { Json } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { SiblingSynchronization } from './definition.ts';
import { labelOf } from './draft.ts';
import type { JoinedOpening } from './home-join.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

export function checkJoins(
  wiring: Wiring,
  { openings, reporter }: { openings: readonly JoinedOpening[]; reporter: Reporter },
): void {
  checkGroupsAreOpened(wiring, { openings, reporter });
  checkAgreement(wiring, reporter);
  checkQuorums(wiring, { openings, reporter });
}

// DF26: a join names a group that some transition opens; one without a name needs any group at all.
function checkGroupsAreOpened(
  wiring: Wiring,
  { openings, reporter }: { openings: readonly JoinedOpening[]; reporter: Reporter },
): void {
  const groups = new Set(openings.map(({ opening }) => opening.group));
  const isUnread = ({ transition }: Wire): boolean =>
    transition.foreach === undefined && reporter.origins.wasWritten(transition, 'foreach');
  const isUnsure = groups.size === 0 && wiring.wires.some(isUnread);
  const seen = new Set<object>();
  for (const { join, transition } of wiring.wires) {
    const { synchronization } = transition;
    if (join === null || synchronization === undefined || seen.has(synchronization)) continue;
    seen.add(synchronization);
    if (join.group === null ? groups.size > 0 || isUnsure : groups.has(join.group)) continue;
    const found = join.group === null ? 'no transition opens any' : `no transition opens "${join.group}"`;
    const pointer =
      join.group === null ? reporter.origins.of(synchronization) : reporter.origins.of(synchronization, 'siblingGroup');
    reporter.error('UNKNOWN_GROUP', pointer, {
      message: `Expected ${labelOf(transition)} to join a group, but ${found}`,
      hint: () => (join.group === null ? undefined : nearestHint(join.group, groups)) ?? openingHint,
    });
  }
}

const openingHint = 'A group is opened by a transition with "siblingGroup", "foreach" or "spawnCount" above 1.';

// DF27: all transitions that arrive at one join (node and group) say the same of it.
function checkAgreement(wiring: Wiring, reporter: Reporter): void {
  const first = new Map<string, { text: string; wire: Wire }>();
  for (const wire of wiring.wires) {
    const { synchronization } = wire.transition;
    if (wire.join === null || synchronization === undefined) continue;
    if (!reporter.origins.isWhole(synchronization)) continue; // what is wrong with it was reported
    // A synchronization is plain JSON by its shape; its optional fields are absent, never undefined.
    const text = stableStringify(synchronization as unknown as Json);
    const earlier = first.get(wire.join.id);
    if (earlier === undefined) first.set(wire.join.id, { text, wire });
    else if (earlier.text !== text) {
      const ends = `${labelOf(earlier.wire.transition)} and ${labelOf(wire.transition)}`;
      reporter.error('JOIN_DISAGREES', reporter.origins.of(wire.transition, 'synchronization'), {
        message: `Expected ${ends} to agree on the join at node "${wire.transition.to}", but their synchronizations differ`,
      });
    }
  }
}

// DF28: a fixed quorum is not above the number of branches, where that is fixed too.
function checkQuorums(
  wiring: Wiring,
  { openings, reporter }: { openings: readonly JoinedOpening[]; reporter: Reporter },
): void {
  const totals = findTotals(openings);
  const seen = new Set<object>();
  for (const { join, transition } of wiring.wires) {
    // A join over siblings has a sibling synchronization.
    const synchronization = transition.synchronization as SiblingSynchronization | undefined;
    if (join === null || synchronization === undefined || seen.has(synchronization)) continue;
    seen.add(synchronization);
    const { strategy } = synchronization;
    const total = totals.get(join.id) ?? Infinity;
    if (typeof strategy !== 'object' || typeof strategy.mOfN !== 'number' || strategy.mOfN <= total) continue;
    reporter.error('QUORUM_ABOVE_TOTAL', reporter.origins.of(strategy, 'mOfN'), {
      message: `Expected the quorum of ${labelOf(transition)} to be at most its ${total} branches, but found ${strategy.mOfN}`,
    });
  }
}

/** By join: the most branches that any group can bring there. */
function findTotals(openings: readonly JoinedOpening[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { opening, joins } of openings) {
    const counts = opening.wires.map(({ transition }) =>
      transition.foreach === undefined ? (transition.spawnCount ?? 1) : Infinity,
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    for (const join of joins) totals.set(join.id, Math.max(total, totals.get(join.id) ?? 0));
  }
  return totals;
}
