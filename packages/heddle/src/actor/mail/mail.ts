// Mail: how a shard of a fleet exchanges messages with the others: its store with letters in its commits, those it sends,
// those it receives.

import { asJson } from '../../base/json.ts';
import type { Message } from '../../core/effects.ts';
import { Background } from '../background.ts';
import type { Inbox } from '../inbox.ts';
import type { Observers } from '../observers.ts';
import type { Clock, RecordWrite, Store } from '../ports.ts';
import { Turns } from '../turns.ts';
import { IncomingMail } from './incoming-mail.ts';
import { type Letter, recordsAddress } from './letter.ts';
import { withMail } from './mail-store.ts';
import { OutgoingMail } from './outgoing-mail.ts';
import type { Peers } from './peers.ts';
import { homeShard } from './placement.ts';

export interface MailOptions {
  /** Without letters. */
  readonly store: Store;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly observers: Observers;
  readonly inbox: Inbox;
  /** A record that another shard has sent is stored. */
  readonly onRecord: (record: RecordWrite) => void;
}

export class Mail {
  /** For everything that the shard writes. */
  readonly store: Store;
  readonly outgoing: OutgoingMail;
  readonly #incoming: IncomingMail;
  readonly #background: Background;
  readonly #options: MailOptions;
  /** By record. */
  readonly #turns = new Turns();
  #tellLoaded: () => void = () => undefined;
  readonly #whenLoaded = new Promise<void>((resolve) => {
    this.#tellLoaded = resolve;
  });

  constructor(options: MailOptions) {
    this.#options = options;
    const { store, peers, clock, observers } = options;
    const { placement } = peers;
    this.store = withMail(store, { placement, outgoing: () => this.outgoing, incoming: () => this.#incoming });
    this.#background = new Background(this.store, clock, (error, context) => observers.broken(error, context));
    this.outgoing = new OutgoingMail({
      own: placement.own,
      hasIncarnationOfLife: placement.isPerRun,
      clock,
      background: this.#background,
      send: (receiver, letter) => peers.of(receiver).receive(letter),
      onClosed: () => this.#incoming.close(),
    });
    this.#incoming = new IncomingMail({
      background: this.#background,
      deliver: (letter, receipt) => this.#deliver(letter, receipt),
    });
  }

  /** What an earlier process has sent and received; `newIncarnation` if the store was never in a fleet, or is a copy. */
  async load(newIncarnation: () => string): Promise<void> {
    await this.outgoing.load(this.#options.store, newIncarnation);
    await this.#incoming.load(this.#options.store);
    this.#tellLoaded();
  }

  async receive(letter: Letter): Promise<void> {
    await this.#whenLoaded;
    await this.#incoming.receive(letter);
  }

  /** What a shard has sent before this incarnation has arrived. */
  async forgetSender(shard: number, incarnation: string): Promise<void> {
    await this.#whenLoaded;
    await this.#incoming.forgetSender(this.#options.store, shard, incarnation);
  }

  /** For a shard that sends to home alone: nothing of what has arrived there is remembered. */
  async tellArrived(): Promise<void> {
    const incarnation = this.outgoing.renew();
    if (incarnation === null) return;
    const { peers } = this.#options;
    await peers.of(homeShard).forgetSender(peers.placement.own, incarnation);
    await this.outgoing.forgotten();
  }

  /** For a run that was set aside and continues. */
  deliverAgain(runId: string): void {
    this.#incoming.again(runId);
  }

  #deliver({ to, message }: Letter, receipt: string): void {
    if (to !== recordsAddress) return this.#options.inbox.deliver(to, message as unknown as Message, receipt); // a run or an office sent it
    const record = message as unknown as RecordWrite; // as its sender's commit had it
    // One after the other: a record that is removed must not come back because its first commit failed.
    void this.#turns.take(`${record.kind}/${record.key}`, () =>
      this.#background.keepTrying(async () => {
        await this.#background.commit({ records: [record], outboxDone: [receipt] });
        this.#options.onRecord(record);
      }),
    );
  }
}

/** Whether a message is for another shard. */
export const isElsewhere =
  ({ placement }: Peers) =>
  (to: string, message: Message): boolean =>
    placement.ofMessage(to, () => asJson(message)) !== placement.own;
