// Dialect: the ways to draw a workflow. Each has a JSON shape of its own and compiles to the same core graph; this file
// says which one a definition is in, and hands it to its compiler. Rules DL….

import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { keysIn } from '../base/keys-in.ts';
import { findNearest } from '../base/nearest.ts';
import { isJsonObject } from '../base/path.ts';
import type { RunState } from '../core/state.ts';
import type { Definition } from '../definition/definition.ts';
import { type Dialect, tokenPolicy } from '../definition/graph.ts';
import type { Lowered } from '../definition/lowered.ts';
import type { Reporter } from '../definition/reporter.ts';
import { describeJson } from '../definition/shape.ts';
import type { DataflowDefinition } from './dataflow/dataflow.ts';
import { lowerDataflow } from './dataflow/lower.ts';
import type { NormalDataflow } from './dataflow/normal.ts';
import type { HandleDefinition } from './handle/handle.ts';
import { lowerHandle } from './handle/lower.ts';
import type { NormalHandle } from './handle/normal.ts';
import { hasPorts, isReactFlow } from './react-flow.ts';
import { lowerThread } from './thread/lower.ts';
import type { ThreadDefinition } from './thread/thread.ts';

/** A definition of any dialect, as its author writes it. */
export type WorkflowDefinition = TokenDefinition | DataflowDefinition | ThreadDefinition | HandleDefinition;

/** The native dialect; `dialect` may be left out. */
export interface TokenDefinition extends Definition {
  readonly dialect?: 'token';
  readonly $schema?: string;
}

/**
 * What a file or another program gave may be anything. What is written out in a program (its type knows the nodes one by
 * one) must be a definition: else a slip in it would go unseen.
 */
export type Unread<Source> = Source extends Written ? WorkflowDefinition : unknown;

type Written = { readonly nodes: readonly [unknown, ...unknown[]] } & (
  | { readonly dialect: Dialect }
  | { readonly initialNode: string }
);

/** A definition of each dialect, as it is stored and run. */
interface NormalDefinitions {
  readonly token: TokenDefinition;
  readonly dataflow: NormalDataflow;
  readonly thread: ThreadDefinition;
  readonly handle: NormalHandle;
}

export type NormalDefinition = NormalDefinitions[Dialect];

// DL2: a dialect compiles to a token definition with the policy of the dialect.
const compilers: { readonly [Name in Dialect]: (definition: NormalDefinitions[Name]) => Lowered } = {
  token: ({ dialect: _, ...token }) => ({ ...token, policy: tokenPolicy }),
  dataflow: lowerDataflow,
  thread: lowerThread,
  handle: lowerHandle,
};

export function lowerDefinition(definition: NormalDefinition): Lowered {
  const lower = compilers[definition.dialect ?? 'token'] as (definition: NormalDefinition) => Lowered; // its own
  return lower(definition);
}

const dialects: readonly Dialect[] = keysIn(compilers);

// DL1: `dialect` says how a definition is drawn. Without it, `connectors` are threads and `connections` handles, and so is
// what React Flow saved; other `edges` may be two of them and are asked about, and all else is a token definition.
export function readDialect(json: Json, reporter: Reporter): Dialect | null {
  if (!isJsonObject(json)) return 'token';
  const { dialect } = json;
  if (dialect === undefined) return guessDialect(json, reporter);
  const known = dialects.find((name) => name === dialect);
  if (known) return known;
  const nearest = typeof dialect === 'string' ? findNearest(dialect, dialects) : undefined;
  reporter.error('UNKNOWN_DIALECT', '/dialect', {
    message: `Expected "dialect" to be one of ${dialects.join(', ')}, but found ${describeJson(dialect)}`,
    hint: nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
  });
  return null;
}

function guessDialect(json: JsonObject, reporter: Reporter): Dialect | null {
  if ('transitions' in json || 'initialNode' in json) return 'token';
  if ('connectors' in json) return 'thread';
  if ('connections' in json) return 'handle';
  if (!('edges' in json)) return 'token';
  if (isReactFlow(json) && !hasPorts(json)) return 'handle';
  reporter.error('DIALECT_MISSING', '', {
    message: 'Expected "dialect" beside "edges", but it is missing',
    hint: 'Add "dialect": "dataflow" (nodes run when all before them have) or "dialect": "handle" (one path at a time).',
  });
  return null;
}

/** A view in the words of one dialect says nothing about a run of another. */
export function wrongDialect(state: RunState, { expected, found }: { expected: Dialect; found: Dialect }): HeddleError {
  const message = `Expected run ${state.run?.runId} to be of a ${expected} graph, but it is of a ${found} graph`;
  return new HeddleError('DIALECT_MISMATCH', message);
}
