// Flow: what a definition reads and writes, and where, in a form that all dialects share.

import type { Form } from '../../expression/reads.ts';
import type { JsonSchema } from '../definition.ts';
import type { Outline } from './outline.ts';

/** A value that is written to the state or to the output of a run. */
export interface Write {
  /** The first key is the section, `state` or `output`. Alone it stands for writing the keys of an object there. */
  readonly path: readonly string[];
  readonly value: ValueSource;
}

/** What is known of a value: an outline, or what an expression makes of what node `node` knows. */
export type ValueSource = { readonly outline: Outline } | { readonly form: Form; readonly node: number };

/** An expression, or a path that stands for one, and where it is evaluated. */
export interface ReadSite {
  readonly source: string;
  /** Null: at the end of a run. */
  readonly node: number | null;
  /** How many of the writes of the node itself come before it. */
  readonly ownCount: number;
  /** Whether it knows the result of the node. */
  readonly hasResult: boolean;
  /** Evaluated once per branch that comes to a join: it knows more than the node does. */
  readonly isOfBranch: boolean;
  /** It sees the state and the output of the run itself, as they may be at the end, wherever it stands. */
  readonly isOfRun?: true;
  /** Without a value nothing is written, and the run continues; else it fails. */
  readonly isTolerant: boolean;
  readonly pointer: string;
  /** `the input mapping of node "a"`. */
  readonly who: string;
  /** What to write if it may be absent. Default: to ask for it first. */
  readonly guardHint?: string;
}

/** An input that is made for work of which it is known what it takes. */
export interface InputSite {
  readonly schema: JsonSchema;
  /** Whose schema it is: `action "score"`. */
  readonly of: string;
  readonly entries: readonly InputEntry[];
  /** Where the entries stand, or the node that has none. */
  readonly pointer: string;
  /** `the input mapping of node "a"`. */
  readonly who: string;
  /** An error where what it says is sure: the author has said what the input must be. Default: a warning. */
  readonly severity?: 'error' | 'warning';
}

export interface InputEntry {
  readonly keys: readonly string[];
  readonly form: Form;
  readonly pointer: string;
}

export interface Flow {
  readonly inputs: readonly InputSite[];
  readonly reads: readonly ReadSite[];
  /** By node: what its work writes when it is done. */
  readonly exits: ReadonlyMap<number, readonly Write[]>;
  /** By node: what is merged by a join in front of it. */
  readonly entries: ReadonlyMap<number, readonly Write[]>;
  /** By node: what its result may be. */
  readonly results: (node: number) => Result;
  readonly input: Outline;
  /** How what a branch writes is kept. */
  readonly keepHint: string;
  /** What branches wrote that nobody joined may be there at the end. */
  readonly keepsUnjoined: boolean;
  /** Joins leave branches alone, which then read what is written behind the join. */
  readonly mayRunLate: boolean;
}

export interface Result {
  readonly outline: Outline;
  /** Whose word that is: `the output schema of action "score"`. */
  readonly by: string;
  /** Whether the definition itself says so: then to read something else contradicts it. */
  readonly isOwnSchema: boolean;
}

/** A path as an expression: its keys need not be names. */
export function sourceOfPath(root: string, keys: readonly string[]): string {
  return root + keys.map((key) => `[${JSON.stringify(key)}]`).join('');
}
