// Check meeting paths: transitions that fire together, without a group, and whose paths come together at a node that
// nothing joins: it runs once for each. Rules DF85 and DF86.
//
// Always true: what is reported can happen by the drawing, if the conditions on the way hold; whether two different
// conditions exclude each other is not known, so that such transitions are not taken to fire together.

import { Budget } from './budget.ts';
import { labelOf } from './draft.ts';
import { FanOutEnds } from './fan-out-ends.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

/** 100 ms. In a graph that takes more, paths that were not followed by then are not reported. */
const stepsMax = 1_000_000;

export function checkMeetingPaths(wiring: Wiring, reporter: Reporter): void {
  const budget = new Budget(stepsMax);
  const ends = new FanOutEnds(wiring);
  const warned = new Set<number>();
  for (const [node, outgoing] of wiring.outgoing.entries()) {
    for (const together of firingTogether(outgoing)) {
      const paths = new Paths(wiring, { node, ends, budget });
      for (const [met, [first, second]] of paths.meetingsOf(together)) {
        if (warned.has(met)) continue;
        warned.add(met);
        warn(wiring, reporter, { node, met, first, second });
      }
    }
  }
}

interface Meeting {
  readonly node: number;
  readonly met: number;
  readonly first: Wire;
  readonly second: Wire;
}

// DF85: a node that runs more than once for one visit of a node before it is a warning.
function warn(wiring: Wiring, reporter: Reporter, { node, met, first, second }: Meeting): void {
  const [from, to] = [wiring.nodes[node], wiring.nodes[met]];
  if (from === undefined || to === undefined) return;
  const both = `${labelOf(first.transition)} and ${labelOf(second.transition)}`;
  reporter.warning('PATHS_MEET_UNJOINED', reporter.origins.of(to), {
    message: `Expected node "${to.id}" to run once for each visit of node "${from.id}", but ${both} fire together and both lead there: it runs for each of them`,
    hint: `Give both one "siblingGroup" and join it at "${to.id}", or join all transitions into "${to.id}" with "synchronization": {"over": "edges"}.`,
  });
}

// DF86: transitions of one tier fire together if all are unconditional or have the same condition. An unconditional one
// fires with whatever else of its tier does.
function firingTogether(outgoing: readonly Wire[]): Wire[][] {
  if (outgoing.length < 2) return [];
  const tiers = new Map<string, Wire[]>();
  for (const wire of outgoing) {
    const { on = 'success', priority = 1, condition } = wire.transition;
    if (condition === false || on === 'slice') continue;
    for (const outcome of on === 'any' ? ['success', 'failure'] : [on]) {
      const key = `${priority} ${outcome}`;
      tiers.set(key, [...(tiers.get(key) ?? []), wire]);
    }
  }
  return [...tiers.values()].flatMap(partByCondition).filter((wires) => wires.length > 1);
}

function partByCondition(tier: readonly Wire[]): Wire[][] {
  const textOf = ({ transition: { condition = true } }: Wire): string => JSON.stringify(condition);
  const always = tier.filter((wire) => textOf(wire) === 'true');
  const texts = new Set(tier.map(textOf));
  texts.delete('true');
  if (texts.size === 0) return [always];
  return [...texts].map((text) => tier.filter((wire) => always.includes(wire) || textOf(wire) === text));
}

interface PathOptions {
  /** Where the paths part. A way that leads back there is another visit. */
  readonly node: number;
  readonly ends: FanOutEnds;
  readonly budget: Budget;
}

/** The paths of transitions that fire together, each known by the transition that it began with. */
class Paths {
  readonly #wiring: Wiring;
  readonly #options: PathOptions;

  constructor(wiring: Wiring, options: PathOptions) {
    this.#wiring = wiring;
    this.#options = options;
  }

  /** The nodes at which two of them come together first, with the two. */
  meetingsOf(together: readonly Wire[]): Map<number, readonly [Wire, Wire]> {
    // A join over edges that two of them lead to makes one of them; one that only one leads to is passed.
    const shared = this.#walk(together, new Set());
    const joins = new Set([...shared].filter(([node]) => this.#isEdgeJoin(node)).map(([node]) => node));
    const met = this.#walk(together, joins);
    return new Map([...met].filter(([node]) => !this.#isEdgeJoin(node) && this.#hasWork(node)));
  }

  /** Nodes that two paths come to, with the two. Nobody gets past `stops`. */
  #walk(together: readonly Wire[], stops: ReadonlySet<number>): Map<number, readonly [Wire, Wire]> {
    const comers = new Map<number, Wire[]>();
    const queue: { node: number; path: Wire }[] = [];
    const groups = new Map<string, Wire>();
    const come = (wire: Wire, path: Wire): void => {
      for (const node of this.#follow(wire)) queue.push({ node, path });
    };
    for (const wire of together) {
      // All transitions of one group are one path: it continues from their join.
      const path = wire.opens === null ? wire : (groups.get(wire.opens) ?? wire);
      if (wire.opens !== null) groups.set(wire.opens, path);
      come(wire, path);
    }
    for (let next = queue.pop(); next !== undefined && this.#options.budget.spend(1); next = queue.pop()) {
      const { node, path } = next;
      const known = comers.get(node) ?? [];
      if (known.length > 1 || known.includes(path)) continue;
      comers.set(node, [...known, path]);
      const goesOn = node !== this.#options.node && !stops.has(node) && (known.length === 0 || !this.#hasWork(node));
      if (goesOn) for (const wire of this.#wiring.outgoing[node] ?? []) come(wire, path);
    }
    const pairs = [...comers].flatMap(([node, [first, second]]) =>
      first !== undefined && second !== undefined ? [[node, inOrder(together, first, second)] as const] : [],
    );
    return new Map(pairs);
  }

  /** The nodes that whoever takes the transition comes to, in the branch that it is in. */
  #follow(wire: Wire): readonly number[] {
    const { opens, join, to, transition } = wire;
    if (transition.on === 'slice' || transition.condition === false) return [];
    if (opens === null) return join === null ? [to] : [];
    const { ends } = this.#options;
    const found = ends.of(ends.keyOf(wire, opens)) ?? [];
    return found.flatMap((id) => this.#wiring.numberOf.get(id) ?? []);
  }

  #isEdgeJoin(node: number): boolean {
    return this.#wiring.inbound[node]?.some(({ overEdges }) => overEdges) ?? false;
  }

  /** A node that does nothing may run as often as it likes; what comes after it may not. */
  #hasWork(node: number): boolean {
    const { action, workflow, wait, input, batch, outputMapping } = this.#wiring.nodes[node] ?? {};
    return [action, workflow, wait, input, batch, outputMapping].some((part) => part !== undefined);
  }
}

function inOrder(together: readonly Wire[], first: Wire, second: Wire): readonly [Wire, Wire] {
  return together.indexOf(first) < together.indexOf(second) ? [first, second] : [second, first];
}
