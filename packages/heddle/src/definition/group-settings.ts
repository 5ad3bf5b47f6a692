// Group settings: what the transitions that open one group say of it, taken together.

import type { TransitionDefinition } from './definition.ts';
import type { JoinedOpening, Opening } from './home-join.ts';
import type { SiblingJoin, Wiring } from './wiring.ts';

export const groupFields = ['onBranchFailure', 'maxFailures', 'emptyJoin'] as const;

export type GroupSettings = Pick<TransitionDefinition, (typeof groupFields)[number]>;

/** One word is enough for all; that they do not contradict each other is checked in `check-groups.ts`. */
export function readGroupSettings({ wires }: Opening): GroupSettings {
  const settings: Partial<Record<keyof GroupSettings, unknown>> = {};
  for (const { transition } of wires) {
    for (const field of groupFields) settings[field] ??= transition[field];
  }
  return settings as GroupSettings; // each comes from the field of its name
}

/** The join that acts when no branch can arrive: the only one, or the one that is named. Null if there is none. */
export function chooseHomeJoin(wiring: Wiring, { opening, joins }: JoinedOpening): SiblingJoin | null {
  const { emptyJoin } = readGroupSettings(opening);
  if (emptyJoin === undefined) return joins.length === 1 ? (joins[0] ?? null) : null;
  return joins.find((join) => wiring.nodes[join.node]?.id === emptyJoin) ?? null;
}
