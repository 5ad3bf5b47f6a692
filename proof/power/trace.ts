// Trace: what `record-writes.c` wrote down, as a list of changes to a disk.

import { readFileSync } from 'node:fs';
import type { Files } from './loss.ts';
import type { Mark } from './recorder.ts';

/** Names are as the program gave them; a descriptor means the file that was last opened or created under it. */
export type Change =
  | { readonly type: 'opened' | 'created'; readonly descriptor: number; readonly name: string }
  | { readonly type: 'written'; readonly descriptor: number; readonly place: number; readonly data: Buffer }
  | { readonly type: 'cut'; readonly descriptor: number; readonly length: number }
  | { readonly type: 'synced'; readonly descriptor: number }
  | { readonly type: 'renamed'; readonly name: string; readonly to: string }
  | { readonly type: 'removed' | 'folderMade' | 'folderRemoved'; readonly name: string }
  | { readonly type: 'marked'; readonly mark: Mark }
  /** The process ended; the disk did not notice. */
  | { readonly type: 'restarted' }
  /** The power failed; this is what the disk came back with. */
  | { readonly type: 'lost'; readonly files: Files };

/** In the order of `enum kind`, from 1 on. */
const kinds = [
  'opened',
  'created',
  'written',
  'cut',
  'synced',
  'renamed',
  'removed',
  'folderMade',
  'folderRemoved',
] as const;
const headerLength = 24;

/** `marks` is the file whose lines are marks and no data. */
export function readTrace(file: string, marks: string): Change[] {
  const bytes = readFileSync(file);
  const changes: Change[] = [];
  const spoken = new Set<number>();
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 16);
    const data = bytes.subarray(at + headerLength, at + headerLength + length);
    const change = readChange(bytes, at, data);
    at += headerLength + length;
    if (change.type === 'opened' || change.type === 'created') {
      if (change.name === marks) spoken.add(change.descriptor);
      else spoken.delete(change.descriptor);
    }
    if (!('descriptor' in change) || !spoken.has(change.descriptor)) changes.push(change);
    else if (change.type === 'written') changes.push({ type: 'marked', mark: JSON.parse(data.toString()) as Mark });
  }
  return changes;
}

function readChange(bytes: Buffer, at: number, data: Buffer): Change {
  const type = kinds[bytes.readUInt32LE(at) - 1];
  if (type === undefined) throw new Error(`Expected a record of a change at byte ${at} of the trace, but found none`);
  const descriptor = bytes.readInt32LE(at + 4);
  const place = Number(bytes.readBigUInt64LE(at + 8));
  switch (type) {
    case 'opened':
    case 'created':
      return { type, descriptor, name: data.toString() };
    case 'written':
      return { type, descriptor, place, data };
    case 'cut':
      return { type, descriptor, length: place };
    case 'synced':
      return { type, descriptor };
    case 'renamed': {
      const [name = '', to = ''] = data.toString().split('\0');
      return { type, name, to };
    }
    case 'removed':
    case 'folderMade':
    case 'folderRemoved':
      return { type, name: data.toString() };
  }
}
