// Dropped writes: joins without a merge behind branches that write. Rule DF83.
//
// Always true: what the branches may use themselves is not complained of: a key that any expression inside them names
// counts as read there.

import type { Budget } from './budget.ts';
import type { SiblingSynchronization } from './definition.ts';
import { labelOf } from './draft.ts';
import type { Trace } from './home-join.ts';
import { listMerges } from './merges.ts';
import type { Reporter } from './reporter.ts';
import { quote } from './shape.ts';
import type { SiblingJoin, Wire, Wiring } from './wiring.ts';

// DF83: a join without a merge drops what its branches wrote: a warning, where nothing inside the branches reads it.
export function warnOfDroppedWrites(
  wiring: Wiring,
  trace: Trace,
  { budget, reporter }: { budget: Budget; reporter: Reporter },
): void {
  const silent = trace.joins.filter((join) => !saysMerge(wiring, join, reporter));
  const all = silent.length === 0 ? [] : writesIn(wiring, trace);
  // What is too much to look through is not complained of.
  const text = all.length === 0 || !budget.spend(trace.inside.size) ? '' : textInside(wiring, trace);
  if (text === '' || !budget.spend(Math.ceil((text.length * all.length) / charactersPerStep))) return;
  const written = all.filter(({ target }) => !isRead(text, target));
  for (const join of silent) {
    const before = nodesBefore(wiring, join, trace);
    const dropped = written.find(({ node }) => before.has(node));
    const inbound = wiring.wires.find((wire) => wire.join?.id === join.id);
    if (!dropped || !inbound) continue;
    reporter.warning('JOIN_WITHOUT_MERGE', reporter.origins.of(inbound.transition, 'synchronization'), {
      message: `Expected a "merge" on ${labelOf(inbound.transition)}, since node ${quote(wiring.nodes[dropped.node]?.id ?? '')} writes ${quote(dropped.target)} in the branches that it joins, but there is none: it will be dropped`,
      hint: `Add "merge": {"source": "_branch.output.${keyOf(dropped.target)}", "target": "state.<key>", "strategy": "append"}, or "merge": [] if it is not needed behind the join.`,
    });
  }
}

const charactersPerStep = 100;

/** Whether its author wrote a merge, be it right, wrong or an empty list. */
function saysMerge({ wires }: Wiring, join: SiblingJoin, { origins }: Reporter): boolean {
  return wires.some(({ join: other, transition: { synchronization } }) => {
    if (other?.id !== join.id || synchronization === undefined) return false;
    return 'merge' in synchronization || origins.wasWritten(synchronization, 'merge');
  });
}

interface Written {
  readonly node: number;
  readonly target: string;
}

/** What is written in the branch itself: by mappings and batches, and by the merges of joins inside it. */
function writesIn({ nodes, wires }: Wiring, { joins, direct, inside }: Trace): Written[] {
  const byNodes = [...direct].flatMap((node) => {
    const { outputMapping = {}, batch } = nodes[node] ?? {};
    const merged = batch?.merge?.target;
    return [...Object.keys(outputMapping), ...(merged === undefined ? [] : [merged])].map((target) => ({
      node,
      target,
    }));
  });
  const isInner = ({ from, to, join }: Wire): boolean =>
    join !== null && inside.has(from) && direct.has(to) && !joins.some(({ id }) => id === join.id);
  const byJoins = wires.filter(isInner).flatMap(({ to, transition }) =>
    // A join over siblings has a sibling synchronization.
    listMerges(transition.synchronization as SiblingSynchronization).map(({ target }) => ({ node: to, target })),
  );
  return [...byNodes, ...byJoins];
}

/** The nodes from which a branch may get to the join. */
function nodesBefore({ wires, inbound }: Wiring, join: SiblingJoin, { inside }: Trace): ReadonlySet<number> {
  const before = new Set(
    wires.filter((wire) => wire.join?.id === join.id && inside.has(wire.from)).map(({ from }) => from),
  );
  for (const node of before) for (const { from } of inbound[node] ?? []) if (inside.has(from)) before.add(from);
  return before;
}

/** All that expressions inside the branches say; where merges write to is none of it. */
function textInside({ nodes, outgoing }: Wiring, { inside }: Trace): string {
  const parts = [...inside].map((number) => {
    const { outputMapping = {}, inputMapping = {}, id: _, ...node } = nodes[number] ?? { id: '' };
    const ways = (outgoing[number] ?? []).map(({ transition: { condition, foreach, synchronization } }) => [
      JSON.stringify([condition, foreach]),
      withoutTargets(synchronization),
    ]);
    return [Object.values(inputMapping), Object.values(outputMapping), withoutTargets(node), ways];
  });
  return JSON.stringify(parts);
}

const withoutTargets = (part: object | undefined): string =>
  JSON.stringify(part ?? null, (key, value: unknown) => (key === 'target' ? undefined : value));

/** `state.key`, `state['key']`, `_branch.output.key`; or the whole of one of them. */
function isRead(text: string, target: string): boolean {
  const key = keyOf(target).replace(/[^\w]/g, String.raw`\$&`);
  const named = new RegExp(String.raw`\b(state|output)\s*(\.\s*\??|\[\s*\??\s*['"\\]+)${key}(?!\w)`);
  return named.test(text) || wholePattern.test(text);
}

const wholePattern = /\b(state|_branch\.output|_branch)\b(?!\s*\??\s*[.[])/;

const keyOf = (target: string): string => target.split('.')[1] ?? '';
