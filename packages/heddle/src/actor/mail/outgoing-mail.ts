// Outgoing mail: the letters of a shard to the others, from the commit that holds them until they have arrived. Rules ML1 to
// ML4.
//
// Always true: a letter is in the outbox before it is sent, and until its effect is durable where it went; letters to one
// shard are sent in the order of their numbers; a number is told of as arrived only when nothing below it can still come.

import type { Json } from '../../base/json.ts';
import type { Background } from '../background.ts';
import type { Office } from '../office.ts';
import type { Clock, RecordWrite, Store } from '../ports.ts';
import { closedError } from '../refusals.ts';
import { type Letter, type Posted, readPosted, rowOf } from './letter.ts';

export interface OutgoingMailOptions {
  readonly own: number;
  /** ML11: every life of the shard sends under an incarnation of its own: for one that has very many receivers, or is one of very many. */
  readonly hasIncarnationOfLife?: boolean;
  readonly background: Background;
  readonly clock: Clock;
  /** Durable there when it answers. */
  readonly send: (receiver: number, letter: Letter) => Promise<void>;
  readonly onClosed?: () => void;
}

/** What a commit sends to another shard, before it has a number. */
export interface Unnumbered {
  readonly receiver: number;
  readonly to: string;
  readonly message: Json;
}

/** A letter on its way. */
interface Item {
  readonly posted: Posted;
  /** `reserved`: the commit that holds it is on its way. */
  status: 'reserved' | 'waiting' | 'sent' | 'arrived';
}

/** To one shard. */
interface Route {
  /** Of the newest letter. */
  number: number;
  /** In the order of their numbers; the first has not arrived. */
  items: Item[];
  isPausing: boolean;
  delayMs: number;
}

/** Until all letters to a shard up to a number have arrived. */
interface FlushWaiter {
  readonly receiver: number;
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export const counterKind = 'mail-counter';
const selfKey = 'self';
/** Noted while a backup is made, and so in every copy. */
const copyingKey = 'copying';
/** Noted with the first letter of an incarnation that is one life's. */
const sentKey = 'sent';
const lettersAtOnce = 256;
const firstDelayMs = 50;
const delayMsMax = 5_000;

export class OutgoingMail implements Office {
  readonly #options: OutgoingMailOptions;
  readonly #routes = new Map<number, Route>();
  #incarnation = '';
  #newIncarnation: () => string = () => '';
  /** Of the newest letter of this life, to whomever. */
  #numberOfLife = 0;
  /** Something that its receiver may remember. */
  #hasSent = false;
  /** The number of the last letter before this incarnation. */
  #renewedAt = 0;
  #isOpen = false;
  /** Backups that are made now: meanwhile letters that have arrived stay in the outbox. */
  readonly #copies = new Set<string>();
  readonly #kept: string[] = [];
  readonly #flushWaiters: FlushWaiter[] = [];

  constructor(options: OutgoingMailOptions) {
    this.#options = options;
  }

