// Allowance: what one command may still spend, in steps and in bytes. Rules PL5 to PL8.
//
// Always true: what is spent follows from the graph, the state and the command alone. Replaying spends nothing, and
// neither does the end of a run, so that a run whose allowance is spent can always fail.

import { lengthOfJson } from '../../base/check-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { isJsonObject, type Path } from '../../base/path.ts';
import type { Problem } from '../../base/problem.ts';
import { splitTarget } from '../../base/targets.ts';
import type { SchemaCheck } from '../../definition/graph.ts';
import { type LimitSetter, limitOrigin } from '../../definition/limits.ts';
import type { Meter } from '../../expression/expression.ts';
import type { Write } from '../events.ts';
import type { Branch, Context } from '../state.ts';
import type { Planning } from './planning.ts';

/** Steps are those of expressions: 20 to 60 ns each. */
export interface Allowance extends Meter {
  /** Of the values that the command's events hold. */
  bytesLeft: number;
}

/** A token that is created, entered and left takes about 5 µs; a task that is handed out as much. */
export const stepsPerToken = 100;

const stepsPerEvaluation = 5;
const stepsPerWrite = 2;
/** A list or an object is walked once, at about 3 ns a byte. */
const bytesPerStep = 16;

/** By default 6 to 20 ms of planning, and 1 MB, which takes about as long to be encoded, hashed and written. */
const stepsPortion = 1 / 16;
const bytesPortion = 1 / 64;

/**
 * PL7: what the state names anyway (due timers, ready tasks, branches that may begin) is taken on until a portion of the
 * limits is spent; the rest follows in the next command.
 */
export function mayTakeMore({ allowance, graph }: Planning): boolean {
  const { commandCostMax, commandBytesMax } = graph.limits;
  return (
    allowance.stepsLeft >= (1 - stepsPortion) * commandCostMax &&
    allowance.bytesLeft >= (1 - bytesPortion) * commandBytesMax
  );
}

/** PL5: the steps of one command are bounded together; a run that needs more fails. */
export function spendSteps(p: Planning, steps: number): void {
  p.allowance.stepsLeft -= steps;
  if (p.allowance.stepsLeft < 0) exceed(p, 'commandCostMax');
}

/** PL6: so are the bytes of what its events hold, far below the longest text of the runtime. */
function spendBytes(p: Planning, bytes: number): void {
  p.allowance.bytesLeft -= bytes;
  if (p.allowance.bytesLeft < 0) exceed(p, 'commandBytesMax');
}

/** An evaluation is paid for: what it took is known already, and so is the size of its value. */
export function spendEvaluation(p: Planning, value: { readonly bytes: number; readonly isWalked: boolean }): void {
  spendSteps(p, stepsPerEvaluation + (value.isWalked ? Math.ceil(value.bytes / bytesPerStep) : 0));
  spendBytes(p, value.bytes);
}

/** A value that no expression made, and so nobody has weighed. */
export function spendValue(p: Planning, value: Json | undefined): void {
  if (value === undefined) return;
  spendEvaluation(p, { bytes: lengthOfJson(value), isWalked: typeof value === 'object' });
}

/** What a schema finds wrong with a value, if the check ends within the allowance. */
export function checkWithin(p: Planning, check: SchemaCheck, value: Json): readonly Problem[] {
  const problems = check(value, p.allowance);
  spendSteps(p, 0); // The check has spent them.
  return problems;
}

/** What a branch sees is put together from the writes of all that enclose it: objects on their way are copied. */
export function spendView(p: Planning, branch: Branch): void {
  let steps = 0;
  for (let b = branch; b.group; b = b.group.parent) {
    for (const write of b.writes?.list() ?? [])
      steps += stepsPerWrite + widthAt(p.state.root.context, splitTarget(write[0]));
  }
  if (steps > 0) spendSteps(p, steps);
}

/** Writes to the state of the run copy the objects on their way, each once. */
export function spendWrites(p: Planning, context: Context | null, writes: readonly Write[]): void {
  spendSteps(p, stepsPerWrite * writes.length + (context === null ? 0 : measureWidth(context, writes)));
}

function measureWidth(context: Context, writes: readonly Write[]): number {
  const seen = writes.length > 1 ? new Set<string>() : null;
  let width = 0;
  for (const [target] of writes) {
    const parent = target.slice(0, target.lastIndexOf('.'));
    if (seen?.has(parent)) continue;
    seen?.add(parent);
    width += widthAt(context, splitTarget(target));
  }
  return width;
}

/** How many members the objects on the way to a target have. */
function widthAt(context: Context | null, [section, ...path]: Path): number {
  let here: Json | undefined = section === 'output' ? context?.output : context?.state;
  let width = 0;
  for (const key of path) {
    if (!isJsonObject(here)) return width;
    width += Object.keys(here).length;
    here = Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return width;
}

/** What takes as many steps as a command may, beside any run. */
export function stepsExceeded(limits: LimitSetter, what: string): Failure {
  const limit = 'commandCostMax';
  const most = limits.limits[limit];
  const message = `Expected ${what} to take at most ${most} steps by the limit ${limit}, but it takes more (${limitOrigin(limit, limits)})`;
  return { code: 'LIMIT_EXCEEDED', message, limit };
}

/** A run that has spent what a command may fails before the next step (PL3). */
function exceed(p: Planning, limit: 'commandCostMax' | 'commandBytesMax'): void {
  const what = limit === 'commandCostMax' ? 'steps' : 'bytes of values';
  const most = p.graph.limits[limit];
  p.fatal ??= {
    code: 'LIMIT_EXCEEDED',
    message: `Expected one command of the run to take at most ${most} ${what} by the limit ${limit}, but it takes more (${limitOrigin(limit, p.graph)}, or do less between two tasks or waits)`,
    limit,
  } satisfies Failure;
}
