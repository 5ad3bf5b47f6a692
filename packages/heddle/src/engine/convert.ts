// Convert: what a definition of any dialect compiles to, for people who want to see it.

import type { Problem } from '../base/problem.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { Lowered } from '../definition/lowered.ts';
import { catalogueOf, type NodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import { lowerDefinition } from '../dialects/dialect.ts';
import { parseDefinition } from '../dialects/parse.ts';

export interface Converted {
  readonly problems: readonly Problem[];
  /** The token graph with the policy of its dialect; null if there are errors. It is for reading, not for registering. */
  readonly token: Lowered | null;
}

/** `nodeTypes`: those that a dataflow graph is to run with, whose ports count. */
export function convertToToken(
  definition: unknown,
  { nodeTypes = {} }: { readonly nodeTypes?: NodeTypes } = {},
): Converted {
  const options = { limits: defaultLimits, nodeTypes: catalogueOf(nodeTypes) };
  const { problems, definition: parsed } = parseDefinition(definition, options);
  return { problems, token: parsed && lowerDefinition(parsed) };
}
