// Loss: one way in which a disk may come back after the power was lost: all that is sure, and of what was not synced some,
// in pieces. Which it is, the dice say.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { applyBytes, applyNames, type ByteChange, type FileNode, type FolderNode, type Node } from './disk.ts';

/** By path below the folder. */
export type Files = ReadonlyMap<string, Buffer>;

/** What a disk writes whole, or not at all. */
const sectorLength = 512;
/** What may be found where a file has grown and nothing was written yet. */
const garbage = 0xa5;

export function loseRest(root: FolderNode, dice: Dice): Files {
  const files = new Map<string, Buffer>();
  const folders: [string, FolderNode][] = [['', root]];
  for (const [place, folder] of folders) {
    for (const [name, node] of survivingNames(folder, dice)) {
      const below = place === '' ? name : `${place}/${name}`;
      if (below.endsWith('-shm')) continue; // Made anew by the first who opens the log.
      if (node.type === 'folder') folders.push([below, node]);
      else files.set(below, survivingBytes(node, dice));
    }
  }
  return files;
}

function survivingNames({ names, waiting }: FolderNode, dice: Dice): Map<string, Node> {
  const survivors = new Map(names);
  for (const change of someOf(waiting, dice)) applyNames(survivors, change);
  return survivors;
}

function survivingBytes({ bytes, waiting }: FileNode, dice: Dice): Buffer {
  if (waiting.length === 0) return bytes;
  const isTorn = dice.chance(1, 2);
  const survivors = someOf(waiting, dice).flatMap((change) =>
    isTorn && change.type === 'written' && dice.chance(1, 3) ? tear(change, dice) : [change],
  );
  // The file has its new length, and not what was written there.
  const hasGrown = dice.chance(1, 6);
  const { length } = hasGrown ? applyBytes(bytes, waiting) : bytes;
  const grown: ByteChange[] = length > bytes.length ? [{ type: 'cut', length }] : [];
  return applyBytes(bytes, [...grown, ...survivors], dice.pick([0, 0, garbage]));
}

type Written = Extract<ByteChange, { type: 'written' }>;

/** Any of its sectors; those of other writes beside it are never touched (SQLite's "powersafe overwrite"). */
function tear({ type, place, data }: Written, dice: Dice): Written[] {
  const pieces: Written[] = [];
  for (let at = 0; at < data.length; ) {
    const end = Math.min(data.length, at + sectorLength - ((place + at) % sectorLength));
    if (dice.chance(1, 2)) pieces.push({ type, place: place + at, data: data.subarray(at, end) });
    at = end;
  }
  return pieces;
}

/** In their order. */
function someOf<T>(changes: readonly T[], dice: Dice): readonly T[] {
  if (changes.length === 0) return changes;
  const one = dice.draw(changes.length);
  switch (
    dice.pick(['none', 'all', 'all but one', 'only the last', 'the first ones', 'each by chance', 'most'] as const)
  ) {
    case 'none':
      return [];
    case 'all':
      return changes;
    case 'all but one':
      return changes.filter((_, index) => index !== one);
    case 'only the last':
      return changes.slice(-1);
    case 'the first ones':
      return changes.slice(0, one);
    case 'each by chance':
      return changes.filter(() => dice.chance(1, 2));
    case 'most':
      return changes.filter(() => dice.chance(9, 10));
  }
}

/** As programs see it: nothing is lost when a process dies. */
export function seenFiles(root: FolderNode): Files {
  const files = new Map<string, Buffer>();
  const folders: [string, FolderNode][] = [['', root]];
  for (const [place, folder] of folders) {
    for (const [name, node] of folder.seen) {
      const below = place === '' ? name : `${place}/${name}`;
      if (below.endsWith('-shm')) continue;
      if (node.type === 'folder') folders.push([below, node]);
      else files.set(below, applyBytes(node.bytes, node.waiting));
    }
  }
  return files;
}

/** Puts them into a folder that has nothing else. */
export function writeFiles(files: Files, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), bytes);
  }
}
