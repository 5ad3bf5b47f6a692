// Scope: which names an expression may read, by the place where it stands. Rule DF24.

import type { TransitionDefinition } from './definition.ts';

export interface Scopes {
  /** Input mappings, waits, collections, the output mapping of the definition. */
  readonly reading: ReadonlySet<string>;
  /** Conditions and output mappings: these know the result of the node. */
  readonly routing: ReadonlySet<string>;
  /** The source of a merge. */
  readonly merging: ReadonlySet<string>;
  /** A quorum, the summary of a run. */
  readonly counting: ReadonlySet<string>;
  /** The summary of a node. */
  readonly visiting: ReadonlySet<string>;
  /** Edits and conditions of dialects: these know the context of a thread and the outputs of nodes. */
  readonly editing: ReadonlySet<string>;
}

// DF24: `input`, `state`, `output`, `_trigger`, `_branch`, `_batch` and the item variables can be read; `result` only
// in conditions and output mappings; a merge reads no `_trigger`, a quorum and the summary of a run only
// the three sections, the summary of a node `input`, `state` and `result`.
export function makeScopes(transitions: readonly TransitionDefinition[]): Scopes {
  const items = transitions.flatMap(({ foreach }) => (foreach?.itemVar === undefined ? [] : [foreach.itemVar]));
  const sections = ['input', 'state', 'output'];
  const reading = [...sections, '_trigger', '_branch', '_batch', ...items];
  return {
    reading: new Set(reading),
    routing: new Set([...reading, 'result']),
    merging: new Set([...sections, '_branch', '_batch', ...items]),
    counting: new Set(sections),
    visiting: new Set(['input', 'state', 'result']),
    editing: new Set([...reading, 'result', 'context', 'nodes']),
  };
}

/** For what was checked by its dialect, which may have names of its own everywhere. */
export function widenScopes(scopes: Scopes): Scopes {
  const widen = (names: ReadonlySet<string>) => new Set([...names, 'context', 'nodes', 'item']);
  return {
    reading: widen(scopes.reading),
    routing: widen(scopes.routing),
    merging: widen(scopes.merging),
    counting: widen(scopes.counting),
    visiting: widen(scopes.visiting),
    editing: widen(scopes.editing),
  };
}
