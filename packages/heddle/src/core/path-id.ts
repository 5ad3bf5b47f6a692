// Path id: where in the tree of fan-outs a token is, as text. Rule VW2.

/** One enclosing branch, outermost first. */
export interface PathPart {
  readonly node: string;
  readonly index: number;
  readonly total: number;
}

/** VW2: `root`, then `.<node>.<index>` for each enclosing fan-out of more than one branch; odd ids are escaped. */
export function makePathId(parts: readonly PathPart[]): string {
  return parts.reduce(
    (path, { node, index, total }) => (total > 1 ? `${path}.${escapeId(node)}.${index}` : path),
    'root',
  );
}

const escapeId = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');
