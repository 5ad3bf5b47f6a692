// Caller: what this process asks shards that others own, from the question to its answer. Rules OW6 and OW7.
//
// Always true: every question is answered, or fails: one that was certainly not done with `SHARD_ELSEWHERE`, one that may have been
// done with `STORE_FENCED`; a row stays until this process has heard of its answer, so that no question is sent anew.

import type { Call, Heard, Said } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { type CrossingAnswer, unpackAnswer } from '../crossing-answer.ts';
import { shardElsewhere } from '../seat.ts';
import { fitting, readCall, writeCall } from './call-text.ts';

/** How long nobody may take a call: longer than its owner may miss that there is one. */
const untakenMsMax = 3_000;

interface Asked {
  readonly call: Call;
  readonly askedAt: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the listening to the signal. */
  readonly forget: () => void;
  /** Whether its row is there: `sent`: perhaps, for no exchange was heard since. */
  phase: 'new' | 'sent' | 'there';
  isTaken: boolean;
  /** Whoever has taken it is told that nobody waits. */
  isAbortTold: boolean;
}

export type Asking = Pick<Said, 'calls' | 'withdrawn' | 'aborted' | 'settled'>;

export interface CallerOptions {
  readonly process: string;
  /** By a clock that nobody sets. */
  readonly elapsed: () => number;
  /** There is something to say. */
  readonly onNews: () => void;
}

export class Caller {
  readonly #options: CallerOptions;
  readonly #asked = new Map<string, Asked>();
  /** Calls of which nothing more is needed, until their rows are gone. */
  readonly #settled = new Set<string>();
  #newest = 0;
  #closed: Error | null = null;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  ask<Answer>(shard: number, question: unknown, signal?: AbortSignal): Promise<Answer> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason as Error); // what aborts has a reason
    const { process, elapsed, onNews } = this.#options;
    this.#newest += 1;
    const call = { id: `${process}/${this.#newest}`, shard, question: writeCall(question) };
    return new Promise<Answer>((resolve, reject) => {
      const hear = (): void => onNews(); // another one for each that shares the signal
      const forget = (): void => signal?.removeEventListener('abort', hear);
      signal?.addEventListener('abort', hear, { once: true });
      const begun = { phase: 'new', isTaken: false, isAbortTold: false } as const;
      this.#asked.set(call.id, { call, askedAt: elapsed(), signal, resolve, reject, forget, ...begun });
      onNews();
    });
  }

  /** What is to be said now, and again until an exchange was heard. */
  say(): Asking {
    for (const { call, phase, signal } of this.#asked.values())
      if (phase === 'new' && signal?.aborted) this.#settle(call.id)?.reject(signal.reason);
    const since = this.#options.elapsed() - untakenMsMax;
    const all = [...this.#asked.values()];
    const isUnwanted = ({ signal }: Asked): boolean => signal?.aborted ?? false;
    // OW6: what nobody takes, or wants any more, goes if that is still so: then it was certainly not done.
    const withdrawn = all.filter(
      (one) => one.phase !== 'new' && !one.isTaken && (one.askedAt <= since || isUnwanted(one)),
    );
    const leaving = new Set(withdrawn);
    const unsent = all.filter((one) => one.phase !== 'there' && !leaving.has(one));
    const sent = fitting(unsent, ({ call }) => call.question);
    for (const one of sent) one.phase = 'sent';
    return {
      calls: sent.map(({ call }) => call),
      withdrawn: withdrawn.map(idOf),
      aborted: all.filter((one) => one.isTaken && isUnwanted(one) && !one.isAbortTold).map(idOf),
      settled: [...this.#settled],
    };
  }

  /** What an exchange came to. */
  hear({ calls, withdrawn, aborted, settled }: Asking, heard: Heard): void {
    for (const id of settled) this.#settled.delete(id);
    for (const { id } of calls) this.#change(id, { phase: 'there' });
    for (const id of aborted) this.#change(id, { isAbortTold: true });
    for (const { id, answer } of heard.answers) this.#answer(id, answer);
    // OW7: whoever has taken it may have done it, and says nothing any more.
    for (const id of heard.lost) this.#settle(id)?.reject(unanswered());
    const gone = new Set(heard.withdrawn);
    for (const id of withdrawn) {
      if (gone.has(id)) this.#refuse(id);
      else this.#change(id, { phase: 'there', isTaken: true });
    }
    const isOwing = withdrawn.some((id) => this.#asked.get(id)?.signal?.aborted); // now it is known whom to tell
    if (isOwing || (calls.length > 0 && this.#hasNew)) this.#options.onNews();
  }

  get #hasNew(): boolean {
    return [...this.#asked.values()].some(({ phase }) => phase === 'new');
  }

  /** Nobody was heard for long, or all calls were forgotten. */
  giveUp(): void {
    for (const [id, { phase }] of this.#asked) {
      if (phase === 'new') this.#refuse(id);
      else this.#settle(id)?.reject(unanswered());
    }
  }

  close(error: Error): void {
    this.#closed = error;
    for (const id of this.#asked.keys()) this.#settle(id)?.reject(error);
  }

  #answer(id: string, text: string): void {
    const asked = this.#settle(id);
    if (asked === undefined) return;
    try {
      asked.resolve(unpackAnswer(readCall(text) as CrossingAnswer, asked.signal) as never); // what was asked for
    } catch (error) {
      asked.reject(error);
    }
  }

  /** It was certainly not done. */
  #refuse(id: string): void {
    const asked = this.#settle(id);
    asked?.reject(asked.signal?.aborted ? asked.signal.reason : shardElsewhere(asked.call.shard));
  }

  #change(id: string, change: Partial<Pick<Asked, 'phase' | 'isTaken' | 'isAbortTold'>>): void {
    Object.assign(this.#asked.get(id) ?? {}, change);
  }

  #settle(id: string): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    asked?.forget();
    if (asked?.phase !== 'new') this.#settled.add(id);
    return asked;
  }
}

const idOf = ({ call }: Asked): string => call.id;

function unanswered(): StoreError {
  return new StoreError(
    'STORE_FENCED',
    'Expected an answer of the process that owned the shard, but it is gone. It may have been done; what has an idempotency key can be asked again.',
  );
}
