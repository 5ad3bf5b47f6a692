// Client: somebody who wants things done by an engine that keeps dying: sends, listens, writes down. Knows what it wants
// of each run, and how each ended that it was told of.
//
// Always true: everything that it sends is in its ledger first; only an answer that was heard counts as one.

import { type Entry, Ledger, runIdOf } from './ledger.ts';
import type { Answer, Answers, Control, Delete, Line, Operation, Question, Start } from './protocol.ts';
import { inputOf, keyOf, type Started } from './workflows.ts';

/** A run that the client wants, from its start to its end. */
export interface Wanted {
  readonly number: number;
  readonly workflow: Started;
  readonly start: Entry<Start>;
  /** How it ended, once the client was told. */
  end: string | null;
  /** It was told to pause, and not to go on since. */
  pause: Entry<Control> | null;
  /** Its event was published, or is about to be. */
  hasTicket: boolean;
  /** Somebody is about to delete it, or has. */
  isDeleted: boolean;
}

/** An engine while it lives, wherever it is. */
export interface Askable {
  /** Null if it ended without an answer. */
  ask(ask: Operation | Question): Promise<Answer | null>;
}

/** Who has more than enough, and who has nothing. */
export const organizations = { rich: 'rich', poor: 'poor' } as const;

/** So many runs that have ended are asked after once more. */
const endedAskedMost = 20;

export class Client {
  readonly ledger = new Ledger();
  readonly wanted: Wanted[] = [];
  readonly #violate: (violation: string) => void;
  readonly #byRunId = new Map<string, Wanted>();
  #engine: Askable | null = null;
  /** Sent to the engine that is there, and not answered yet. */
  readonly #underWay = new Set<Entry>();

  constructor(violate: (violation: string) => void) {
    this.#violate = violate;
  }

  /** Those that have not ended, as far as it knows. */
  get live(): readonly Wanted[] {
    return this.wanted.filter(({ end, start }) => end === null && !start.isGivenUp);
  }

  /** What was sent, or should have been, and never answered. */
  get unanswered(): readonly Entry[] {
    return this.ledger.entries.filter((entry) => !entry.isGivenUp && entry.answers.length === 0);
  }

  isUnderWay(entry: Entry): boolean {
    return this.#underWay.has(entry);
  }

  ofRun(runId: string): Wanted | undefined {
    return this.#byRunId.get(runId);
  }

