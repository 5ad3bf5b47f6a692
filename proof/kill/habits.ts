// Habits: what the client does with an engine while it is there, a little at every tick, all by its dice: starts runs,
// answers prompts, publishes, cancels, pauses, deposits, deletes what has ended, has the store copied; and asks again for
// whatever it has heard no answer to.
//
// Always true: a run that needs somebody gets what it needs, sooner or later; in the end whatever is paused goes on.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { type Client, organizations, type Wanted } from './client.ts';
import { type Entry, isAcknowledged, runIdOf } from './ledger.ts';
import type { BackUp, Control, Delete, Deposit, OpenPrompt, Operation, Publish, ReplyToPrompt } from './protocol.ts';
import { eventFor, needNobody, type Started, wordOf } from './workflows.ts';

const liveMost = 24;
const startsPerTickMost = 4;
const deletionsMost = 2;
const oneDeletedOf = 4;
const sentPerTickMost = 40;

/** In how many ticks, or cases, a thing happens once. */
const oneIn = {
  ticket: 4,
  paid: 8,
  deposit: 25,
  pause: 12,
  resume: 4,
  cancel: 40,
  repeat: 3,
  contradict: 6,
  giveUp: 30,
  /** More often: what nobody asks for again shows whether it was left half done. */
  giveUpDeletion: 3,
  delete: 25,
  backUp: 60,
  secondBackUp: 4,
};

const isDeletion = ({ operation }: Entry): boolean => operation.type === 'delete';

/** What means another thing when it is asked for again. */
const isOnce: ReadonlySet<Operation['type']> = new Set(['pause', 'resume', 'back-up']);

const common: readonly [Started, ...Started[]] = [
  ...(['order', 'order', 'talk', 'talk', 'claim', 'bulk', 'price', 'parcel', 'hurry', 'file'] as const),
];
/** Much goes between the shards of a fleet. */
const talkative: readonly [Started, ...Started[]] = ['price', 'claim'];

/** A run of a workflow, a deletion or a copy of the store; or many letters. */
export type Needed = Started | 'delete' | 'back-up' | 'letters';
const isStarted = (needed: Needed | null): needed is Started =>
  needed !== null && needed !== 'delete' && needed !== 'back-up' && needed !== 'letters';

export interface Wish {
  /** Nothing new is begun: whatever was begun comes to its end. */
  readonly isFinishing: boolean;
  /** Of this there is to be one under way. */
  readonly needed: Needed | null;
}

export class Habits {
  readonly #client: Client;
  readonly #dice: Dice;
  /** By correlation id. */
  readonly #answered = new Set<string>();
  readonly #funds: Entry<Deposit>;
  /** Whether the store can be copied by whoever has it. */
  readonly #hasBackups: boolean;
  #isLooking = false;
  #isLastBackUpDue = true;

