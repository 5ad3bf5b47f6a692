// LostWrite: a page of the database is as it was some commits earlier: the disk said that it had written it, and had not.
// Every row in it matches its checksum, and what was added since is not there.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Damage } from './flip.ts';
import type { Original } from './original.ts';

const name = 'heddle.db';
const pageLength = 4096;

export function loseWrite({ filesAtRest, filesEarlier }: Original, dice: Dice): Damage {
  const now = Buffer.from(filesAtRest.get(name) ?? []);
  const before = Buffer.alloc(now.length); // Nothing but zeros was where the file had not grown to yet.
  filesEarlier.get(name)?.copy(before);
  const places = Array.from({ length: now.length / pageLength }, (_, page) => page * pageLength);
  const place = dice.pick(places.filter((at) => !pageAt(now, at).equals(pageAt(before, at)))) ?? 0;
  pageAt(before, place).copy(now, place);
  const what = `page ${place / pageLength + 1} of ${name} was not written for some commits`;
  return { files: new Map([...filesAtRest, [name, now]]), what };
}

const pageAt = (bytes: Buffer, at: number): Buffer => bytes.subarray(at, at + pageLength);
