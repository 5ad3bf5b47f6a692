// Convert: what a definition of any dialect compiles to, for people who want to see it.

import type { Problem } from '../base/problem.ts';
import { type Drawing, drawingOf } from '../core/views/drawing.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { Lowered } from '../definition/lowered.ts';
import { compileGraph } from '../dialects/compile-graph.ts';
import { catalogueOf, type NodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import { lowerDefinition } from '../dialects/dialect.ts';
import { parseDefinition } from '../dialects/parse.ts';

export interface Converted {
  readonly problems: readonly Problem[];
  /** The token graph with the policy of its dialect; null if there are errors. It is for reading, not for registering. */
  readonly token: Lowered | null;
  /** What a viewer must know of it to draw it, and a run on it; null if there are errors. */
  readonly drawing: Drawing | null;
}

/** `nodeTypes`: those that a dataflow graph is to run with, whose ports count. */
export function convertToToken(
  definition: unknown,
  { nodeTypes = {} }: { readonly nodeTypes?: NodeTypes } = {},
): Converted {
  const options = { limits: defaultLimits, nodeTypes: catalogueOf(nodeTypes) };
  const { problems, definition: parsed } = parseDefinition(definition, options);
  if (parsed === null) return { problems, token: null, drawing: null };
  const graph = compileGraph(parsed, { version: 1, limits: defaultLimits });
  const written = parsed.nodes.map(({ id }) => id);
  return { problems, token: lowerDefinition(parsed), drawing: drawingOf(graph, written) };
}
