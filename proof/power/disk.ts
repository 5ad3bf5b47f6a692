// Disk: what is surely on a disk and what may be, change by change: the model of a disk and a file system that keep no
// promise but that of `fsync`. A file's bytes are sure once the file is synced, its name once its folder is.
//
// Always true: what is sure only grows by a sync; changes that wait for one are in the order in which they were made.

import path from 'node:path';
import type { Files } from './loss.ts';
import type { Change } from './trace.ts';

export type ByteChange =
  | { readonly type: 'written'; readonly place: number; readonly data: Buffer }
  | { readonly type: 'cut'; readonly length: number };

export interface FileNode {
  readonly type: 'file';
  /** What is sure. */
  bytes: Buffer;
  waiting: ByteChange[];
}

/** Null: the name is gone. */
export type NameChange = readonly [name: string, node: Node | null][];

export interface FolderNode {
  readonly type: 'folder';
  /** What is sure. */
  readonly names: Map<string, Node>;
  waiting: NameChange[];
  /** As programs see it now. */
  readonly seen: Map<string, Node>;
}

export type Node = FileNode | FolderNode;

const newFile = (): FileNode => ({ type: 'file', bytes: Buffer.alloc(0), waiting: [] });
const newFolder = (): FolderNode => ({ type: 'folder', names: new Map(), waiting: [], seen: new Map() });

export class Disk {
  root = newFolder();
  readonly #folder: string;
  readonly #descriptors = new Map<number, Node>();

  /** `folder` is what names in the trace begin with. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  change(change: Change): void {
    switch (change.type) {
      case 'opened':
        this.#descriptors.set(change.descriptor, this.#find(change.name));
        return;
      case 'created': {
        const file = newFile();
        this.#descriptors.set(change.descriptor, file);
        return this.#rename([[change.name, file]]);
      }
      case 'written':
      case 'cut':
        this.#fileOf(change.descriptor).waiting.push(change);
        return;
      case 'synced':
        return sync(this.#nodeOf(change.descriptor));
      case 'renamed': {
        const node = this.#find(change.name);
        return this.#rename([
          [change.name, null],
          [change.to, node],
        ]);
      }
      case 'folderMade':
        return this.#rename([[change.name, newFolder()]]);
      case 'removed':
      case 'folderRemoved':
        return this.#rename([[change.name, null]]);
      case 'restarted':
        return this.#descriptors.clear();
      case 'lost':
        return this.#comeBack(change.files);
      case 'marked':
        return;
    }
  }

  /** Everything that is there is sure. */
  #comeBack(files: Files): void {
    this.#descriptors.clear();
    this.root = newFolder();
    for (const [name, bytes] of files) {
      let folder = this.root;
      const parts = name.split('/');
      for (const part of parts.slice(0, -1)) {
        const next = folder.seen.get(part) ?? newFolder();
        if (next.type !== 'folder') throw new Error(`Expected ${part} in ${name} to be a folder, but it is a file`);
        applyNames(folder.names, [[part, next]]);
        applyNames(folder.seen, [[part, next]]);
        folder = next;
      }
      const file: NameChange = [[parts.at(-1) ?? '', { type: 'file', bytes, waiting: [] }]];
      applyNames(folder.names, file);
      applyNames(folder.seen, file);
    }
  }

  /** All in one folder: a change of two names (a rename) happens whole or not at all. */
  #rename(names: readonly (readonly [string, Node | null])[]): void {
    const folders = new Set(names.map(([name]) => path.dirname(name)));
    const [only = ''] = folders;
    if (folders.size > 1) throw new Error(`Expected a rename within a folder, but found ${[...folders].join(' → ')}`);
    const folder = this.#find(only);
    if (folder.type !== 'folder') throw new Error(`Expected a folder ${only}, but it is a file`);
    const change: NameChange = names.map(([name, node]) => [path.basename(name), node]);
    folder.waiting.push(change);
    applyNames(folder.seen, change);
  }

  #find(name: string): Node {
    const parts = path.relative(this.#folder, name).split(path.sep).filter(Boolean);
    let node: Node | undefined = this.root;
    for (const part of parts) node = node?.type === 'folder' ? node.seen.get(part) : undefined;
    if (node) return node;
    throw new Error(`Expected ${name} to be on the recorded disk, but it is not`);
  }

  #nodeOf(descriptor: number): Node {
    const node = this.#descriptors.get(descriptor);
    if (node) return node;
    throw new Error(`Expected descriptor ${descriptor} to be open, but it is not`);
  }

  #fileOf(descriptor: number): FileNode {
    const node = this.#nodeOf(descriptor);
    if (node.type === 'file') return node;
    throw new Error(`Expected descriptor ${descriptor} to be a file's, but it is a folder's`);
  }
}

function sync(node: Node): void {
  if (node.type === 'file') node.bytes = applyBytes(node.bytes, node.waiting);
  else for (const change of node.waiting) applyNames(node.names, change);
  node.waiting = [];
}

export function applyNames(names: Map<string, Node>, change: NameChange): void {
  for (const [name, node] of change) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}

/** Leaves what it is given as it is. Bytes that nobody wrote are `hole`. */
export function applyBytes(before: Buffer, changes: readonly ByteChange[], hole = 0): Buffer {
  const ends = changes.map((change) => (change.type === 'cut' ? change.length : change.place + change.data.length));
  const bytes = Buffer.alloc(Math.max(before.length, ...ends), hole);
  before.copy(bytes);
  let { length } = before;
  for (const change of changes) {
    if (change.type === 'cut') {
      bytes.fill(0, Math.min(change.length, length), length);
      length = change.length;
    } else {
      change.data.copy(bytes, change.place);
      length = Math.max(length, change.place + change.data.length);
    }
  }
  return bytes.subarray(0, length);
}
