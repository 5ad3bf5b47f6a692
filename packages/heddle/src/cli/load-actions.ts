// Load actions: from `--actions MODULE` to actions by name, and which names (of actions, of workflows)
// a definition asks for.

import type { Action } from '../index.ts';
import { CommandError } from './command-error.ts';
import { loadModule } from './read-document.ts';

export type NamedActions = Readonly<Record<string, Action>>;

/** The default export's members and the named exports; functions, or objects with a `run`. */
export async function loadActions(file: string | undefined): Promise<NamedActions> {
  if (file === undefined) return {};
  const { default: listed, ...named } = await loadModule(file, 'a module with actions');
  const found = Object.entries({ ...membersOf(listed), ...named }).filter(([, value]) => isAction(value));
  if (found.length > 0) return Object.fromEntries(found) as NamedActions; // Only actions are left.
  const example = 'export async function greet({ input }) { … }';
  throw new CommandError(
    'NO_ACTIONS',
    `Expected ${file} to export actions, but it exports none; write \`${example}\`.`,
  );
}

/** A list names its actions by their `name`. */
function membersOf(listed: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(listed)) {
    return Object.fromEntries(listed.map((action: { readonly name?: unknown }) => [String(action.name), action]));
  }
  return typeof listed === 'object' && listed !== null ? (listed as Readonly<Record<string, unknown>>) : {};
}

function isAction(value: unknown): value is Action {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && typeof (value as { readonly run?: unknown }).run === 'function';
}

/** The names that a definition's nodes ask for, but for those that come with Heddle. */
export function actionNamesOf(definition: unknown): readonly string[] {
  const { nodes } = definition as { readonly nodes?: readonly { readonly action?: unknown }[] };
  const names = (nodes ?? []).map(({ action }) => (isNamed(action) ? action.name : action));
  return [...new Set(names.filter((name) => typeof name === 'string'))].filter((name) => !name.startsWith('core.'));
}

/** The sub-workflows that its nodes call. */
export function workflowNamesOf(definition: unknown): readonly string[] {
  const { nodes } = definition as { readonly nodes?: readonly { readonly workflow?: unknown }[] };
  const names = (nodes ?? []).map(({ workflow }) => (hasId(workflow) ? workflow.id : workflow));
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

function hasId(workflow: unknown): workflow is { readonly id: unknown } {
  return typeof workflow === 'object' && workflow !== null && 'id' in workflow;
}

function isNamed(action: unknown): action is { readonly name: unknown } {
  return typeof action === 'object' && action !== null && 'name' in action;
}
