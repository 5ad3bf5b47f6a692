// Compile graph: a definition of any dialect that passed every check becomes the graph that planning reads. The door for
// stored definitions too.

import { HeddleError } from '../base/heddle-error.ts';
import { type CompileOptions, compileLowered } from '../definition/compile-lowered.ts';
import type { Graph } from '../definition/graph.ts';
import { lowerDefinition, type NormalDefinition } from './dialect.ts';
import type { Parsed } from './parse.ts';
import { contentHash } from './version.ts';

/** Its hash is that of what the author wrote, not of what that was lowered to. */
export function compileGraph(source: NormalDefinition, options: CompileOptions): Graph {
  return { ...compileLowered(lowerDefinition(source), options), hash: contentHash(source) };
}

/** RD8: a definition that is tried is compiled as a registered one is; one with errors is refused. */
export function compileParsed({ definition, problems }: Parsed, options: CompileOptions): Graph {
  if (definition) return compileGraph(definition, options);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const message = `Expected a definition without errors, but it has ${errors.length}: ${first?.pointer} ${first?.message}`;
  throw new HeddleError('DEFINITION_INVALID', message, { problems });
}
