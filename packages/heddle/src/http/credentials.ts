// Credentials: secrets that let somebody in (keys, sessions, tokens), kept as hashes in a store. Rules AC….
//
// Always true: the text of a credential is known to whoever was given it and to nobody here; what is kept cannot be turned
// back into it. One that was removed or has ended opens nothing from then on.

import type { Clock, RecordRow, RecordWrite } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { given } from '../base/given.ts';
import { equalTexts, sha256Hex } from '../base/hash.ts';
import type { ServerRecords } from '../engine/server-records.ts';
import { type Grant, GrantWatch, isFreshAt } from './access.ts';

/** What is kept of every credential. */
export interface Kept {
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** One that is known by its id. */
export interface Found<Stored> {
  readonly id: string;
  readonly stored: Stored;
}

interface Known<Stored> {
  /** Null once it was removed. */
  readonly stored: Stored | null;
  readonly readAt: number;
}

interface Place {
  /** Of its records. */
  readonly kind: string;
  /** Of its texts. */
  readonly prefix: string;
  /** Those that have ended are removed: many are made, and nobody asks what became of them. */
  readonly isSwept?: true;
}

const rowsPerPage = 100;
/** For so long it is remembered that one was removed: longer than any read of it takes. */
const removedForMs = 60_000;

export class Credentials<Stored extends Kept> {
  readonly #store: ServerRecords;
  readonly #clock: Clock;
  readonly #place: Place;
  readonly #pattern: RegExp;
  readonly #grants: GrantWatch;
  /** Those that were asked for. */
  readonly #known = new Map<string, Known<Stored>>();

  constructor(store: ServerRecords, clock: Clock, place: Place) {
    this.#store = store;
    this.#clock = clock;
    this.#place = place;
    this.#pattern = new RegExp(`^${place.prefix}_([0-9a-z]{16})_[\\w-]{32}$`);
    this.#grants = new GrantWatch(clock, async (ids) => {
      for (const id of ids) await this.#read(id);
    });
  }

  /** AC3: a key is known by its id, and right if its hash is the one that is kept, which takes the same time to find out. */
  async authenticate(text: string): Promise<Found<Stored> | null> {
    const [, id] = this.#pattern.exec(text) ?? [];
    if (id === undefined) return null;
    const stored = await this.find(id);
    const isRight = equalTexts(sha256Hex(text), stored?.hash ?? sha256Hex(''));
    return stored === null || !isRight || this.hasEnded(stored) ? null : { id, stored };
  }

  /** For as long as it is there and has not ended. */
  grant(id: string): Grant {
    const isValid = (): boolean => this.#isOpening(id);
    const endsAt = (): number | null => this.#known.get(id)?.stored?.expiresAt ?? null;
    return this.#grants.grant({ id, isValid, endsAt });
  }

  async find(id: string): Promise<Stored | null> {
    const known = this.#known.get(id);
    if (known !== undefined && (known.stored === null || isFreshAt(this.#clock, known.readAt))) return known.stored;
    return this.#read(id);
  }

  hasEnded({ expiresAt }: Kept): boolean {
    return expiresAt !== null && expiresAt <= this.#clock.now();
  }

  /** A new one; `others` are written with it. */
  async make(
    told: Omit<Stored, 'hash' | 'createdAt'>,
    others: readonly RecordWrite[] = [],
  ): Promise<Found<Stored> & { readonly text: string }> {
    const id = randomText(16, 'abcdefghijklmnopqrstuvwxyz0123456789');
    const secret = randomText(32, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
    const text = `${this.#place.prefix}_${id}_${secret}`;
    const stored = { ...told, createdAt: this.#clock.now(), hash: sha256Hex(text) } as Stored; // with what was left out
    await this.#store.writeRecords([this.#recordOf(id, stored), ...(await this.#sweep()), ...others]);
    this.#note(id, stored);
    return { id, stored, text };
  }

  /** In place of what there is of it; false if it was removed meanwhile, which another process may have done. */
  async replace(id: string, stored: Stored): Promise<boolean> {
    const isThere = await this.#store.writeRecords([this.#recordOf(id, stored)], { kind: this.#place.kind, key: id });
    this.#note(id, isThere ? stored : null);
    return isThere;
  }

  async remove(id: string): Promise<void> {
    await this.#store.writeRecords([this.#removal(id)]);
    this.#note(id, null);
  }

  /** A page of those that are wanted, by id. */
  async list(
    { after, limit }: { readonly after?: string; readonly limit: number },
    isWanted: (stored: Stored) => boolean,
  ): Promise<readonly Found<Stored>[]> {
    const found: Found<Stored>[] = [];
    for (let from = after; found.length < limit; ) {
      const rows = await this.#store.listRecords(this.#place.kind, { limit: rowsPerPage, ...given({ after: from }) });
      const all = rows.map((row) => ({ id: row.key, stored: this.#storedOf(row) }));
      found.push(...all.filter(({ stored }) => isWanted(stored)));
      from = rows.at(-1)?.key;
      if (rows.length < rowsPerPage) break;
    }
    return found.slice(0, limit);
  }

  async #read(id: string): Promise<Stored | null> {
    const before = this.#known.get(id);
    const row = await this.#store.readRecord(this.#place.kind, id);
    // What was changed while it was read counts.
    const meanwhile = this.#known.get(id);
    if (meanwhile !== before) return meanwhile?.stored ?? null;
    const stored = row === null ? null : this.#storedOf(row);
    // Ids that are nobody's are not kept: there is no end of them.
    if (stored !== null || before !== undefined) this.#note(id, stored);
    return stored;
  }

  #note(id: string, stored: Stored | null): void {
    this.#known.set(id, { stored, readAt: this.#clock.now() });
    this.#grants.look();
  }

  #isOpening(id: string): boolean {
    const stored = this.#known.get(id)?.stored;
    return stored !== undefined && stored !== null && !this.hasEnded(stored);
  }

  /** What removes those that have ended, some at a time; they are forgotten here too. */
  async #sweep(): Promise<readonly RecordWrite[]> {
    if (!this.#place.isSwept) return [];
    const now = this.#clock.now();
    for (const [id, { stored, readAt }] of this.#known) {
      if (stored === null ? now - readAt > removedForMs : this.hasEnded(stored)) this.#known.delete(id);
    }
    const ended = await this.#store.dueRecords(this.#place.kind, now, rowsPerPage);
    return ended.map(({ key }) => this.#removal(key));
  }

  #recordOf(id: string, stored: Stored): RecordWrite {
    const { kind, isSwept } = this.#place;
    return { kind, key: id, value: JSON.stringify(stored), dueAt: isSwept ? stored.expiresAt : null };
  }

  #removal(id: string): RecordWrite {
    return { kind: this.#place.kind, key: id, value: null, dueAt: null };
  }

  #storedOf(row: RecordRow): Stored {
    return valueOf(row) as Stored; // as it was written here
  }
}

/** Every letter is as likely: what does not fit evenly is drawn again. */
function randomText(length: number, letters: string): string {
  const bound = 256 - (256 % letters.length);
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < bound && text.length < length) text += letters[byte % letters.length] ?? '';
    }
  }
  return text;
}
