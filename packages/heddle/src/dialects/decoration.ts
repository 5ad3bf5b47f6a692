// Decoration: what a drawing shows beside its graph: frames around nodes, notes, comments. Dialects whose graphs come
// from editors read past it.

import { actionName } from '../definition/names.ts';
import type { Field } from '../definition/shape.ts';

/** Types of decoration, in small letters and without `_` and `-`: `group` is React Flow's own, the others are custom. */
const decorations: ReadonlySet<string> = new Set(['group', 'annotation', 'note', 'comment', 'stickynote']);

export const decorativeField: Field = {
  shape: { type: 'list', of: { ...actionName, what: 'a node type' } },
  description: 'Node types that are only drawn: nodes of such a type that no edge touches are left out.',
  examples: [['legend']],
};

interface Drawing<Node> {
  readonly nodes: readonly Node[];
  /** Both ends of every edge. */
  readonly ends: Iterable<string>;
  /** Node types that the author calls decoration. */
  readonly decorative?: readonly string[];
  /** Whether a node type is known to do work, whatever its name. */
  readonly isWork?: (type: string) => boolean;
}

/**
 * DL3: a node that no edge touches is left out if its type is decoration: by its name, unless the engine has an action
 * of that name, or because the author says so.
 */
export function withoutDecoration<Node extends { readonly id: string; readonly type?: string }>({
  nodes,
  ends,
  decorative = [],
  isWork = () => false,
}: Drawing<Node>): readonly Node[] {
  const touched = new Set(ends);
  const named = new Set(decorative);
  return nodes.filter(
    ({ id, type = '' }) => touched.has(id) || !(named.has(type) || (isDecoration(type) && !isWork(type))),
  );
}

function isDecoration(type: string): boolean {
  return decorations.has(type.replaceAll(/[_-]/g, '').toLowerCase());
}
