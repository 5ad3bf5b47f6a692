// Timers: which of them may fire. Rules TM3, TM6.

import { must } from './difference.ts';
import type { Stage } from './stage.ts';

/** Of one instant joins come before tokens, each by id. */
export interface Timer {
  readonly at: number | null;
  readonly kind: 'join' | 'token';
  readonly id: number;
}

/** A timer fires: it was set, its time has come, and no other one was to fire before. */
export function checkTimer(stage: Stage, timer: Timer): void {
  const { at } = timer;
  must(at !== null, () => `Expected ${timer.kind} ${timer.id} to have no timer, but it fired`);
  must(stage.at >= at, () => `Expected ${timer.kind} ${timer.id} to fire at ${at}, but it did at ${stage.at}`);
  const { deadline } = stage;
  must(deadline === null || deadline > at, () => `Expected the run to time out at ${deadline}, before ${at}`);
  for (const other of timersOf(stage))
    must(!isBefore(other, timer), () => `Expected ${other.kind} ${other.id} to fire before ${timer.kind} ${timer.id}`);
}

export function* timersOf({ threads, openGroups }: Stage): Generator<Timer, void, undefined> {
  for (const { dueAt, token } of threads) if (dueAt !== null) yield { at: dueAt, kind: 'token', id: token ?? 0 };
  for (const { deadline, hasJoined, failure, id } of openGroups) {
    if (deadline !== null && !hasJoined && failure === null) yield { at: deadline, kind: 'join', id };
  }
}

function isBefore(left: Timer, right: Timer): boolean {
  const [first, second] = [left.at ?? 0, right.at ?? 0];
  if (first !== second) return first < second;
  if (left.kind !== right.kind) return left.kind === 'join';
  return left.id < right.id;
}
