// FileWatch: whether the names of an open store still lead to its files. A file that was deleted, moved or replaced is
// written to as before, until its process ends and the disk forgets it: nothing of that may be acknowledged.
//
// Always true: no write is let through more than half a second after the last look that found all in its place.

import { statSync } from 'node:fs';
import { StoreError } from '../../actor/store-error.ts';

/** How long a look is good for: two calls of the system, about 5 µs, shared by all commits of that time. */
const goodForMs = 500;

interface Seen {
  readonly file: string;
  /** Which file that name led to. */
  readonly identity: string | null;
}

export class FileWatch {
  readonly #seen: readonly Seen[];
  readonly #onLook: () => void;
  #lookedAt = performance.now();

  /** `file` is the database, under its real name; its log is there. `onLook` is called now and then, while all is well. */
  constructor(file: string, onLook: () => void = () => undefined) {
    this.#seen = [file, `${file}-wal`].map((name) => ({ file: name, identity: readIdentity(name) }));
    this.#onLook = onLook;
  }

  // FS4: a store whose file is not in its place refuses to write, within a second, until the file is back.
  check(): void {
    const now = performance.now();
    if (now - this.#lookedAt < goodForMs) return;
    const gone = this.findGone();
    if (gone !== null) throw new StoreError('STORE_GONE', goneSentence(gone));
    this.#lookedAt = now;
    this.#onLook();
  }

  /** The name that leads to nothing, or to another file. */
  findGone(): string | null {
    return this.#seen.find(({ file, identity }) => readIdentity(file) !== identity)?.file ?? null;
  }
}

function readIdentity(file: string): string | null {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev}/${found.ino}`;
  } catch {
    return null; // A folder on the way is no folder any more, or may not be looked into.
  }
}

function goneSentence(file: string): string {
  return (
    `Expected ${file} to be the file that was opened, but it was deleted, moved or replaced since. Nothing more is ` +
    `stored; put the file back, or stop the engine, restore a backup and open it again.`
  );
}