  /** Before anything is sent: the numbers are kept with the shard; the outbox may be empty and cannot tell. */
  async load(store: Store, newIncarnation: () => string): Promise<void> {
    if (this.#options.hasIncarnationOfLife) {
      this.#newIncarnation = newIncarnation;
      this.#incarnation = newIncarnation();
      this.#hasSent = (await store.readRecord(counterKind, sentKey)) !== null;
      return;
    }
    const self = await store.readRecord(counterKind, selfKey);
    // ML9: what numbers a copy has seen used nobody knows: the store it was made of went on.
    const isCopy = (await store.readRecord(counterKind, copyingKey)) !== null;
    const known = self && !isCopy ? (JSON.parse(self.value) as { incarnation: string }).incarnation : null; // as below
    this.#incarnation = known ?? newIncarnation();
    if (known === null) {
      const value = JSON.stringify({ incarnation: this.#incarnation });
      await this.#note({ [selfKey]: value, [copyingKey]: null });
    }
    for (const row of await store.listRecords(counterKind, { limit: 1_000 })) {
      if (row.key === selfKey) continue;
      const { incarnation, number } = JSON.parse(row.value) as { incarnation: string; number: number }; // as `number` wrote it
      if (incarnation === this.#incarnation) this.#routeTo(Number(row.key)).number = number;
    }
  }

  /** From now on letters are sent; those of an earlier process were handed in before. */
  open(): void {
    this.#isOpen = true;
    for (const receiver of this.#routes.keys()) this.#work(receiver);
  }

  /** ML1: numbers for the letters of one commit, in order; the commit must be told of by `settle`. */
  number(letters: readonly Unnumbered[]): {
    readonly posted: readonly Posted[];
    readonly records: readonly RecordWrite[];
  } {
    const posted = letters.map(({ receiver, to, message }) => {
      const route = this.#routeTo(receiver);
      route.number = this.#options.hasIncarnationOfLife ? ++this.#numberOfLife : route.number + 1;
      const letter = { receiver, incarnation: this.#incarnation, number: route.number, to, message };
      const item: Item = { posted: { ...letter, rowId: rowOf(letter).id }, status: 'reserved' };
      route.items.push(item);
      return item.posted;
    });
    if (this.#options.hasIncarnationOfLife) {
      if (this.#hasSent) return { posted, records: [] };
      this.#hasSent = true;
      return { posted, records: [{ kind: counterKind, key: sentKey, value: '{}', dueAt: null }] };
    }
    const receivers = new Set(letters.map(({ receiver }) => receiver));
    const records = [...receivers].map((receiver): RecordWrite => {
      const value = JSON.stringify({ incarnation: this.#incarnation, number: this.#routeTo(receiver).number });
      return { kind: counterKind, key: String(receiver), value, dueAt: null };
    });
    return { posted, records };
  }

  /** The commit that holds them is durable, or has failed: then their numbers are used up, and nobody waits for them. */
  settle(posted: readonly Posted[], isDurable: boolean): void {
    const settled = new Set(posted);
    for (const receiver of new Set(posted.map((one) => one.receiver))) {
      const route = this.#routeTo(receiver);
      for (const item of route.items) if (settled.has(item.posted) && isDurable) item.status = 'waiting';
      if (!isDurable) route.items = route.items.filter((item) => !settled.has(item.posted));
      this.#work(receiver);
    }
  }

  /** A letter that an earlier process left in the outbox. */
  receive(content: Json, outboxId: string): void {
    const posted = readPosted(outboxId, content);
    if (posted === null) return;
    const { items } = this.#routeTo(posted.receiver);
    if (items.some((item) => item.posted.rowId === outboxId)) return;
    const item: Item = { posted, status: 'waiting' };
    const at = items.findIndex(({ posted: { rowId } }) => rowId > outboxId);
    items.splice(at === -1 ? items.length : at, 0, item);
  }

  #routeTo(receiver: number): Route {
    const route = this.#routes.get(receiver) ?? { number: 0, items: [], isPausing: false, delayMs: firstDelayMs };
    this.#routes.set(receiver, route);
    return route;
  }

  /** Sends what waits, in order, behind what is on its way. */
  #work(receiver: number): void {
    const route = this.#routes.get(receiver);
    if (route === undefined || !this.#isOpen || route.isPausing || this.#options.background.isClosed) return;
    for (const [index, item] of route.items.slice(0, lettersAtOnce).entries()) {
      // ML2: in the order of numbers: what is not durable yet holds back what comes after it.
      if (item.status === 'reserved') return;
      const before = route.items[index - 1];
      // What was sent before a restore is received before what comes after it.
      if (before && before.posted.incarnation !== item.posted.incarnation) return;
      if (item.status !== 'waiting') continue;
      item.status = 'sent';
      void this.#send(receiver, item, before);
    }
  }

  async #send(receiver: number, item: Item, before: Item | undefined): Promise<void> {
    const { incarnation, number, to, message } = item.posted;
    const route = this.#routeTo(receiver);
    const lowest = route.items[0]?.posted.number ?? number;
    const letter = {
      from: this.#options.own,
      incarnation,
      number,
      after: before?.posted.number ?? 0,
      lowest,
      to,
      message,
    };
    try {
      await this.#options.send(receiver, letter);
    } catch (error) {
      this.#options.background.report(error);
      item.status = 'waiting';
      return this.#pause(receiver);
    }
    route.delayMs = firstDelayMs;
    item.status = 'arrived';
    this.#leave(receiver);
    this.#work(receiver);
  }

  /** ML3: what could not be brought is sent again, with all that follows it, ever more slowly. */
  #pause(receiver: number): void {
    const route = this.#routeTo(receiver);
    if (route.isPausing) return;
    route.isPausing = true;
    const { clock } = this.#options;
    clock.schedule(clock.now() + route.delayMs, () => {
      route.isPausing = false;
      this.#work(receiver);
    });
    route.delayMs = Math.min(2 * route.delayMs, delayMsMax);
  }

  /** What has arrived leaves the outbox; the first of a route is always one that has not. */
  #leave(receiver: number): void {
    const route = this.#routeTo(receiver);
    const arrived = route.items.filter(({ status }) => status === 'arrived');
    route.items = route.items.filter(({ status }) => status !== 'arrived');
    const ids = arrived.map(({ posted }) => posted.rowId);
    if (this.#copies.size > 0) this.#kept.push(...ids);
    else this.#remove(ids);
    this.#tellFlushed();
    // Nothing is to be known of one to whom nothing is on its way, where numbers are not its own.
    const isOver = route.items.length === 0 && !route.isPausing;
    if (this.#options.hasIncarnationOfLife && isOver) this.#routes.delete(receiver);
  }

  /**
   * ML12: once all that was sent has arrived, the letters that follow have another incarnation, which it answers with; null: nothing was
   * sent, or something is on its way.
   */
  renew(): string | null {
    const isOnItsWay = [...this.#routes.values()].some(({ items }) => items.length > 0);
    if (!this.#hasSent || isOnItsWay) return null;
    this.#incarnation = this.#newIncarnation();
    this.#renewedAt = this.#numberOfLife;
    return this.#incarnation;
  }

  /** Whoever received what was sent before the incarnation that there is now remembers nothing of it. */
  async forgotten(): Promise<void> {
    if (this.#numberOfLife !== this.#renewedAt) return; // more was sent meanwhile
    this.#hasSent = false;
    await this.#note({ [sentKey]: null });
  }

  #remove(outboxDone: readonly string[]): void {
    if (outboxDone.length > 0)
      void this.#options.background.keepTrying(() => this.#options.background.commit({ outboxDone }));
  }

  #note(values: Readonly<Record<string, string | null>>): Promise<void> {
    const records = Object.entries(values).map(([key, value]) => ({ kind: counterKind, key, value, dueAt: null }));
    return this.#options.background.commit({ records });
  }

  /** ML4: what a copy of this shard holds as sent is not missing in a copy of another that is made later. */
  async keep(copy: string): Promise<void> {
    this.#copies.add(copy);
    await this.#note({ [copyingKey]: '{}' });
  }

  /** That copy has been made, of all shards, or was given up. */
  async forget(copy: string): Promise<void> {
    if (!this.#copies.delete(copy) || this.#copies.size > 0) return;
    this.#remove(this.#kept.splice(0));
    await this.#note({ [copyingKey]: null });
  }

  /** When all that was posted to a shard until now has arrived there. */
  flushed(receiver: number): Promise<void> {
    const upTo = this.#routes.get(receiver)?.items.at(-1)?.posted.number;
    if (upTo === undefined) return Promise.resolve();
    if (this.#options.background.isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => this.#flushWaiters.push({ receiver, upTo, resolve, reject }));
  }

  #tellFlushed(): void {
    for (const waiter of this.#flushWaiters.splice(0)) {
      const items = this.#routes.get(waiter.receiver)?.items ?? [];
      const isFlushed = items.every(({ posted }) => posted.number > waiter.upTo);
      if (isFlushed) waiter.resolve();
      else this.#flushWaiters.push(waiter);
    }
  }

  /** What is on its way is the receiver's to do. */
  get isIdle(): boolean {
    return this.#options.background.isIdle;
  }

  get isOwing(): boolean {
    return this.#options.background.isOwing;
  }

  whenIdle(): Promise<void> {
    return this.#options.background.whenIdle();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#options.background.close();
    for (const { reject } of this.#flushWaiters.splice(0)) reject(closedError());
    this.#options.onClosed?.();
  }
}
