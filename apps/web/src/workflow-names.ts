// Workflow names: definitions come as a list of versions; people think of workflows.

import type { DefinitionSummary } from 'heddle';

export interface NamedWorkflow {
  readonly id: string;
  /** The newest. */
  readonly version: number;
  readonly versions: number;
  readonly createdAt: number;
}

/** One for each workflow, by name, with its newest version. */
export function namesOf(definitions: readonly DefinitionSummary[]): readonly NamedWorkflow[] {
  const byId = new Map<string, NamedWorkflow>();
  for (const { id, version, createdAt } of definitions) {
    const known = byId.get(id);
    const versions = (known?.versions ?? 0) + 1;
    const isNewest = known === undefined || version > known.version;
    byId.set(id, isNewest ? { id, version, versions, createdAt } : { ...known, versions });
  }
  return [...byId.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
