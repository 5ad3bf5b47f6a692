// ObjectArtifacts: artifacts as rows of a Durable Object's own storage, in pieces that a value can hold. For objects without a
// bucket, and for artifacts that are not many or large: a database of the platform holds 10 GB.
//
// Always true: bytes under an id are whole: their pieces come and go in one transaction; they are checked when they are read.

import type { ArtifactStore } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { sha256Hex } from '../../base/hash.ts';
import type { ObjectStorage } from './storage.ts';

const pieceBytes = 1_048_576;

const table = `
  CREATE TABLE IF NOT EXISTS artifact_pieces (
    id TEXT NOT NULL,
    piece INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (id, piece)
  ) STRICT, WITHOUT ROWID
`;

export class ObjectArtifacts implements ArtifactStore {
  readonly #storage: ObjectStorage;

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(table);
  }

  async put(bytes: Uint8Array): Promise<string> {
    const id = sha256Hex(bytes);
    if (this.#has(id)) return id;
    this.#storage.transactionSync(() => {
      for (let piece = 0; piece === 0 || piece * pieceBytes < bytes.length; piece++) {
        const part = bytes.slice(piece * pieceBytes, (piece + 1) * pieceBytes).buffer; // its own
        this.#storage.sql.exec('INSERT INTO artifact_pieces (id, piece, bytes) VALUES (?, ?, ?)', id, piece, part);
      }
    });
    return id;
  }

  async get(id: string): Promise<Uint8Array | null> {
    const rows = this.#storage.sql.exec('SELECT bytes FROM artifact_pieces WHERE id = ? ORDER BY piece', id).toArray();
    if (rows.length === 0) return null;
    const parts = rows.map(({ bytes }) => new Uint8Array(bytes as ArrayBuffer)); // as `put` wrote them
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    if (sha256Hex(whole) !== id) throw damaged(id);
    return whole;
  }

  has(id: string): Promise<boolean> {
    return Promise.resolve(this.#has(id));
  }

  #has(id: string): boolean {
    return this.#storage.sql.exec('SELECT 1 FROM artifact_pieces WHERE id = ? LIMIT 1', id).toArray().length > 0;
  }

  async remove(id: string): Promise<void> {
    this.#storage.sql.exec('DELETE FROM artifact_pieces WHERE id = ?', id);
  }

  async list(after: string | null, limit: number): Promise<readonly string[]> {
    return this.#storage.sql
      .exec('SELECT DISTINCT id FROM artifact_pieces WHERE id > ? ORDER BY id LIMIT ?', after ?? '', limit)
      .toArray()
      .map(({ id }) => id as string); // as `put` wrote it
  }
}

function damaged(id: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected artifact ${id} to be as it was put, but its bytes are not. Put the same bytes again, or do without it.`,
  );
}
