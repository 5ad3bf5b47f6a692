// Talk: what workers and servers told each other, hand-out by hand-out, and what is wrong with it by itself: one worker
// hears of a lease, one result of a lease counts, and nothing but what was promised is answered.

import type { Complain } from '../kill/evidence.ts';
import type { Exchange } from './protocol.ts';

/** One hand-out of a task, as the journal and the workers tell it. */
export interface HandOut {
  readonly name: string;
  readonly attempt: number;
  /** How many leases of it workers heard of, and until when the last was promised at least. */
  heard: number;
  expiresAt: number;
  isReleased: boolean;
  /** What was reported for it; null: a failure. */
  readonly reports: Set<string | null>;
  /** How often a server said that a result was what counted, and how often that it changed nothing. */
  applied: number;
  refused: number;
  isRecorded: boolean;
}

/** Run, token and hand-out: what a lease says without its seal, and when it was given. */
const nameOf = (lease: string): string => lease.slice(0, lease.lastIndexOf('.')).replace(/-\d+$/, '');

export class Talk {
  readonly handOuts = new Map<string, HandOut>();
  /** A hand-out may have several: one that its worker did not confirm is as if nobody had had it. */
  readonly #leases = new Set<string>();
  readonly #complain: Complain;

  constructor(complain: Complain) {
    this.#complain = complain;
  }

  hear(exchange: Exchange): void {
    if (exchange.type === 'refused') return this.#judgeRefusal(exchange);
    const { lease } = exchange;
    const handOut = this.#of(nameOf(lease));
    if (exchange.type === 'leased') handOut.heard++;
    if (exchange.type === 'leased' && this.#leases.has(lease))
      this.#complain(`Expected one worker to hear of lease ${lease}, but another one did, pid ${exchange.pid}`);
    if (exchange.type === 'leased') this.#leases.add(lease);
    if (exchange.type === 'leased' || exchange.type === 'extended') {
      if (handOut.heard === 0) this.#complain(`Expected a lease of ${handOut.name}, but it was extended before`);
      handOut.expiresAt = Math.max(handOut.expiresAt, exchange.expiresAt);
    }
    if (exchange.type === 'reporting') handOut.reports.add(exchange.receipt);
    if (exchange.type === 'releasing') handOut.isReleased = true;
    if (exchange.type === 'taken') this.#take(handOut, exchange);
  }

  #of(name: string): HandOut {
    const known = this.handOuts.get(name);
    if (known) return known;
    const made: HandOut = {
      name,
      attempt: 0,
      heard: 0,
      expiresAt: 0,
      isReleased: false,
      reports: new Set(),
      applied: 0,
      refused: 0,
      isRecorded: false,
    };
    this.handOuts.set(name, made);
    return made;
  }

  #take(handOut: HandOut, { applied, because }: Extract<Exchange, { type: 'taken' }>): void {
    if (applied) handOut.applied++;
    else if (because !== 'ENGINE_CLOSED') handOut.refused++;
    if (handOut.applied > 1) this.#complain(`Expected one result of ${handOut.name} to count, but two did`);
  }

  /** A server that closes, and a task that is over; nothing else is an answer to a worker. */
  #judgeRefusal({ status, text, pid }: Extract<Exchange, { type: 'refused' }>): void {
    const isForeseen =
      (status === 503 && text.includes('"ENGINE_CLOSED"')) || (status === 409 && text.includes('"LEASE_LOST"'));
    if (!isForeseen)
      this.#complain(`Expected worker ${pid} to be answered, but it found ${status}: ${text.slice(0, 500)}`);
  }
}
