// Event hub: keeps published events for their time to live, and hands each to the runs that wait for it. Rules EW….
//
// Always true: an event is stored before anybody looks for waits, and a wait before anybody looks for events, so that
// one of the two sees the other. What is handed over twice does no harm: a run takes an event once.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Command, Reply } from '../core/commands.ts';
import { type EventWaitNote, eventKey, receivedBefore } from '../core/notes.ts';
import type { Background } from './background.ts';
import {
  type EventIdNote,
  eventIdKind,
  eventKind,
  eventRecords,
  fingerprintOf,
  keptEventKey,
  makeRemoval,
  prefixOfEventKey,
} from './kept-event.ts';
import type { Placement } from './mail/placement.ts';
import type { Awaitable, Clock, RecordRow, RecordWrite } from './ports.ts';
import type { PublishedEvent } from './publication.ts';
import { closedError, isMoving, isUnreached } from './refusals.ts';
import { isDamage, StoreError } from './store-error.ts';
import { Turns } from './turns.ts';

export interface EventHubOptions {
  readonly clock: Clock;
  /** Each sorts after the one before. */
  readonly newId: () => string;
  readonly submit: (runId: string, command: Command) => Promise<Reply>;
  readonly background: Background;
  /** Of a shard of a fleet, which keeps the events that belong to it, and the waits for them of runs in any shard. */
  readonly placement?: Placement | undefined;
}

/** An event that somebody publishes; it was checked before. */
export interface Publication {
  readonly id?: string;
  readonly event: string;
  readonly correlation?: string;
  readonly payload: Json;
  readonly ttlMs: number;
}

/** A token that waits for an event. */
export interface EventWait extends Omit<EventWaitNote, 'runId'> {
  readonly event: string;
  readonly correlation: string;
}

/** An event with the key of the record that keeps it. */
interface KeptEvent {
  readonly event: PublishedEvent;
  readonly key: string;
}

/** The events that are kept for a wait. */
interface Kept {
  readonly prefix: string;
  /** The run has had those up to here. */
  readonly after?: string | undefined;
  /** Where that is remembered. */
  readonly place?: string;
}

const rowsPerPage = 200;
const hadMax = 10_000;
const sweepEveryMs = 60_000;
const usedUp = 'event was used up';
/** By the key of an event: which run of another shard may have taken it. */
const claimKind = 'event-claim';

export class EventHub {
  readonly #options: EventHubOptions;
  readonly #background: Background;
  /** By the ids that callers chose. */
  readonly #turns = new Turns();
  /** Waits that use an event up are offered it one after another. */
  readonly #takers = new Turns();
  #sweptAt = Number.NEGATIVE_INFINITY;
  /**
   * Up to which kept event a run has had them all, by run and key: it begins there when it waits again. Only a memory:
   * without it a run that works off n events is offered n² / 2.
   */
  readonly #had = new Map<string, string>();

  constructor(options: EventHubOptions) {
    this.#options = options;
    this.#background = options.background;
  }

  /**
   * EW5: an event is durable before its publication is answered, with whatever is to be stored `alongside` it; then it
   * is handed to every run that waits for it.
   */
  async publish(
    publication: Publication,
    alongside: (event: PublishedEvent) => Awaitable<readonly RecordWrite[]> = () => [],
  ): Promise<{ readonly event: PublishedEvent; readonly applied: boolean; readonly delivered: number }> {
    if (this.#background.isClosed) throw closedError();
    const event = this.#eventOf(publication);
    const kept: KeptEvent = { event, key: keptEventKey(event, this.#options.newId()) };
    const keep = async () => this.#background.commit({ records: [...eventRecords(kept), ...(await alongside(event))] });
    const { id } = publication;
    if (id === undefined) await keep();
    const applied = id === undefined || (await this.#turns.take(id, () => this.#keepNew(event, keep)));
    const handed = { over: 0 };
    if (applied) await this.#background.tryNow(() => this.#handToAll(kept, handed));
    this.#sweepNowAndThen();
    return { event, applied, delivered: handed.over };
  }

  /**
   * EW16: in a fleet an id belongs to one shard, which says whether it stands for another event there; the event itself is
   * kept where its name and correlation belong.
   */
  async guardId(publication: Publication & { readonly id: string }): Promise<void> {
    const event = this.#eventOf(publication);
    const [, note] = eventRecords({ event, key: '' });
    await this.#turns.take(event.id, () => this.#keepNew(event, () => this.#background.commit({ records: [note] })));
  }

  #eventOf({ id, event, correlation = '', payload, ttlMs }: Publication): PublishedEvent {
    const at = this.#options.clock.now();
    return { id: id ?? this.#options.newId(), event, correlation, payload, at, expiresAt: at + ttlMs };
  }

  /** EW6: while an event is kept, its id is not published again; the same id for another event is refused. */
  async #keepNew(event: PublishedEvent, keep: () => Promise<void>): Promise<boolean> {
    const row = await this.#background.store.readRecord(eventIdKind, event.id);
    const known = row && (this.#read(row) as EventIdNote | null); // of the kind that was asked for
    if (!known || known.expiresAt <= event.at) {
      await keep();
      return true;
    }
    if (known.fingerprint === fingerprintOf(event)) return false;
    const message = `Expected the event that id ${event.id} was first published with, but its name, correlation or payload differ`;
    throw new HeddleError('EVENT_ID_REUSED', message);
  }

  /** Counts who took it; a run that cannot take it now may later. Those that would use it up come last, in their order. */
  async #handToAll(kept: KeptEvent, handed: { over: number }): Promise<void> {
    const prefix = eventKey(kept.event.event, kept.event.correlation);
    let hasTakers = false;
    let isTaken = false;
    const hand = async (wait: EventWaitNote): Promise<void> => {
      const { applied } = await this.#offer(wait, kept);
      if (!applied) return;
      handed.over++;
      isTaken ||= wait.once ?? false;
    };
    await this.#forEachPage('event-wait', prefix, async (rows) => {
      const handOrNote = async (wait: EventWaitNote): Promise<void> => {
        if (wait.once) hasTakers = true;
        else await hand(wait);
      };
      await Promise.all(rows.map((row) => this.#forWait(row, handOrNote)));
      return 'more';
    });
    if (!hasTakers) return;
    await this.#forEachPage('event-wait', prefix, async (rows) => {
      for (const row of rows)
        if (!isTaken) await this.#forWait(row, async (wait) => (wait.once ? hand(wait) : undefined));
      return isTaken ? 'enough' : 'more';
    });
  }

  #offer(wait: EventWaitNote, kept: KeptEvent): Promise<Reply> {
    if (!wait.once) return this.#submit(wait, kept);
    return this.#takers.take(kept.event.id, async () => {
      await this.#settleClaim(kept);
      if (!(await this.#isThere(kept))) return { applied: false, reason: usedUp };
      return this.#isElsewhere(wait.runId) ? this.#claim(wait, kept) : this.#submit(wait, kept);
    });
  }

