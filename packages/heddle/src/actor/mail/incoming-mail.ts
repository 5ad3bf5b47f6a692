// Incoming mail: letters of other shards, each received once and in the order of its sender. Rules ML5 to ML8.
//
// Always true: a letter's mark is in the commit that holds its effect; a letter is answered when that commit is durable.

import { given } from '../../base/given.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { readAllRecords } from '../all-records.ts';
import type { Background } from '../background.ts';
import type { RecordWrite, Store } from '../ports.ts';
import { closedError } from '../refusals.ts';
import { isReceipt, type Letter, markKeyOf, readMarkKey, receiptOf } from './letter.ts';

export interface IncomingMailOptions {
  readonly background: Background;
  /** Hands it to whoever it is for; what follows is in a commit that is told of the receipt. */
  readonly deliver: (letter: Letter, receipt: string) => void;
}

interface Doing {
  readonly letter: Letter;
  readonly arrived: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What is known of the letters of a sender, in one incarnation. */
interface Sender {
  /** All letters below this number have arrived. */
  below: number;
  /** Those above that have. */
  readonly done: Set<number>;
  /** Those whose effect is not durable yet. */
  readonly doing: Map<number, Doing>;
  /** Those from `below` on that have come to this process, behind all that came before them. */
  readonly come: Set<number>;
}

export const markKind = 'mail-mark';
export const seenKind = 'mail-seen';
/** Marks of letters that their sender has forgotten: so many are removed together. */
const marksMax = 256;

export class IncomingMail {
  readonly #options: IncomingMailOptions;
  readonly #senders = new Map<string, Sender>();
  #isSweeping = false;

  constructor(options: IncomingMailOptions) {
    this.#options = options;
  }

  /** What an earlier process has received. */
  async load(store: Store): Promise<void> {
    for (const { key, value } of await readAllRecords(store, seenKind))
      this.#senderOf(key).below = (JSON.parse(value) as { below: number }).below; // as `#sweep` wrote it
    for (const { key } of await readAllRecords(store, markKind)) {
      const { sender, number } = readMarkKey(key);
      this.#senderOf(sender).done.add(number);
    }
  }

  /** Durable when it answers. */
  receive(letter: Letter): Promise<void> {
    if (this.#options.background.isClosed) return Promise.reject(closedError());
    const { from, incarnation, number, after, lowest } = letter;
    const sender = this.#senderOf(`${from}/${incarnation}`);
    // ML6: in the order of its sender. A mark does not tell whether what came before its letter is durable too.
    const isInOrder = after < Math.max(lowest, sender.below) || sender.come.has(after);
    if (isInOrder) sender.come.add(number);
    // ML5: what has come before changes nothing.
    if (isDone(sender, number)) return Promise.resolve();
    const known = sender.doing.get(number);
    if (known) return known.arrived;
    // What has overtaken its predecessor comes again after it.
    if (!isInOrder) return Promise.reject(outOfOrder(letter));
    this.#raise(sender, lowest);
    let settle: Pick<Doing, 'resolve' | 'reject'> = { resolve: () => undefined, reject: () => undefined };
    const arrived = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    sender.doing.set(number, { letter, arrived, ...settle });
    this.#options.deliver(letter, receiptOf(letter));
    return arrived;
  }

  /** What is below is not sent again, and need not be known one by one. */
  #raise(sender: Sender, lowest: number): void {
    sender.below = Math.max(sender.below, lowest);
    for (const number of sender.come) {
      if (number >= sender.below) return;
      sender.come.delete(number);
    }
  }

  /** The records that note, in a commit, which letters it receives. */
  marksOf(outboxDone: readonly string[]): readonly RecordWrite[] {
    return outboxDone
      .filter(isReceipt)
      .map((receipt) => ({ kind: markKind, key: markKeyOf(receipt), value: '{}', dueAt: null }));
  }

  /** That commit is durable. */
  received(outboxDone: readonly string[]): void {
    for (const receipt of outboxDone.filter(isReceipt)) {
      const { sender: name, number } = readMarkKey(markKeyOf(receipt));
      const sender = this.#senderOf(name);
      sender.done.add(number);
      sender.doing.get(number)?.resolve();
      sender.doing.delete(number);
      if (sender.done.size > marksMax && !this.#isSweeping) this.#sweep(name, sender);
    }
  }

  /** Nobody waits for what this engine will not do: its letters are brought to the next one. */
  close(): void {
    for (const { doing } of this.#senders.values()) {
      for (const { reject } of doing.values()) reject(closedError());
      doing.clear();
    }
  }

  /** ML8: what was refused while a run was set aside is handed to it once more. */
  again(address: string): void {
    for (const { doing } of this.#senders.values())
      for (const { letter } of doing.values())
        if (letter.to === address) this.#options.deliver(letter, receiptOf(letter));
  }

  /** What that shard has sent before this incarnation has arrived, and does not come again. */
  async forgetSender(store: Store, shard: number, incarnation: string): Promise<void> {
    const isOver = (name: string): boolean =>
      name.startsWith(`${shard}/`) && !`${name}/`.startsWith(`${shard}/${incarnation}/`);
    for (const name of this.#senders.keys()) if (isOver(name)) this.#senders.delete(name);
    for (const kind of [markKind, seenKind])
      for (let after: string | undefined; ; ) {
        const rows = await store.listRecords(kind, { prefix: `${shard}/`, limit: marksMax, ...given({ after }) });
        const over = rows.filter(({ key }) => isOver(key));
        const records = over.map(({ key }) => ({ kind, key, value: null, dueAt: null }));
        if (records.length > 0) await this.#options.background.commit({ records });
        if (rows.length < marksMax) break;
        after = rows.at(-1)?.key;
      }
  }

  /** ML7: a mark is removed only once its sender has said that it will not send that letter again, with that noted. */
  #sweep(name: string, sender: Sender): void {
    const { below } = sender;
    const over = [...sender.done].filter((number) => number < below);
    if (over.length < marksMax / 2) return;
    this.#isSweeping = true;
    const records: RecordWrite[] = over.map((number) => ({
      kind: markKind,
      key: `${name}/${number}`,
      value: null,
      dueAt: null,
    }));
    const seen = { kind: seenKind, key: name, value: JSON.stringify({ below }), dueAt: null };
    const { background } = this.#options;
    background.run(async () => {
      try {
        await background.commit({ records: [seen, ...records] });
        for (const number of over) sender.done.delete(number);
      } finally {
        this.#isSweeping = false;
      }
    });
  }

  #senderOf(name: string): Sender {
    const sender = this.#senders.get(name) ?? { below: 0, done: new Set(), doing: new Map(), come: new Set() };
    this.#senders.set(name, sender);
    return sender;
  }
}

const isDone = ({ below, done }: Sender, number: number): boolean => number < below || done.has(number);

function outOfOrder({ from, number, after }: Letter): HeddleError {
  return new HeddleError(
    'LETTER_OUT_OF_ORDER',
    `Expected letter ${after} of shard ${from} before letter ${number}, but it has not come; both come again`,
  );
}