  /** Talks to another engine from now on; asks it what has become of its runs, lest it missed the end of one. */
  async attach(engine: Askable): Promise<void> {
    this.#engine = engine;
    this.#underWay.clear();
    const known = [...this.#byRunId].map(([runId, { end, isDeleted }]) => ({
      runId,
      end: isDeleted && this.ledger.deletionOf(runId).isHeard ? 'gone' : end,
    }));
    const ended = known.filter(({ end }) => end !== null && end !== 'gone').slice(-endedAskedMost);
    const gone = known.filter(({ end }) => end === 'gone').slice(-endedAskedMost);
    const asked = [...ended, ...gone, ...known.filter(({ end }) => end === null)];
    const statuses = await this.ask({ type: 'statuses', runIds: asked.map(({ runId }) => runId) });
    for (const [index, { runId, end }] of asked.entries()) {
      const status = statuses?.[index] ?? end ?? '';
      const mayBeGone = status === 'gone' && this.ledger.deletionOf(runId).isAsked;
      if (end !== null && end !== status && !mayBeGone)
        this.#violate(`Expected run ${runId} to stay ${end}, but it is ${status}`);
      if (terminal.has(status)) this.#see(runId, status);
    }
  }

  detach(): void {
    this.#engine = null;
  }

  want(workflow: Started): Wanted {
    const number = this.wanted.length;
    const key = keyOf(number);
    const start = this.ledger.add<Start>({
      type: 'start',
      workflow,
      input: inputOf(number),
      key,
      ...payerOf(workflow, number),
    });
    const wanted: Wanted = { number, workflow, start, end: null, pause: null, hasTicket: false, isDeleted: false };
    this.wanted.push(wanted);
    return wanted;
  }

  send(entry: Entry): void {
    if (this.#engine === null) return;
    this.#underWay.add(entry);
    void this.#sendTo(this.#engine, entry);
  }

  async #sendTo(engine: Askable, entry: Entry): Promise<void> {
    const { operation } = entry;
    if (operation.type === 'delete' && entry.sent > 0 && entry.answers.length === 0) {
      await this.#expectWholeOrGone(operation);
      if (this.#engine !== engine) return;
    }
    this.ledger.send(entry);
    const answer = await engine.ask(operation);
    if (this.#engine === engine) this.#underWay.delete(entry);
    if (answer === null || ('refusal' in answer && isNoAnswer(entry, answer.refusal))) return;
    const wrong = this.ledger.hear(entry, answer);
    if (wrong !== null) this.#violate(wrong);
    this.#learn(entry);
  }

  /** A deletion that nobody heard of was done, or not; one that is done between two looks is seen by the next. */
  async #expectWholeOrGone({ family }: Delete): Promise<void> {
    const look = async () => (await this.ask({ type: 'statuses', runIds: family })) ?? [];
    const isHalf = (found: readonly string[]) => new Set(found.map((status) => status === 'gone')).size > 1;
    let statuses = await look();
    if (isHalf(statuses)) statuses = await look();
    if (isHalf(statuses))
      this.#violate(`Expected runs ${family.join()} to be there or gone, but they are ${statuses.join()}`);
  }

  /** Sends what contradicts an answered operation; it must be refused with this code. */
  contradict(operation: Operation, code: string): void {
    void this.#engine?.ask(operation).then((answer) => {
      if (answer === null) return;
      if ('runId' in operation && this.ledger.deletionOf(operation.runId).isAsked) return;
      const found = 'refusal' in answer ? answer.refusal.code : `success ${JSON.stringify(answer.value)}`;
      if (found === code || isClosed({ code: found })) return;
      this.#violate(`Expected ${JSON.stringify(operation)} to be refused with ${code}, but found ${found}`);
    });
  }

  async ask<Q extends Question>(question: Q): Promise<Answers[Q['type']] | null> {
    const answer = (await this.#engine?.ask(question)) ?? null;
    if (answer === null) return null;
    if ('value' in answer) return answer.value as Answers[Q['type']]; // Each is answered with its own.
    if (!isClosed(answer.refusal))
      this.#violate(
        `Expected an answer to ${question.type}, but found ${answer.refusal.code}: ${answer.refusal.message}`,
      );
    return null;
  }

  /** Told without asking. */
  hear(line: Line): void {
    if (line.type === 'ended') this.#see(line.runId, line.status);
  }

  #learn({ operation, answers }: Entry): void {
    if (operation.type !== 'start') return;
    const wanted = this.wanted.find(({ start }) => start.operation === operation);
    const runId = wanted && runIdOf(wanted.start);
    if (runId && answers.length > 0) this.#byRunId.set(runId, wanted);
  }

  #see(runId: string, end: string): void {
    const wanted = this.#byRunId.get(runId);
    if (wanted === undefined) return;
    if (wanted.end !== null && wanted.end !== end)
      this.#violate(`Expected run ${runId} to end once, but it was ${wanted.end} and is ${end}`);
    wanted.end = end;
  }
}

/** What takes several steps finds the store closed between two of them. */
const isClosed = ({ code }: { readonly code: string }): boolean => code === 'ENGINE_CLOSED' || code === 'STORE_CLOSED';

/** It is asked for again: a run may have ended before all below it have. */
const isNoAnswer = ({ operation }: Entry, refusal: { readonly code: string }): boolean =>
  isClosed(refusal) || (operation.type === 'delete' && refusal.code === 'RUN_NOT_ENDED');

const terminal: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'timed_out', 'exhausted']);

function payerOf(workflow: Started, number: number): { organization?: string } {
  if (workflow !== 'bulk' && workflow !== 'price') return {};
  return { organization: number % 11 === 5 ? organizations.poor : organizations.rich };
}
