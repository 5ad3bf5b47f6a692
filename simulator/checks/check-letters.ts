// Check letters: letters between the shards of a fleet, from the commit that sends them to the one that receives them, and
// back (I51). Each has a number that is higher than all before it on its way, is received once, with its effect in the same
// commit, in the order of its sender among those to the same address, and leaves the outbox of its sender only then.
//
// Always true: nothing is asked of the engine; how letters lie in a store is read here, by the words of ML1 and ML5.

import type { Commit, OutboxRow, RecordWrite } from '../../packages/heddle/src/actor/ports.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Violation } from './violation.ts';

/** What a letter brings. */
export interface Enclosed {
  readonly to: string;
  readonly message: Json;
}

interface Sent extends Enclosed {
  readonly number: number;
  isReceived: boolean;
}

/** From one shard, in one incarnation, to another: by number, in the order of sending. */
type Way = Map<number, Sent>;

const rowId = /^~(\d+)\/([^/]+)\/(\d+)$/;
const recordsAddress = '@records';

/** Null if the row stays in its shard. */
export function letterIn({ to, message }: OutboxRow): Enclosed | null {
  return to === '@mail' ? (JSON.parse(message) as Enclosed) : null; // as a shard writes it
}

export class LetterCheck {
  readonly #ways = new Map<string, Way>();

  /** After each commit of a shard, in order. */
  add(commit: Commit, shard: number): Violation | null {
    return this.#checkSent(commit, shard) ?? this.#checkReceived(commit, shard) ?? this.#checkRemoved(commit, shard);
  }

  #wayFrom(from: number, receiver: number, incarnation: string): Way {
    const name = `${from} ${receiver} ${incarnation}`;
    const way = this.#ways.get(name) ?? new Map<number, Sent>();
    this.#ways.set(name, way);
    return way;
  }

  #checkSent({ outboxAdded }: Commit, from: number): Violation | null {
    for (const row of outboxAdded) {
      const enclosed = letterIn(row);
      if (enclosed === null) continue;
      const [, receiver = '', incarnation = '', digits = ''] = rowId.exec(row.id) ?? [];
      const [way, number] = [this.#wayFrom(from, Number(receiver), incarnation), Number(digits)];
      const newest = [...way.keys()].at(-1) ?? 0;
      if (number <= newest)
        return broken(`Expected letter ${row.id} of shard ${from} to have a number above ${newest}, but it has not`);
      way.set(number, { ...enclosed, number, isReceived: false });
    }
    return null;
  }

  #checkReceived({ records }: Commit, receiver: number): Violation | null {
    for (const { kind, key, value } of records) {
      if (kind !== 'mail-mark' || value === null) continue;
      const [from = '', incarnation = '', number = ''] = key.split('/');
      const way = this.#wayFrom(Number(from), receiver, incarnation);
      const wrong = this.#receive(way, Number(number), records);
      if (wrong !== null) return broken(`Expected letter ${key} to shard ${receiver} ${wrong}`);
    }
    return null;
  }

  /** Null, or what was expected of it. */
  #receive(way: Way, number: number, records: readonly RecordWrite[]): string | null {
    const letter = way.get(number);
    if (!letter) return 'to have been sent, but it was not';
    if (letter.isReceived) return 'to be received once, but it was received again';
    letter.isReceived = true;
    for (const earlier of way.values()) {
      if (earlier.number >= number) break;
      if (!earlier.isReceived && isOfOneOrder(earlier, letter))
        return `to be received after letter ${earlier.number}, which is for ${letter.to} too, but it came first`;
    }
    if (letter.to !== recordsAddress || records.some((record) => isSameRecord(record, letter.message))) return null;
    return `to be received with what it brings, ${JSON.stringify(letter.message)}, but that is not in the commit`;
  }

  #checkRemoved({ outboxDone }: Commit, from: number): Violation | null {
    for (const id of outboxDone) {
      const [, receiver, incarnation = '', number] = rowId.exec(id) ?? [];
      if (receiver === undefined) continue;
      if (!this.#wayFrom(from, Number(receiver), incarnation).get(Number(number))?.isReceived)
        return broken(
          `Expected letter ${id} to stay in the outbox of shard ${from} until it is received, but it is gone`,
        );
    }
    return null;
  }
}

/** Of records each key has an order of its own. */
function isOfOneOrder(earlier: Sent, later: Sent): boolean {
  if (earlier.to !== later.to) return false;
  return later.to !== recordsAddress || keyOf(earlier.message) === keyOf(later.message);
}

const keyOf = (message: Json): string => {
  const { kind, key } = message as unknown as RecordWrite; // nothing else is sent there
  return `${kind} ${key}`;
};

function isSameRecord({ kind, key, value }: RecordWrite, message: Json): boolean {
  const sent = message as unknown as RecordWrite; // as above
  return sent.kind === kind && sent.key === key && sent.value === value;
}

const broken = (message: string): Violation => ({ invariant: 'I51', runId: '', seq: 0, message });
