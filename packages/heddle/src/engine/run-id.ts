// Run ids: 26 characters that sort by the time of their making (ULID: 48 bits of time, 80 of chance), and their shard.
//
// Always true: within one process every id sorts after the one before it.

import type { Clock } from '../actor/ports.ts';
import { inShard } from '../base/shard.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;
const chanceLength = 16;

/** RI1: ids sort by the time of their making, and within one process each sorts after the one before. */
export function runIdMaker(clock: Pick<Clock, 'now' | 'random'>, shard = 0): () => string {
  let time = 0;
  let chance: number[] = [];
  return () => {
    const at = Math.max(time, clock.now());
    chance = at === time ? increment(chance) : draw(clock);
    time = at;
    return inShard(encodeTime(at) + chance.map((digit) => alphabet[digit]).join(''), shard);
  };
}

function encodeTime(at: number): string {
  let text = '';
  for (let rest = at, i = 0; i < timeLength; i++, rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text;
  return text;
}

const draw = ({ random = Math.random }: Pick<Clock, 'random'>): number[] =>
  Array.from({ length: chanceLength }, () => Math.floor(random() * 32));

/** The next number; an overflow of 80 random bits is not a case. */
function increment(digits: readonly number[]): number[] {
  const next = [...digits];
  for (let i = next.length - 1; i >= 0; i--) {
    next[i] = ((next[i] ?? 0) + 1) % 32;
    if (next[i] !== 0) break;
  }
  return next;
}
