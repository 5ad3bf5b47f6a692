// Parse: the door for definitions. What an author wrote in any dialect becomes a normalised definition, or a list of
// everything that is wrong with it.
//
// Always true: all problems are found in one go; each points into the author's own JSON; a definition comes out only
// if there is no error, and then `compileGraph` accepts it.

import { copyToJson } from '../base/check-json.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import type { ActionSchemas, WorkflowSchemas } from '../definition/flow/known-schemas.ts';
import type { Dialect } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { parseToken } from '../definition/parse-token.ts';
import { Reporter } from '../definition/reporter.ts';
import { describeJson } from '../definition/shape.ts';
import type { Catalogue } from './catalogue/entry.ts';
import { parseDataflow } from './dataflow/parse.ts';
import { type NormalDefinition, readDialect } from './dialect.ts';
import { parseHandle } from './handle/parse.ts';
import { parseThread } from './thread/parse.ts';

export interface Parsed {
  /** Errors and warnings, in the order in which they were found. */
  readonly problems: readonly Problem[];
  /** Null if there is an error. */
  readonly definition: NormalDefinition | null;
  /** What the author wrote, as JSON of our own; undefined if it is none. */
  readonly source: Json | undefined;
}

export interface ParseOptions {
  readonly limits: Limits;
  /** What is known of node types, for dataflow and handle definitions. */
  readonly nodeTypes?: Catalogue;
  /** Whether the engine has an action of a name, for drawings whose nodes may be decoration. */
  readonly isWork?: (type: string) => boolean;
  /** What is known of what actions take and give. */
  readonly schemas?: ActionSchemas;
  /** What is known of what workflows take and give that it calls. */
  readonly workflows?: WorkflowSchemas;
}

/** `source`: parsed JSON of any dialect, or what the typed builder built. */
export function parseDefinition(
  source: unknown,
  { limits, nodeTypes = {}, isWork = () => false, ...known }: ParseOptions,
): Parsed {
  const { schemas = () => undefined, workflows = () => undefined } = known;
  const reporter = new Reporter();
  const given = source === undefined ? undefined : readJson(source, { limits, reporter });
  const json = reporter.hasErrors || !isDefinition(given, reporter) ? undefined : given;
  const dialect = json === undefined ? null : readDialect(json, reporter);
  if (json === undefined || dialect === null) return { problems: reporter.problems, definition: null, source: json };
  const read = readers[dialect](json, { limits, reporter, nodeTypes, isWork, schemas, workflows });
  return { problems: reporter.problems, definition: reporter.hasErrors ? null : read, source: json };
}

// DF74: what is no object at all is refused in one sentence, which says what to hand in instead.
function isDefinition(source: unknown, reporter: Reporter): boolean {
  if (typeof source === 'object' && source !== null && !Array.isArray(source)) return true;
  // Neither an object nor a list.
  const found = Array.isArray(source) ? 'a list' : describeJson(source as Json | undefined);
  reporter.error('WRONG_TYPE', '', {
    message: `Expected a workflow definition (an object), but found ${source === undefined ? 'undefined' : found}`,
    hint: definitionHint(source),
  });
  return false;
}

function definitionHint(source: unknown): string {
  if (Array.isArray(source)) return 'Definitions are handed in one at a time.';
  if (typeof source !== 'string')
    return 'Hand in the definition itself, such as { id, initialNode, nodes, transitions }.';
  return source.trimStart().startsWith('{')
    ? 'It is JSON text: hand in JSON.parse(text).'
    : 'Hand in what the file holds, not its name: JSON.parse(await readFile(name, "utf8")).';
}

// DF42: a definition is plain JSON of bounded size and depth. A copy, so that the author's object and ours never
// share a part.
function readJson(source: unknown, { limits, reporter }: { limits: Limits; reporter: Reporter }): Json | undefined {
  const { definitionBytesMax, jsonDepthMax } = limits;
  const read = copyToJson(source, {
    bytesMax: definitionBytesMax,
    depthMax: jsonDepthMax,
    limitName: 'definitionBytesMax',
  });
  if (read.ok) return read.value;
  reporter.error(read.code, read.pointer, { message: read.message });
  return undefined;
}

type Reader = (
  json: Json,
  options: Required<ParseOptions> & { readonly reporter: Reporter },
) => NormalDefinition | null;

const readers: Readonly<Record<Dialect, Reader>> = {
  token: parseToken,
  dataflow: parseDataflow,
  thread: parseThread,
  handle: parseHandle,
};
