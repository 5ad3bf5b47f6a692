// Built-in actions: the names that Heddle keeps for itself, and what a misspelt one was meant to be. Rule DF59.

import { findNearest } from '../base/nearest.ts';
import type { Reporter } from './reporter.ts';

/** No action of a user begins with it. */
export const reservedPrefix = 'core.';

export const coreActions = ['core.echo', 'core.fail', 'core.flaky', 'core.sleep'] as const;
export type CoreAction = (typeof coreActions)[number];

const builtInActions = [...coreActions, 'http.request'];

export interface NamedAction {
  readonly name: string | undefined;
  readonly pointer: string;
  readonly nodeId: string;
  /** Names beside the core actions that mean something here: a dialect may have node types of its own. */
  readonly besides?: readonly string[];
}

// DF59: names that begin with `core.` are the engine's own, so that one which it does not have can never come.
export function checkBuiltIn({ name, pointer, nodeId, besides = [] }: NamedAction, reporter: Reporter): void {
  const known = [...coreActions, ...besides];
  if (name === undefined || !name.startsWith(reservedPrefix) || known.includes(name)) return;
  reporter.error('UNKNOWN_ACTION', pointer, {
    message: `Expected a built-in action for node "${nodeId}" (${known.join(', ')}), but there is no "${name}"`,
    hint: () => actionHint(name, [...known, 'http.request']),
  });
}

/** Which of the actions that there are a name was probably meant to be, as a sentence. */
export function actionHint(name: string, known: readonly string[]): string | undefined {
  const meant = findNearest(name, known) ?? findBuiltIn(name, known);
  return meant === undefined ? undefined : `Did you mean "${meant}"?`;
}

/** `echo` is core.echo, and all of `http`, `http.get`, `fetch` are http.request. */
function findBuiltIn(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase();
  const isRequest = /^(core\.)?(https?([._-].*)?|fetch|request|webhook)$/.test(word);
  const meant = isRequest ? 'http.request' : builtInActions.find((action) => action.endsWith(`.${word}`));
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}