  constructor(client: Client, dice: Dice, hasBackups = true) {
    this.#client = client;
    this.#dice = dice;
    this.#hasBackups = hasBackups;
    this.#funds = client.ledger.add<Deposit>({
      type: 'deposit',
      organization: organizations.rich,
      amount: 1_000_000_000,
      key: 'funds',
    });
  }

  tick({ isFinishing, needed }: Wish): void {
    this.#askAgain(isFinishing);
    this.#publishTickets(isFinishing);
    this.#goOn(isFinishing);
    void this.#answerPrompts();
    if (this.#hasBackups) this.#backUp({ isFinishing, isNeeded: needed === 'back-up' });
    if (isFinishing) return;
    this.#startRuns(needed);
    this.#spend();
    this.#disturb();
    this.#repeat();
    this.#contradict();
    void this.#delete(needed === 'delete');
  }

  #isTime(what: keyof typeof oneIn): boolean {
    return this.#dice.chance(1, oneIn[what]);
  }

  #askAgain(isFinishing: boolean): void {
    const silent = this.#client.unanswered.filter((entry) => !this.#client.isUnderWay(entry));
    for (const entry of silent.slice(0, sentPerTickMost)) {
      const patience = isDeletion(entry) ? 'giveUpDeletion' : 'giveUp';
      if (!isFinishing && this.#mayGiveUp(entry) && this.#isTime(patience)) entry.isGivenUp = true;
      else this.#client.send(entry);
    }
  }

  /** What nobody misses; a run that waits for a person would wait for ever. */
  #mayGiveUp(entry: Entry): boolean {
    const { operation, sent } = entry;
    if (sent === 0 || entry === this.#funds) return false;
    if (operation.type === 'start') return (needNobody as readonly string[]).includes(operation.workflow);
    if (operation.type === 'publish') return operation.name === 'paid';
    return operation.type !== 'reply' && operation.type !== 'resume';
  }

  /** Before its run waits for it, or after; or before its run is there. */
  #publishTickets(isFinishing: boolean): void {
    for (const wanted of this.#client.wanted) {
      const event = eventFor(wanted.workflow, wanted.number);
      if (event === null || wanted.hasTicket || !(isFinishing || this.#isTime('ticket'))) continue;
      wanted.hasTicket = true;
      this.#begin<Publish>({ type: 'publish', ...event });
    }
  }

  /** Not before the pause is over and done with: asked for again later, it would outlast this. */
  #goOn(isFinishing: boolean): void {
    for (const wanted of this.#client.wanted) {
      const { pause } = wanted;
      const isSettled = pause !== null && (pause.answers.length > 0 || pause.isGivenUp);
      if (!isSettled || !(isFinishing || this.#isTime('resume'))) continue;
      wanted.pause = null;
      this.#begin<Control>({ type: 'resume', runId: pause.operation.runId });
    }
  }

  async #answerPrompts(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const prompts = await this.#client.ask({ type: 'prompts' });
    this.#isLooking = false;
    for (const prompt of prompts ?? []) {
      const wanted = this.#client.ofRun(prompt.rootRunId);
      if (wanted && !this.#answered.has(prompt.correlationId)) this.#answer(wanted, prompt);
    }
  }

  #answer({ start, number }: Wanted, { correlationId, rootRunId: runId, nodeId, secret }: OpenPrompt): void {
    this.#answered.add(correlationId);
    const key = `${start.operation.key}/${nodeId}`;
    const link = this.#dice.chance(1, 2) ? secret : null;
    this.#begin<ReplyToPrompt>({
      type: 'reply',
      runId,
      correlationId,
      secret: link,
      payload: wordOf(number, nodeId),
      key,
    });
  }

  #startRuns(needed: Needed | null): void {
    const { live } = this.#client;
    if (isStarted(needed) && !live.some(({ workflow }) => workflow === needed)) this.#start(needed);
    const drawn = needed === 'letters' ? talkative : common;
    for (let count = live.length; count < Math.min(liveMost, live.length + startsPerTickMost); count++) {
      this.#start(this.#dice.pick(drawn));
    }
  }

  #start(workflow: Started): void {
    const isPaid = workflow === 'bulk' || workflow === 'price';
    if (isPaid && !isAcknowledged(this.#funds)) return;
    this.#client.send(this.#client.want(workflow).start);
  }

  #spend(): void {
    const { ledger } = this.#client;
    if (this.#isTime('paid')) {
      const order = `order-${ledger.entries.length}`;
      this.#begin<Publish>({ type: 'publish', name: 'paid', correlation: '', payload: { order }, id: order });
    }
    if (this.#isTime('deposit')) {
      const [amount, key] = [this.#dice.between(1, 100), `deposit-${ledger.entries.length}`];
      this.#begin<Deposit>({ type: 'deposit', organization: organizations.rich, amount, key });
    }
  }

  #disturb(): void {
    if (this.#isTime('pause')) {
      const wanted = this.#someLive();
      if (wanted?.pause === null) wanted.pause = this.#control(wanted, 'pause');
    }
    if (this.#isTime('cancel')) this.#control(this.#someLive(), 'cancel');
  }

  #control(wanted: Wanted | undefined, type: Control['type']): Entry<Control> | null {
    const runId = wanted && runIdOf(wanted.start);
    return runId ? this.#begin<Control>({ type, runId }) : null;
  }

  #someLive(): Wanted | undefined {
    return this.#dice.pick(this.#client.live);
  }

  /** Of those that have ended, and of which all is heard that was asked; most are left for whoever looks at the end. */
  async #delete(isNeeded: boolean): Promise<void> {
    const { wanted: all, unanswered } = this.#client;
    const isEnough = all.filter(({ isDeleted }) => isDeleted).length * oneDeletedOf > all.length;
    if (isEnough || !(isNeeded || this.#isTime('delete')) || unanswered.filter(isDeletion).length >= deletionsMost)
      return;
    const deletable = all.filter((each) => this.#isDeletable(each));
    const withFiles = deletable.filter(({ workflow }) => workflow === 'file');
    const wanted = this.#dice.pick(isNeeded && withFiles.length > 0 ? withFiles : deletable);
    const runId = wanted && runIdOf(wanted.start);
    if (!runId) return;
    wanted.isDeleted = true;
    const family = await this.#client.ask({ type: 'family', runId });
    if (family === null) wanted.isDeleted = false;
    else this.#begin<Delete>({ type: 'delete', runId, family });
  }

  #isDeletable({ start, end, pause, isDeleted }: Wanted): boolean {
    const runId = end === null || pause !== null || isDeleted ? null : runIdOf(start);
    if (runId === null) return false;
    const own = this.#client.ledger.entries.filter(
      ({ operation }) => 'runId' in operation && operation.runId === runId,
    );
    return own.every((entry) => entry.isGivenUp || (entry.answers.length > 0 && !this.#client.isUnderWay(entry)));
  }

  /** One after the other; now and then two at once; and one in the end, in peace. */
  #backUp({ isFinishing, isNeeded }: { readonly isFinishing: boolean; readonly isNeeded: boolean }): void {
    const { ledger } = this.#client;
    const made = ledger.of('back-up');
    if (made.some((entry) => this.#client.isUnderWay(entry))) return;
    if (!(isFinishing ? this.#isLastBackUpDue : isNeeded || this.#isTime('backUp'))) return;
    if (isFinishing) this.#isLastBackUpDue = false;
    const count = this.#isTime('secondBackUp') ? 2 : 1;
    for (let number = made.length; number < made.length + count; number++)
      this.#begin<BackUp>({ type: 'back-up', number }).isGivenUp = !isFinishing;
  }

  /** What was answered, once more. */
  #repeat(): void {
    if (!this.#isTime('repeat')) return;
    const entry = this.#someAnswered();
    if (entry) this.#client.send(entry);
  }

  /** Another thing under the name of one that was answered. */
  #contradict(): void {
    const operation = this.#isTime('contradict') ? this.#someAnswered()?.operation : undefined;
    const other = { other: true };
    if (operation?.type === 'start') this.#client.contradict({ ...operation, input: other }, 'IDEMPOTENCY_KEY_REUSED');
    if (operation?.type === 'publish') this.#client.contradict({ ...operation, payload: other }, 'EVENT_ID_REUSED');
    if (operation?.type === 'deposit')
      this.#client.contradict({ ...operation, amount: operation.amount + 1 }, 'IDEMPOTENCY_KEY_REUSED');
    if (operation?.type === 'reply' && this.#isUndisturbed(operation))
      this.#client.contradict({ ...operation, payload: other, key: 'other' }, 'ALREADY_ANSWERED');
  }

  /** The answer was taken, and is not only kept for a run that is paused. */
  #isUndisturbed({ runId, key }: ReplyToPrompt): boolean {
    const { ledger } = this.#client;
    return !key.endsWith('/quick') && !ledger.wasAsked('pause', runId) && !ledger.wasAsked('cancel', runId);
  }

  #someAnswered(): Entry | undefined {
    const { entries } = this.#client.ledger;
    const entry = this.#dice.pick(entries);
    return entry && isAcknowledged(entry) && !isOnce.has(entry.operation.type) ? entry : undefined;
  }

  #begin<Op extends Operation>(operation: Op): Entry<Op> {
    const entry = this.#client.ledger.add(operation);
    this.#client.send(entry);
    return entry;
  }
}
