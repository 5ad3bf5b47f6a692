// OrderedIndex: ids in the order of a number, then of the id, for the questions that must not look at every run.
//
// Always true: the blocks are in order and none is empty; an entry stands in them once. Adding and removing cost a
// search among the blocks and a move inside one, 100,000 entries or few.

export interface Entry {
  readonly rank: number;
  readonly id: string;
}

/** Entries of a block at most; a full one is split in halves. */
const blockSize = 512;

export class OrderedIndex {
  readonly #blocks: Entry[][] = [];

  add(entry: Entry): void {
    const at = Math.max(0, this.#blockOf(entry));
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([entry]);
      return;
    }
    const position = countBefore(block, entry);
    const there = block[position];
    if (there !== undefined && compare(there, entry) === 0) return;
    block.splice(position, 0, entry);
    if (block.length > blockSize) this.#blocks.splice(at + 1, 0, block.splice(blockSize / 2));
  }

  remove(entry: Entry): void {
    const at = this.#blockOf(entry);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const position = countBefore(block, entry);
    const there = block[position];
    if (there === undefined || compare(there, entry) !== 0) return;
    block.splice(position, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  first(): Entry | undefined {
    return this.#blocks[0]?.[0];
  }

  /** Upwards, from the first entry after `after`. Nothing may be added or removed meanwhile. */
  *ascending(after: Entry | null): Generator<Entry> {
    let at = after === null ? 0 : Math.max(0, this.#blockOf(after));
    let position = after === null ? 0 : countBefore(this.#blocks[at] ?? [], after);
    for (; at < this.#blocks.length; at += 1, position = 0) {
      const block = this.#blocks[at] ?? [];
      for (; position < block.length; position += 1) {
        const entry = block[position];
        if (entry !== undefined && (after === null || compare(entry, after) > 0)) yield entry;
      }
    }
  }

  /** Downwards, from the last entry before `before`. Nothing may be added or removed meanwhile. */
  *descending(before: Entry | null): Generator<Entry> {
    let at = before === null ? this.#blocks.length - 1 : this.#blockOf(before);
    let limit = before === null ? Number.POSITIVE_INFINITY : countBefore(this.#blocks[at] ?? [], before);
    for (; at >= 0; at -= 1, limit = Number.POSITIVE_INFINITY) {
      const block = this.#blocks[at] ?? [];
      for (let position = Math.min(limit, block.length) - 1; position >= 0; position -= 1) {
        const entry = block[position];
        if (entry !== undefined) yield entry;
      }
    }
  }

  /** The last block that starts at or before the entry: the one it belongs to; -1 if it comes before all. */
  #blockOf(entry: Entry): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = this.#blocks[middle]?.[0];
      if (start !== undefined && compare(start, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** How many entries of a block come before the given one. */
function countBefore(block: readonly Entry[], entry: Entry): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = block[middle];
    if (there !== undefined && compare(there, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: Entry, b: Entry): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
