// ArtifactFiles: artifacts as files in a folder beside the store, named for their content: `ab/cdef…`, the SHA-256 in
// hex, spread over 256 folders.
//
// Always true: a file under its name is whole and on the disk; nothing is ever changed under it. What was damaged since
// is found when it is read, and mended when the same is put again.

import { hash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ArtifactStore } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { listArtifactFiles } from './artifact-copy.ts';
import { makeOwnFolder, syncFolder, writeDurably } from './durable-file.ts';
import { isMissing, toFileError } from './file-fault.ts';

const idPattern = /^[0-9a-f]{64}$/;

export class ArtifactFiles implements ArtifactStore {
  readonly #folder: string;
  readonly #readOnly: boolean;
  /** By id: what comes again while it is being written waits for that. */
  readonly #writing = new Map<string, Promise<void>>();
  /** Folders that are known to be durable, with all that was in them. */
  readonly #synced = new Set<string>();

  constructor(folder: string, readOnly: boolean) {
    this.#folder = folder;
    this.#readOnly = readOnly;
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (this.#readOnly) throw readOnlyRefusal(this.#folder);
    const id = hash('sha256', bytes, 'hex');
    const writing = this.#writing.get(id) ?? this.#write(id, bytes).finally(() => this.#writing.delete(id));
    this.#writing.set(id, writing);
    await writing;
    return id;
  }

  // AR5: what is read is checked against its id.
  async get(id: string): Promise<Uint8Array | null> {
    if (!idPattern.test(id)) return null;
    const file = this.#fileOf(id);
    const bytes = await readIfThere(file);
    if (bytes !== null && hash('sha256', bytes, 'hex') !== id) throw damaged(file);
    return bytes;
  }

  async has(id: string): Promise<boolean> {
    return idPattern.test(id) && (await measureFile(this.#fileOf(id))) !== null;
  }

  async remove(id: string): Promise<void> {
    if (this.#readOnly) throw readOnlyRefusal(this.#folder);
    if (!idPattern.test(id)) return;
    const file = this.#fileOf(id);
    try {
      await rm(file, { force: true });
    } catch (error) {
      throw toFileError(error, file);
    }
  }

  list(after: string | null, limit: number): Promise<readonly string[]> {
    return listArtifactFiles(this.#folder, after, limit);
  }

  async #write(id: string, bytes: Uint8Array): Promise<void> {
    const file = this.#fileOf(id);
    await this.#makeFolder(path.dirname(file));
    if (await holds(file, bytes)) return;
    await writeDurably({ file, bytes });
  }

  /** Synced once by this process even if it was there: whoever made it, or renamed a file in it, may have died before. */
  async #makeFolder(folder: string): Promise<void> {
    try {
      await makeOwnFolder(folder);
      if (this.#synced.has(folder)) return;
      for (const each of [folder, this.#folder, path.dirname(this.#folder)]) await syncFolder(each);
      this.#synced.add(folder);
    } catch (error) {
      throw toFileError(error, folder);
    }
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, id.slice(0, 2), id.slice(2));
  }
}

async function readIfThere(file: string): Promise<Uint8Array | null> {
  try {
    const { buffer, byteOffset, length } = await readFile(file);
    return new Uint8Array(buffer, byteOffset, length);
  } catch (error) {
    if (isMissing(error)) return null;
    throw toFileError(error, file);
  }
}

/** Read, not only looked at: whoever puts it again mends what was damaged on the disk. */
async function holds(file: string, bytes: Uint8Array): Promise<boolean> {
  if ((await measureFile(file)) !== bytes.length) return false;
  const found = await readIfThere(file);
  return found !== null && Buffer.compare(found, bytes) === 0;
}

async function measureFile(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw toFileError(error, file);
  }
}

function damaged(file: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected ${file} to hold the content that it is named for, but its SHA-256 is another. Put a backup in its place, ` +
      `or put the same content again.`,
  );
}

function readOnlyRefusal(folder: string): StoreError {
  return new StoreError(
    'STORE_UNWRITABLE',
    `Expected to be able to write to ${folder}, but the store was opened with readOnly, which refuses every write.`,
  );
}
