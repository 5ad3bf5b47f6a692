// Check joins: who joins what agrees with who opens what. Rules DF26 to DF28 and DF87.

import { asJson } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { SiblingSynchronization } from './definition.ts';
import { labelOf } from './draft.ts';
import type { JoinedOpening } from './home-join.ts';
import { JoinArrivals } from './join-arrivals.ts';
import type { Limits } from './limits.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

interface JoinCheck {
  readonly openings: readonly JoinedOpening[];
  readonly limits: Limits;
  readonly reporter: Reporter;
}

export function checkJoins(wiring: Wiring, check: JoinCheck): void {
  checkGroupsAreOpened(wiring, check);
  checkAgreement(wiring, check.reporter);
  checkQuorums(wiring, check);
}

// DF26: a join names a group that some transition opens; one without a name needs any group at all.
function checkGroupsAreOpened(wiring: Wiring, { openings, reporter }: JoinCheck): void {
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
    const text = stableStringify(asJson(synchronization));
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
function checkQuorums(wiring: Wiring, { openings, limits, reporter }: JoinCheck): void {
  const arrivals = new JoinArrivals(wiring, limits);
  const seen = new Set<object>();
  for (const { join, transition } of wiring.wires) {
    // A join over siblings has a sibling synchronization.
    const synchronization = transition.synchronization as SiblingSynchronization | undefined;
    if (join === null || synchronization === undefined || seen.has(synchronization)) continue;
    seen.add(synchronization);
    const { strategy } = synchronization;
    if (typeof strategy !== 'object' || typeof strategy.mOfN !== 'number') continue;
    const able = openings.filter(({ joins }) => joins.some(({ id }) => id === join.id));
    if (able.length === 0) continue;
    const most = Math.max(...able.map(({ opening }) => arrivals.countMost(opening, join)));
    if (strategy.mOfN <= most) continue;
    reporter.error('QUORUM_ABOVE_TOTAL', reporter.origins.of(strategy, 'mOfN'), {
      message: `Expected the quorum of ${labelOf(transition)} to be at most the ${most} branches that can come there, but found ${strategy.mOfN}`,
      hint: `Lower the quorum, or lead more branches to node "${transition.to}".`,
    });
  }
}
