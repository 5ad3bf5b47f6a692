// Damage: what was done to a sound definition at one of its places, so that it must be refused, and where the refusal must
// point. The rule of pointers is SPEC.md's DF56: a wrong value, an unknown field and the later of two alike at themselves; what
// is missing, or of which there are several in place of one, at the object that lacks or has it.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { type Path, pointerOf, replaced, type Site } from './sites.ts';

export interface Damage {
  readonly what: string;
  /** Where it was done. */
  readonly path: Path;
  /** Where the refusal must point. */
  readonly pointer: string;
  readonly codes: readonly string[];
  readonly severity: 'error' | 'warning';
  /**
   * What may be wrong beside it: nothing, since it hides the rest or follows from several places (`alone`); anything
   * elsewhere (`shape`); anything outside the part that it is in, which is looked into only if it is whole (`text`).
   */
  readonly level: 'alone' | 'shape' | 'text';
  readonly apply: (root: unknown) => unknown;
}

/** Null if it cannot be done there. */
export type Maker = (site: Site, dice: Dice) => Damage | null;

interface Made {
  readonly what: string;
  readonly path: Path;
  readonly value: unknown;
  readonly codes: readonly string[];
  readonly pointer?: string;
  readonly level?: Damage['level'];
  readonly severity?: Damage['severity'];
}

export function damage({ what, path, value, codes, pointer, level = 'shape', severity = 'error' }: Made): Damage {
  const apply = (root: unknown): unknown => replaced(root, path, value);
  return { what, path, pointer: pointer ?? pointerOf(path), codes, severity, level, apply };
}

/** DA11 and HN17: an editor saves a handle that nobody named as null or as an empty text. */
export const isUnnamedHandle = ({ path }: Site, value: Json): boolean =>
  (value === null || value === '') && ['sourceHandle', 'targetHandle'].includes(String(path.at(-1)));
