// Garden: what programs grow in. How much room is left, who is around, and the dice for what all kinds of blocks share.
//
// Always true: a draw of 0 gives the simplest case, so that a shorter list of draws is a smaller program.

import type { MergeStrategy } from '../../packages/heddle/src/definition/definition.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Block, Condition, Merge, Program, Tolerance } from './program.ts';

/** What stands around a block. */
export interface Scope {
  readonly isInGroup: boolean;
  readonly isInLoop: boolean;
  readonly depth: number;
  /** How many times what grows here may run. */
  readonly width: number;
  /** Fan-outs around, outermost first, whose joins can be leapt to; null for one that cannot. */
  readonly joins: readonly (string | null)[];
}

export interface Garden {
  readonly dice: Dice;
  /** In the order in which they are to be registered: callees first. */
  readonly programs: Program[];
  /** Blocks that may still grow. */
  room: number;
  lastName: number;
  /** Grows blocks in a row. */
  readonly sequence: (scope: Scope) => Block;
  /** Grows a workflow to be called, and adds it to the programs. */
  readonly workflow: (name: string, width: number) => void;
}

export function newName(garden: Garden, prefix: string): string {
  garden.lastName += 1;
  return `${prefix}${garden.lastName}`;
}

/** Short ones that often coincide. */
export const drawDuration = (dice: Dice): number => dice.pick([0, 10, 20, 50, 100, 1_000]);
export const drawTimeout = (dice: Dice): number => dice.pick([100, 10, 20, 50, 1_000]);

export function drawTolerance(dice: Dice): Tolerance | null {
  return dice.chance(1, 3) ? { maxFailures: dice.pick([null, 1, 2]) } : null;
}

const strategies: readonly [MergeStrategy, ...MergeStrategy[]] = [
  'append',
  'collect',
  'concat',
  'concat',
  'merge_object',
  'merge_object',
  'merge_object',
  'keyed_by_branch',
  'last_wins',
  'output_merge',
];

export const drawStrategy = (dice: Dice): MergeStrategy => dice.pick(strategies);

export function drawMerge(dice: Dice): Merge | null {
  if (dice.chance(1, 8)) return null;
  const source = dice.pick(['_branch.output.x', '_branch.output.x', '_branch.output.x', 'state.x', null] as const);
  const strategy = drawStrategy(dice);
  // All that branches have written is always an object.
  const isWhole = strategy === 'merge_object' && dice.chance(1, 2);
  return { strategy, source: isWhole ? null : source };
}

export function drawCondition(dice: Dice, { isInGroup }: Scope): Condition {
  const on = dice.pick(['always', 'high', 'even', 'never', 'high', 'even', 'high', 'even'] as const);
  if (dice.chance(1, 60)) return 'broken';
  return on === 'even' && !isInGroup ? 'high' : on;
}
