// Event stream: events as Server-Sent Events, to readers that may be slow, idle or gone. Rules SE….
//
// Always true: an event is asked of its source only when the reader has room for it, so that a reader holds at most one
// event here, however slow it is; one timer serves all readers.

import type { Clock } from '../actor/ports.ts';
import { type Access, hasAccess, lostAccess, openAccess } from './access.ts';
import { problemOf } from './problem-document.ts';

export interface SentEvent {
  /** What a reader goes on after; absent for what is not in the journal. */
  readonly id?: string;
  /** Absent for events of the journal. */
  readonly name?: string;
  readonly data: unknown;
}

export interface StreamOptions {
  /** A sign of life for readers to which nothing else is sent. */
  readonly heartbeatMs: number;
  /** A reader that has taken nothing for so long is dropped. */
  readonly slowReaderMs: number;
  readonly streamsMax: number;
}

const defaultStreamOptions: StreamOptions = { heartbeatMs: 15_000, slowReaderMs: 60_000, streamsMax: 10_000 };

const encoder = new TextEncoder();
const heartbeat = encoder.encode(': still here\n\n');

export class EventStreams {
  readonly #clock: Clock;
  readonly #options: StreamOptions;
  readonly #open = new Set<OneStream>();
  #cancelTick: (() => void) | null = null;

  constructor(clock: Clock, options: Partial<StreamOptions> = {}) {
    this.#clock = clock;
    this.#options = { ...defaultStreamOptions, ...options };
  }

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= this.#options.streamsMax;
  }

  /** The source is told to end when the reader has gone. */
  stream(source: AsyncIterator<SentEvent>, access: Access = openAccess): ReadableStream<Uint8Array> {
    const unwatch = access.grant?.onLoss(() => one.refuse());
    const one = new OneStream(source, access, this.#clock.now(), () => {
      this.#open.delete(one);
      unwatch?.();
    });
    this.#open.add(one);
    this.#tickLater();
    return one.readable;
  }

  /** Ends all of them: readers come back to whoever serves next. */
  close(): void {
    for (const one of this.#open) one.end();
    this.#cancelTick?.();
    this.#cancelTick = null;
  }

  #tickLater(): void {
    if (this.#cancelTick !== null) return;
    const { heartbeatMs, slowReaderMs } = this.#options;
    this.#cancelTick = this.#clock.schedule(this.#clock.now() + heartbeatMs, () => {
      this.#cancelTick = null;
      const now = this.#clock.now();
      for (const one of this.#open) one.tick(now, slowReaderMs);
      if (this.#open.size > 0) this.#tickLater();
    });
  }
}

class OneStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #source: AsyncIterator<SentEvent>;
  readonly #access: Access;
  readonly #forget: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** The reader has room, and waits. */
  #wanted: (() => void) | null = null;
  /** What came while the reader had no room: one chunk at most. */
  #ready: Uint8Array | null = null;
  #isAsking = false;
  #isOver = false;
  #takenAt: number;
  #now: number;

  constructor(source: AsyncIterator<SentEvent>, access: Access, now: number, forget: () => void) {
    this.#source = source;
    this.#access = access;
    this.#forget = forget;
    this.#takenAt = now;
    this.#now = now;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: () => this.#stop(),
      },
      { highWaterMark: 0 },
    );
  }

  #pull(): Promise<void> {
    this.#takenAt = this.#now;
    return new Promise((resolve) => {
      this.#wanted = resolve;
      if (this.#ready !== null) this.#hand(this.#ready);
      else this.#ask();
    });
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#source.next().then(
      ({ done, value }) => (done === true ? this.#finish() : this.#arrive(encode(value))),
      // Whoever comes back is told what is wrong.
      () => this.#finish(),
    );
  }

  #arrive(what: Uint8Array): void {
    this.#isAsking = false;
    if (this.#isOver) return;
    if (this.#wanted !== null) this.#hand(what);
    else this.#ready = what;
  }

  #finish(): void {
    this.#isAsking = false;
    this.end();
  }

  #hand(what: Uint8Array): void {
    if (!hasAccess(this.#access)) return this.refuse();
    this.#ready = null;
    this.#controller?.enqueue(what);
    const wanted = this.#wanted;
    this.#wanted = null;
    wanted?.();
  }

  // SE3: a reader for whom there is nothing gets a sign of life; one that takes nothing is dropped, and comes back with
  // the id of the last event it had.
  tick(now: number, slowReaderMs: number): void {
    this.#now = now;
    if (this.#wanted !== null) {
      const wanted = this.#wanted;
      this.#wanted = null;
      this.#controller?.enqueue(heartbeat);
      wanted();
    } else if (now - this.#takenAt > slowReaderMs) this.end();
  }

  /** AC13: a reader that has lost access gets nothing more but a problem, as an event named `error`, and the end. */
  refuse(): void {
    if (this.#isOver) return;
    this.#controller?.enqueue(encode({ name: 'error', data: problemOf(lostAccess()) }));
    this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#stop();
    try {
      this.#controller?.close();
    } catch {
      // Whoever read it was faster: it is closed.
    }
    this.#wanted?.();
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#forget();
    void this.#source.return?.();
  }
}

function encode({ id, name, data }: SentEvent): Uint8Array {
  const lines = [...(id === undefined ? [] : [`id: ${id}`]), ...(name === undefined ? [] : [`event: ${name}`])];
  // JSON has no line ends in it: it is one line.
  return encoder.encode(`${[...lines, `data: ${JSON.stringify(data)}`].join('\n')}\n\n`);
}
