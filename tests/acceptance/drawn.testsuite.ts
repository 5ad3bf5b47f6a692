// Drawn graphs for tests: as an editor saves them, written shortly.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';

interface Drawn {
  readonly type?: string;
  readonly data?: JsonObject;
  readonly [more: string]: unknown;
}

/** A graph as React Flow saves it. Edges: `a->b`, `a:handle->b`, `a->b:input`. */
export function draw(
  nodes: Readonly<Record<string, Drawn>>,
  edges: readonly (string | [string, object])[],
  more: object = {},
) {
  return {
    id: 'drawn',
    nodes: Object.entries(nodes).map(([id, node], index) => ({
      id,
      type: 'step',
      position: { x: index, y: 0 },
      ...node,
    })),
    edges: edges.map((edge, index) => {
      const [text, extra] = typeof edge === 'string' ? [edge, {}] : edge;
      const [from = '', to = ''] = text.split('->');
      const [source, sourceHandle = null] = from.split(':');
      const [target, targetHandle = null] = to.split(':');
      return { id: `e${index}`, source, target, sourceHandle, targetHandle, ...extra };
    }),
    viewport: { x: 0, y: 0, zoom: 1 },
    ...more,
  };
}
