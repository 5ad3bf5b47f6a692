// Inbox: where work for runs arrives: commands, looks, results of tasks, messages from other runs. It exists before those
// who send (the executor, the offices, the handles) and before the runner, which works it off. Rules RN10 and RN17.
//
// Always true: whatever somebody waits for is answered once, when it is durable, or refused.

import { asJson } from '../base/json.ts';
import type { Command, Reply, TaskOutcome, Unavailable } from '../core/commands.ts';
import type { Message } from '../core/effects.ts';
import type { RunState } from '../core/state.ts';
import type { Graph } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { type Envelope, Mailboxes, type StartCommand, type Work } from './mailbox.ts';
import { isOffice, type Office } from './office.ts';
import type { Clock, KeyRow, Task } from './ports.ts';
import { closedError, mailboxFull, readOnlyError } from './refusals.ts';

export interface InboxOptions {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'mailboxMax'>;
  /** Looks only. */
  readonly readOnly?: boolean;
  /** Of a shard of a fleet: whether a message is for another one, to which its letter brings it. */
  readonly isElsewhere?: (to: string, message: Message) => boolean;
}

/** The one that processes what arrives. */
export interface InboxReader {
  /** By address. */
  readonly offices: ReadonlyMap<string, Office>;
  /** Called for whatever is put in. */
  readonly onArrival: () => void;
}

/** What somebody wants to know of a run; what it returns must not change with the run. */
export type Look<T> = (state: RunState, graph: Graph) => T;

export class Inbox {
  readonly mailboxes = new Mailboxes();
  readonly #clock: Clock;
  readonly #mailboxMax: number;
  readonly #readOnly: boolean;
  readonly #isElsewhere: (to: string, message: Message) => boolean;
  #reader: InboxReader = { offices: new Map(), onArrival: () => undefined };
  #isClosed = false;

  constructor({ clock, limits, readOnly = false, isElsewhere = () => false }: InboxOptions) {
    this.#clock = clock;
    this.#mailboxMax = limits.mailboxMax;
    this.#readOnly = readOnly;
    this.#isElsewhere = isElsewhere;
  }

  /** From now on somebody works it off; once. */
  open(reader: InboxReader): void {
    this.#reader = reader;
  }

  /** Refuses whatever comes. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing is changed by an engine that only looks, or has been closed. */
  refuseChange(): void {
    if (this.#readOnly) throw readOnlyError();
    if (this.#isClosed) throw closedError();
  }

  /** `key`: an idempotency key that is stored with what the command changes. */
  command(runId: string, command: Command, key?: KeyRow): Promise<Reply> {
    return this.#ask(runId, key ? { type: 'command', command, key } : { type: 'command', command });
  }

  /** A look at a run's state as of now; rejects with what the look throws. */
  read<T>(runId: string, look: Look<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const work: Work = {
        type: 'read',
        look: (state, graph) => {
          const seen = look(state, graph);
          return () => resolve(seen);
        },
      };
      this.#post(runId, work, { resolve: () => undefined, reject }); // the look answers
    });
  }

  /** Loads the run: whatever was running is then handed out again. Answers after all that the run was told before. */
  wake(runId: string): Promise<Reply> {
    return this.#ask(runId, { type: 'wake' });
  }

  /** Runs that resume from a snapshot: all of them in one commit. */
  restore(runId: string, starts: readonly StartCommand[]): Promise<Reply> {
    return this.#ask(runId, { type: 'restore', starts });
  }

  /** What the engine tells itself: nobody waits for the answer, and it is tried until it works. */
  tell(runId: string, command: Command): void {
    if (!this.#isClosed) this.#put({ runId, work: { type: 'command', command }, sender: null, failures: 0 });
  }

  /** What a task came to. */
  readonly report = (
    { runId, tokenId, dispatch }: Pick<Task, 'runId' | 'tokenId' | 'dispatch'>,
    outcome: TaskOutcome | Unavailable,
  ): void => this.tell(runId, { type: 'task.result', at: this.#clock.now(), token: tokenId, dispatch, outcome });

  /** Messages between runs, and to offices; they are in the outbox until their effect is committed. */
  deliver(to: string, message: Message, outboxId: string): void {
    if (this.#isElsewhere(to, message)) return;
    // RN17: a message for an office goes there; without that office it waits in the outbox.
    if (isOffice(to)) this.#reader.offices.get(to)?.receive(asJson(message), outboxId);
    else this.#put({ runId: to, work: { type: 'message', message, outboxId }, sender: null, failures: 0 });
  }

  #ask(runId: string, work: Work): Promise<Reply> {
    return new Promise((resolve, reject) => this.#post(runId, work, { resolve, reject }));
  }

  #post(runId: string, work: Work, sender: NonNullable<Envelope['sender']>): void {
    if (this.#isClosed) return sender.reject(closedError());
    if (this.#readOnly && work.type !== 'read') return sender.reject(readOnlyError());
    // RN10: a mailbox that is full refuses more.
    if (this.mailboxes.sizeOf(runId) >= this.#mailboxMax) return sender.reject(mailboxFull(runId, this.#mailboxMax));
    this.#put({ runId, work, sender, failures: 0 });
  }

  #put(envelope: Envelope): void {
    this.mailboxes.put(envelope);
    this.#reader.onArrival();
  }
}
