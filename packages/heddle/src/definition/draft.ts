// Draft: a definition while it is being read. Of the right shape in every part that is there, but parts may be
// missing (they were reported), shorthand may still stand in its nodes, and ids may lead nowhere.

import type {
  Definition,
  NodeDefinition,
  RetryDefinition,
  SiblingSynchronization,
  TransitionDefinition,
  WorkflowCall,
} from './definition.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface Draft extends Mutable<Partial<Omit<Definition, 'nodes' | 'transitions'>>> {
  $schema?: string;
  dialect?: 'token';
  nodes: NodeDraft[];
  transitions: TransitionDraft[];
}

export type TransitionDraft = Mutable<TransitionDefinition>;

/** A node with the shorthand that `shorthand.ts` turns into ordinary fields. */
export interface NodeDraft extends Mutable<NodeDefinition> {
  execution?: { retry?: RetryDefinition; timeoutMs?: number };
  onFailure?: NonNullable<WorkflowCall['onFailure']>;
  inheritArtifacts?: boolean;
  fanOut?: 'all' | 'first_match';
  fanIn?: 'any' | 'all' | FanInDraft;
  merge?: NonNullable<SiblingSynchronization['merge']>;
  onEarlyComplete?: NonNullable<SiblingSynchronization['onEarlyComplete']>;
}

export interface FanInDraft extends Mutable<Partial<SiblingSynchronization>> {
  mOfN?: number | string;
}

/** How a transition is called in messages: its id, or its ends. */
export function labelOf({ id, from, to }: TransitionDefinition, word = 'transition'): string {
  return id === undefined ? `${word} "${from}->${to}"` : `${word} "${id}" ("${from}->${to}")`;
}
