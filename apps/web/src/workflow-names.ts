// Workflow names: definitions come as a list of versions; people think of workflows.

import type { ListedDefinition } from 'heddle';
import { workflowNameHint } from 'heddle/dialects';

export interface NamedWorkflow {
  readonly id: string;
  /** The newest. */
  readonly version: number;
  readonly versions: number;
  readonly createdAt: number;
  /** What its author says of it. */
  readonly description?: string | undefined;
}

/** One for each workflow, by name, with its newest version. */
export function namesOf(definitions: readonly ListedDefinition[]): readonly NamedWorkflow[] {
  const byId = new Map<string, NamedWorkflow>();
  for (const { id, version, createdAt, description } of definitions) {
    const known = byId.get(id);
    const versions = (known?.versions ?? 0) + 1;
    const isNewest = known === undefined || version > known.version;
    byId.set(id, isNewest ? { id, version, versions, createdAt, description } : { ...known, versions });
  }
  return [...byId.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** A name that is allowed, as near as can be to what somebody has typed; null where nothing of it can be part of one. */
export function nameLike(typed: string): string | null {
  const plain = typed.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
  const name = plain
    .replace(/[^\w-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 128)
    .replace(/-+$/, '');
  return workflowNameHint(name) === null ? name : null;
}