  async #isThere({ key }: KeptEvent): Promise<boolean> {
    return (await this.#background.store.readRecord(eventKind, key)) !== null;
  }

  #isElsewhere(runId: string): boolean {
    const { placement } = this.#options;
    return placement !== undefined && placement.ofId(runId) !== placement.own;
  }

  /**
   * EW17: a run of another shard cannot remove the event in the commit that takes it. It has a claim first, so that whoever
   * comes after a crash asks it before offering the event to others.
   */
  async #claim(wait: EventWaitNote, kept: KeptEvent): Promise<Reply> {
    const { runId, token } = wait;
    const claim = { kind: claimKind, key: kept.key, value: JSON.stringify({ runId, token }), dueAt: null };
    await this.#background.commit({ records: [claim] });
    const reply = await this.#submit(wait, kept);
    const isTaken = reply.applied || reply.reason === receivedBefore;
    const removed = isTaken ? [{ kind: eventKind, key: kept.key, value: null, dueAt: null }] : [];
    await this.#background.commit({ records: [{ ...claim, value: null }, ...removed] });
    return reply;
  }

  /** Of an engine that stopped before it had the answer. */
  async #settleClaim(kept: KeptEvent): Promise<void> {
    if (this.#options.placement === undefined) return;
    const row = await this.#background.store.readRecord(claimKind, kept.key);
    const holder = row && (this.#read(row) as Pick<EventWaitNote, 'runId' | 'token'> | null); // as `#claim` wrote it
    if (holder) await this.#claim({ ...holder, once: true }, kept);
  }

  /** Of what crashes have left, also where nobody is offered the event any more. */
  async #settleClaims(): Promise<void> {
    await this.#forEachPage(claimKind, '', async (rows) => {
      for (const { key, value } of rows) {
        const row = await this.#background.store.readRecord(eventKind, key);
        const event = row && (this.#read(row) as PublishedEvent | null); // of the kind that was asked for
        const { runId } = JSON.parse(value) as EventWaitNote; // as `#claim` wrote it
        if (event)
          await this.#forRun(runId, () => this.#takers.take(event.id, () => this.#settleClaim({ event, key })));
        else if (!row) await this.#background.commit({ records: [{ kind: claimKind, key, value: null, dueAt: null }] });
      }
      return 'more';
    });
  }

  async #submit({ runId, token }: EventWaitNote, { event, key: keptAs }: KeptEvent): Promise<Reply> {
    const { id: eventId, event: name, correlation, payload, expiresAt } = event;
    const at = this.#options.clock.now();
    const arrival = {
      type: 'event',
      at,
      token,
      eventId,
      event: name,
      correlation,
      payload,
      expiresAt,
      keptAs,
    } as const;
    try {
      return await this.#options.submit(runId, arrival);
    } catch (error) {
      // EW18: it was deleted since it was seen here that it waits.
      if (!(error instanceof HeddleError && error.code === 'RUN_NOT_FOUND')) throw error;
      return { applied: false, reason: error.message };
    }
  }

  /** EW7: a run that begins to wait is given an event that was published before and is still kept, the oldest first. */
  listen(runId: string, { event, correlation, ...wait }: EventWait): void {
    const { placement } = this.#options;
    // The shard of the event hears of the wait by a letter.
    if (placement && placement.ofEvent(event, correlation) !== placement.own) return;
    const prefix = eventKey(event, correlation);
    const place = `${runId}\n${prefix}`;
    const after = this.#had.get(place); // as of now: what other tokens of the run are given meanwhile is for this one too
    const offer = () => this.#offerKept({ runId, ...wait }, { prefix, after, place });
    void this.#background.keepTrying(() => this.#forRun(runId, offer));
  }

  /** The wait of a run of another shard, which was stored here. */
  heard(row: RecordWrite): void {
    if (row.value === null) return;
    const wait = JSON.parse(row.value) as EventWaitNote; // its run wrote it
    const offer = () => this.#offerKept(wait, { prefix: prefixOfEventKey(row.key) });
    void this.#background.keepTrying(() => this.#forRun(wait.runId, offer));
  }

  /** One at a time, until the run takes one. */
  async #offerKept(wait: EventWaitNote, { prefix, after, place }: Kept): Promise<void> {
    let hadAll = true;
    const look = async (rows: readonly RecordRow[]) => {
      for (const row of rows) {
        const event = this.#read(row) as PublishedEvent | null; // of the kind that was asked for
        if (!event || event.at < (wait.from ?? 0) || event.expiresAt <= this.#options.clock.now()) continue;
        const { applied, reason } = await this.#offer(wait, { event, key: row.key });
        // What is only held for a paused run may not be taken after all.
        hadAll &&= (applied && reason === undefined) || reason === receivedBefore || reason === usedUp;
        // What an engine with another clock has kept may lie behind what this one will keep: that is looked at again.
        const isPast = row.key < `${prefix}${this.#options.newId()}`;
        if (hadAll && isPast && place !== undefined) this.#remember(place, row.key);
        if (applied) return 'enough';
      }
      return 'more';
    };
    await this.#forEachPage(eventKind, prefix, look, after);
  }

  #remember(place: string, key: string): void {
    if (this.#had.size >= hadMax) this.#had.clear();
    this.#had.set(place, key);
  }

  /** EW8: a new engine offers what is kept to all who wait, as the one before may have died in between. */
  async recover(): Promise<void> {
    if (this.#options.placement) void this.#background.keepTrying(() => this.#settleClaims());
    await this.#background.keepTrying(() => this.#offerToAll());
    await this.#background.keepTrying(() => this.#sweep());
  }

  async #offerToAll(): Promise<void> {
    await this.#forEachPage('event-wait', '', async (rows) => {
      await Promise.all(
        rows.map((row) => this.#forWait(row, (wait) => this.#offerKept(wait, { prefix: prefixOfEventKey(row.key) }))),
      );
      return 'more';
    });
  }

  async #forWait(row: RecordRow, work: (wait: EventWaitNote) => Promise<unknown>): Promise<void> {
    const wait = this.#read(row) as EventWaitNote | null; // of the kind that was asked for
    if (wait) await this.#forRun(wait.runId, () => work(wait));
  }

  /** EW10: a run that cannot take an event is reported and keeps nobody else from it; a store that fails, or a shard that moves or cannot be reached, is asked again. */
  async #forRun(runId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if ((error instanceof StoreError && !isDamage(error)) || isMoving(error) || isUnreached(error)) throw error;
      this.#background.report(error, { runId });
    }
  }

  /** EW9: events that have expired are removed, a page at a time: at the start, and after publications now and then. */
  #sweepNowAndThen(): void {
    const now = this.#options.clock.now();
    if (now < this.#sweptAt + sweepEveryMs) return;
    this.#sweptAt = now;
    this.#background.run(() => this.#sweep());
  }

  async #sweep(): Promise<void> {
    const { clock } = this.#options;
    const { store } = this.#background;
    for (const kind of [eventKind, eventIdKind]) {
      for (let rows = await store.dueRecords(kind, clock.now(), rowsPerPage); rows.length > 0; ) {
        if (this.#background.isClosed) return;
        await this.#background.commit({ records: rows.map(makeRemoval) });
        rows = await store.dueRecords(kind, clock.now(), rowsPerPage);
      }
    }
  }

  async #forEachPage(
    kind: string,
    prefix: string,
    look: (rows: readonly RecordRow[]) => Promise<'more' | 'enough'>,
    from?: string,
  ): Promise<void> {
    for (let after = from; !this.#background.isClosed; ) {
      const query = { prefix, limit: rowsPerPage, ...given({ after }) };
      const rows = await this.#background.store.listRecords(kind, query);
      if (rows.length === 0 || (await look(rows)) === 'enough') return;
      after = rows.at(-1)?.key;
    }
  }

  /** As it was written; null if it is damaged, which is told, and it is left where it is. */
  #read(row: RecordRow): unknown {
    try {
      return JSON.parse(row.value) as unknown;
    } catch (cause) {
      this.#background.report(
        new Error(`Expected ${row.kind} ${JSON.stringify(row.key)} to be JSON, but it is damaged`, { cause }),
      );
      return null;
    }
  }
}
