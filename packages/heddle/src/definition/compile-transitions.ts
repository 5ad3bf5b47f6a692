// Compile transitions: transitions, joins and groups of a checked definition.
//
// Always true: transitions that arrive at one join share its object; transitions that open one group share its
// opening; ids are unique.

import { Budget } from './budget.ts';
import type { Compiler } from './compile-expressions.ts';
import type { SiblingSynchronization, TransitionDefinition } from './definition.ts';
import type { GroupOpening, Join, JoinStrategy, Loop, Spawn, Transition } from './graph.ts';
import { chooseHomeJoin, readGroupSettings } from './group-settings.ts';
import { JoinFinder } from './home-join.ts';
import type { Limits } from './limits.ts';
import { findLoopResets } from './loop-resets.ts';
import type { LoweredTransition } from './lowered.ts';
import { compileMerge, listMerges } from './merges.ts';
import type { Wire, Wiring } from './wiring.ts';

interface Parts {
  readonly compiler: Compiler;
  /** The engine's own: what the definition lowers counts for its runs, not for how it is traced. */
  readonly limits: Limits;
}

export function compileTransitions(
  wiring: Wiring,
  { compiler, limits }: Parts,
): { transitions: Transition[]; joins: Map<string, Join> } {
  // It was within its budget when it was parsed.
  const budget = new Budget(Number.POSITIVE_INFINITY);
  const joins = compileJoins(wiring, compiler);
  const finder = new JoinFinder(wiring, { depthMax: limits.branchDepthMax, budget });
  const openings = compileOpenings(wiring, { joins, finder });
  const ids = makeIds(wiring);
  const loops = compileLoops(wiring, { ids, budget });
  const transitions = wiring.wires.map((wire, index): Transition => {
    const { transition } = wire;
    return {
      id: ids.get(wire) ?? '',
      index,
      from: transition.from,
      to: transition.to,
      priority: transition.priority ?? 1,
      condition: compiler.condition(transition.condition),
      spawn: compileSpawn(transition, compiler),
      opens: openings.get(wire) ?? null,
      loop: loops.get(wire) ?? null,
      join: wire.join === null ? null : (joins.get(wire.join.id) ?? null),
      isProbe: (transition as LoweredTransition).probe ?? false, // only dialects have them
      overEdges: wire.overEdges,
    };
  });
  return { transitions, joins };
}

/** The author's id, or the ends; `#2`, `#3` … where that is taken. */
function makeIds(wiring: Wiring): Map<Wire, string> {
  const taken = new Set(wiring.wires.flatMap(({ transition: { id } }) => (id === undefined ? [] : [id])));
  const counts = new Map<string, number>();
  return new Map(
    wiring.wires.map((wire): [Wire, string] => {
      const { id, from, to } = wire.transition;
      if (id !== undefined) return [wire, id];
      const ends = `${from}->${to}`;
      let count = (counts.get(ends) ?? 0) + 1;
      while (taken.has(count === 1 ? ends : `${ends}#${count}`)) count += 1;
      counts.set(ends, count);
      const made = count === 1 ? ends : `${ends}#${count}`;
      taken.add(made);
      return [wire, made];
    }),
  );
}

function compileSpawn({ foreach, spawnCount = 1 }: TransitionDefinition, compiler: Compiler): Spawn {
  if (foreach === undefined) return spawnCount === 1 ? { type: 'one' } : { type: 'count', count: spawnCount };
  return {
    type: 'foreach',
    collection: compiler.expression(foreach.collection, compiler.scopes.reading),
    itemVar: foreach.itemVar ?? null,
    maxParallel: foreach.maxParallel ?? null,
  };
}

function compileJoins(wiring: Wiring, compiler: Compiler): Map<string, Join> {
  const joins = new Map<string, Join>();
  for (const { join, transition } of wiring.wires) {
    if (join === null || joins.has(join.id)) continue;
    // A join over siblings has a sibling synchronization.
    const synchronization = transition.synchronization as SiblingSynchronization;
    joins.set(join.id, {
      id: join.id,
      node: transition.to,
      group: join.group,
      strategy: compileStrategy(synchronization, compiler),
      timeoutMs: synchronization.timeoutMs || null,
      onTimeout: synchronization.onTimeout ?? 'fail',
      onEarlyComplete: synchronization.onEarlyComplete ?? 'cancel',
      merges: listMerges(synchronization).map((merge) => compileMerge(merge, compiler)),
    });
  }
  return joins;
}

function compileStrategy({ strategy = 'all' }: SiblingSynchronization, compiler: Compiler): JoinStrategy {
  if (typeof strategy === 'string') return { type: strategy };
  const { mOfN } = strategy;
  return { type: 'mOfN', count: typeof mOfN === 'number' ? mOfN : compiler.expression(mOfN, compiler.scopes.counting) };
}

function compileOpenings(
  wiring: Wiring,
  { joins, finder }: { joins: ReadonlyMap<string, Join>; finder: JoinFinder },
): Map<Wire, GroupOpening> {
  const openings = new Map<Wire, GroupOpening>();
  for (const opening of finder.openings) {
    const settings = readGroupSettings(opening);
    const { joins: reached } = finder.trace(opening);
    const home = chooseHomeJoin(wiring, { opening, joins: reached });
    const compiled: GroupOpening = {
      name: opening.group,
      tolerateFailures: settings.onBranchFailure === 'end',
      maxFailures: settings.maxFailures ?? null,
      homeJoin: home === null ? null : (joins.get(home.id) ?? null),
      isOnlyJoin: home !== null && reached.length === 1,
    };
    for (const wire of opening.wires) openings.set(wire, compiled);
  }
  return openings;
}

function compileLoops(
  wiring: Wiring,
  { ids, budget }: { ids: ReadonlyMap<Wire, string>; budget: Budget },
): Map<Wire, Loop> {
  const loops = new Map<Wire, Loop>();
  for (const [wire, resets] of findLoopResets(wiring, budget)) {
    const maxIterations = wire.transition.loop?.maxIterations ?? 1;
    loops.set(wire, { maxIterations, resets: resets.map((reset) => ids.get(reset) ?? '') });
  }
  return loops;
}
