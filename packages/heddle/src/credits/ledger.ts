// Ledger: who has how many credits. Runs ask it through the outbox and are answered through the outbox; it works off
// what waits in turns, each of which is one commit. Rules CR….
//
// Always true: one turn at a time, in the order of arrival; nothing is answered before its commit.

import type { Office } from '../actor/office.ts';
import type { Clock, Commit, OutboxRow, Store } from '../actor/ports.ts';
import { closedError } from '../actor/refusals.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { isDamage, StoreError } from '../actor/store-error.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { CreditAnswer } from '../core/commands.ts';
import type { Charge } from '../core/effects.ts';
import { type Deposit, type DepositReply, deposit, reserve, settle } from './accounts.ts';
import { LedgerRecords } from './ledger-records.ts';

export interface LedgerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** To a run; the message is in the outbox under this id. */
  readonly deliver: (to: string, message: CreditAnswer, outboxId: string) => void;
  readonly report: (error: unknown) => void;
}

type Request =
  | { readonly type: 'charge'; readonly charge: Charge; readonly outboxId: string }
  | {
      readonly type: 'deposit';
      readonly deposit: Deposit;
      readonly resolve: (reply: DepositReply) => void;
      readonly reject: (error: unknown) => void;
    };

interface Answer {
  readonly to: string;
  readonly message: CreditAnswer;
  readonly id: string;
}

/** What one turn has decided. */
interface Turn {
  readonly records: LedgerRecords;
  readonly done: string[];
  readonly answers: Answer[];
  /** What its callers are told after the commit. */
  readonly replies: (() => void)[];
}

const requestsPerTurnMax = 1_000;
const retryMsMax = 10_000;

export class Ledger implements Office {
  readonly #options: LedgerOptions;
  #queue: Request[] = [];
  #isTurning = false;
  #isScheduled = false;
  #isClosed = false;
  /** Ends the wait for a store that failed. */
  #cancelRetry: (() => void) | null = null;
  #retryMs = 100;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Nothing to be done now; what the store refused may wait to be tried again. */
  get isIdle(): boolean {
    return !this.#isTurning && !this.#isScheduled;
  }

  get isOwing(): boolean {
    return this.#queue.length > 0;
  }

  whenIdle(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  receive(message: Json, outboxId: string): void {
    this.#put({ type: 'charge', charge: message as unknown as Charge, outboxId }); // runs send nothing else here
  }

  /** Durable when it answers. */
  deposit(asked: Deposit): Promise<DepositReply> {
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => this.#put({ type: 'deposit', deposit: asked, resolve, reject }));
  }

  /** Commits nothing more; what runs have asked is found again by the next engine. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    await this.whenIdle();
    for (const request of this.#queue.splice(0)) if (request.type === 'deposit') request.reject(closedError());
  }

  #put(request: Request): void {
    if (this.#isClosed) return;
    this.#queue.push(request);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isTurning || this.#cancelRetry || this.#queue.length === 0) return;
    this.#isScheduled = true;
    // What one commit of the runs lets out comes in one go, and has one turn.
    queueMicrotask(() => void this.#turn());
  }

  async #turn(): Promise<void> {
    this.#isScheduled = false;
    this.#isTurning = true;
    const taken = this.#isClosed ? [] : this.#queue.splice(0, requestsPerTurnMax);
    try {
      await this.#work(taken);
      this.#retryMs = 100;
    } catch (error) {
      this.#tryLater(taken, error);
    }
    this.#isTurning = false;
    if (!this.#isClosed) this.#schedule();
    if (this.isIdle) for (const waiter of this.#idleWaiters.splice(0)) waiter();
  }

  async #work(requests: readonly Request[]): Promise<void> {
    const turn: Turn = { records: new LedgerRecords(this.#options.store), done: [], answers: [], replies: [] };
    for (const request of requests) await this.#decide(request, turn);
    const commit = makeCommit(turn);
    if (commit.records.length + commit.outboxDone.length > 0) await this.#options.store.commit(commit);
    for (const reply of turn.replies) reply();
    if (this.#isClosed) return; // the next engine finds the answers in the outbox
    for (const { to, message, id } of turn.answers) this.#options.deliver(to, message, id);
  }

  async #decide(request: Request, turn: Turn): Promise<void> {
    try {
      if (request.type === 'charge') await decideCharge(request, turn);
      else {
        const reply = await deposit(turn.records, request.deposit);
        turn.replies.push(() => request.resolve(reply));
      }
    } catch (error) {
      if (!(error instanceof HeddleError) || (error instanceof StoreError && !isDamage(error))) throw error;
      // CR13: what cannot be decided, for a record is damaged, is reported and left in the outbox; the others continue.
      if (request.type === 'deposit') request.reject(error);
      else this.#options.report(error);
    }
  }

  /**
   * CR12: a store that fails is tried again, ever more slowly, until it works: a run that is not answered would wait
   * for ever. Whoever waits for a deposit is told instead.
   */
  #tryLater(requests: readonly Request[], error: unknown): void {
    this.#options.report(error);
    for (const request of requests) if (request.type === 'deposit') request.reject(error);
    if (this.#isClosed) return;
    this.#queue = [...requests.filter(({ type }) => type === 'charge'), ...this.#queue];
    const { clock } = this.#options;
    this.#cancelRetry = clock.schedule(clock.now() + this.#retryMs, () => {
      this.#cancelRetry = null;
      this.#schedule();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, retryMsMax);
  }
}

async function decideCharge(
  { charge, outboxId }: Extract<Request, { type: 'charge' }>,
  { records, done, answers }: Turn,
): Promise<void> {
  if (charge.type === 'settle') await settle(records, charge);
  else answers.push({ to: charge.runId, message: await reserve(records, charge), id: `${outboxId}/answer` });
  done.push(outboxId);
}

/** CR11: what was decided, the end of the request and the answer are one commit. */
function makeCommit({ records, done, answers }: Turn): Commit {
  const outboxAdded = answers.map(({ to, message, id }): OutboxRow => ({ id, to, message: JSON.stringify(message) }));
  return { ...sideCommit({ records: records.writes, outboxDone: done }), outboxAdded };
}
