// Check ids: every id names one thing, and every reference leads to one. Rules DF12 and DF13.

import { nearestHint } from '../base/nearest.ts';
import type { Draft } from './draft.ts';
import { labelOf } from './draft.ts';
import type { Reporter } from './reporter.ts';

/** `allNodesRead`: false if a node was left out, so that what seems unknown may be that one. */
export function checkIds(
  draft: Draft,
  { reporter, allNodesRead }: { reporter: Reporter; allNodesRead: boolean },
): void {
  checkUnique(draft.nodes, 'node', reporter);
  checkUnique(draft.transitions, 'transition', reporter);
  if (allNodesRead) checkReferences(draft, reporter);
}

// DF12: no two nodes and no two transitions share an id.
export function checkUnique(items: readonly { id?: string }[], kind: string, reporter: Reporter): void {
  const first = new Map<string, string>();
  for (const item of items) {
    if (item.id === undefined) continue;
    const pointer = reporter.origins.of(item, 'id');
    const earlier = first.get(item.id);
    if (earlier === undefined) first.set(item.id, pointer);
    else {
      const message = `Expected ${kind} ids to be unique, but "${item.id}" is also the one at ${earlier}`;
      reporter.error('DUPLICATE_ID', pointer, { message });
    }
  }
}

// DF13: `initialNode`, `from` and `to` name nodes of the definition.
function checkReferences(draft: Draft, reporter: Reporter): void {
  const ids = new Set(draft.nodes.map((node) => node.id));
  const report = (pointer: string, id: string, who: string): void => {
    reporter.error('UNKNOWN_NODE', pointer, {
      message: `Expected ${who} to name a node, but there is no "${id}"`,
      hint: () => nearestHint(id, ids),
    });
  };
  const { initialNode } = draft;
  if (initialNode !== undefined && !ids.has(initialNode)) {
    report(reporter.origins.of(draft, 'initialNode'), initialNode, '"initialNode"');
  }
  for (const transition of draft.transitions) {
    for (const end of ['from', 'to'] as const) {
      if (ids.has(transition[end])) continue;
      report(reporter.origins.of(transition, end), transition[end], `"${end}" of ${labelOf(transition)}`);
    }
  }
}
