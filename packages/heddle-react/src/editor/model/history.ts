// History: what was changed, step by step, so that everything can be undone and done again.
//
// Always true: a step holds the whole document as it was; documents share what they have in common, so that a step costs
// what it changed.

import type { JsonObject } from 'heddle';

/** What is edited. */
export interface Document {
  readonly definition: JsonObject;
  /** JSON as it is typed, as long as it does not parse: goes before the definition. */
  readonly text: string | null;
}

interface Step {
  readonly document: Document;
  /** What was done next, such as `Move "fetch"`. */
  readonly label: string;
}

export interface History {
  readonly past: readonly Step[];
  readonly present: Document;
  readonly future: readonly Step[];
  /** Changes with the same key that follow one another are one step. */
  readonly key: string | null;
}

const stepsMax = 500;

export const newHistory = (present: Document): History => ({ past: [], present, future: [], key: null });

export interface HistoryChange {
  readonly document: Document;
  readonly label: string;
  /** Of a change that continues the one before, such as typing into one field. */
  readonly key?: string | undefined;
}

export function change(history: History, { document, label, key }: HistoryChange): History {
  if (document === history.present) return history;
  if (key !== undefined && key === history.key) return { ...history, present: document, future: [] };
  const past = [...history.past, { document: history.present, label }].slice(-stepsMax);
  return { past, present: document, future: [], key: key ?? null };
}

/** What comes next is a step of its own, whatever its key. */
export const pause = (history: History): History => (history.key === null ? history : { ...history, key: null });

export function undo(history: History): History {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  const future = [{ document: history.present, label: last.label }, ...history.future];
  return { past: history.past.slice(0, -1), present: last.document, future, key: null };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  const past = [...history.past, { document: history.present, label: next.label }];
  return { past, present: next.document, future, key: null };
}
