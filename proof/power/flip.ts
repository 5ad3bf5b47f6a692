// Flip: a bit of a stored file turns over. Which one, the dice say, with a liking for places that are in use.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Files } from './loss.ts';
import type { Original } from './original.ts';

/** A store that is not as it was written. */
export interface Damage {
  readonly files: Files;
  /** What happened to it, for people. */
  readonly what: string;
}

const pageLength = 4096;

export function flipBit({ files }: Original, dice: Dice): Damage {
  const name = pickFile(files, dice);
  const bytes = Buffer.from(files.get(name) ?? []);
  const at = pickByte(bytes, dice);
  const bit = dice.draw(8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  const page = `page ${Math.floor(at / pageLength) + 1}, byte ${at % pageLength}`;
  const what = `bit ${bit} of byte ${at} of ${name} (${page}) turned over`;
  return { files: new Map([...files, [name, bytes]]), what };
}

/** Mostly the database and its log; now and then an artifact, or the key. */
function pickFile(files: Files, dice: Dice): string {
  const names = [...files].filter(([, bytes]) => bytes.length > 0).map(([name]) => name);
  const beside = names.filter((name) => !/\.db(-wal)?$/.test(name));
  const main = names.filter((name) => /\.db(-wal)?$/.test(name));
  return dice.pick(beside.length > 0 && dice.chance(1, 12) ? beside : main) ?? '';
}

function pickByte(bytes: Buffer, dice: Dice): number {
  const at = dice.draw(bytes.length);
  const page = at - (at % pageLength);
  switch (dice.pick(['anywhere', 'in use', 'in use', 'in use', 'in use', 'a header'])) {
    case 'a header':
      return Math.min(bytes.length - 1, page + dice.draw(page === 0 ? 112 : 12));
    case 'in use':
      return page + (dice.pick(placesInUse(bytes.subarray(page, page + pageLength))) ?? 0);
    default:
      return at;
  }
}

/** What is free is zero, mostly. */
function placesInUse(page: Buffer): number[] {
  return [...page.keys()].filter((place) => page[place] !== 0);
}
