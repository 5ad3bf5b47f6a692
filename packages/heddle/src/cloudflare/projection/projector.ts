// Projector: writes into D1 what the rows of an object's runs say, behind its commits. Rules DO20 to DO23.
//
// Always true: the engine waits for nothing of it; one batch is under way at a time; what was not written is written later, from
// the feed, by this life of the object or the next.

import type { Clock, RunPage, RunPlace, RunRow, Store } from '../../actor/ports.ts';
import { given } from '../../base/given.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { watchMs } from '../../hosts/durable-object/object-alarm.ts';
import type { Place } from '../place.ts';
import { Changes } from './changes.ts';
import { advance, type Claim, type Claiming, removePlace, takeClaim, takeClaimAnew } from './claim.ts';
import { askTogether, type Database } from './database.ts';
import { withTables } from './tables.ts';
import { type Marks, readMarks, removeMarks, watchStore } from './watch-store.ts';
import { removeRows, removeUnmet, writeRows } from './write-rows.ts';

/** Runs of one batch, and as many of a walk. */
const runsPerStep = 100;
/** What comes together is written together. */
const afterMs = 1_000;
const retryMsMax = 60_000;
const answerMsMax = 9_000; // so near that a timer of the runtime tells, and not the alarm
/** How long whoever rings the object waits for it. */
const ringMsMax = 9_000;

export interface ProjectorOptions {
  readonly database: Database;
  readonly place: Place;
  readonly store: Store;
  readonly clock: Clock;
  /** The commit that follows leaves something for later. */
  readonly expectWork: () => void;
  /** The object must be woken then, whatever becomes of it. */
  readonly wakeAt: (at: number) => void;
  readonly report: (error: unknown) => void;
}

interface Step {
  readonly rows: readonly RunRow[];
  readonly gone: readonly string[];
  readonly marks: Marks;
  /** As it is when that is written. */
  readonly claim: Claim;
  readonly isSwept: boolean;
}

const noMarks: Marks = { runIds: [], keys: [] };

export class Projector {
  readonly #options: ProjectorOptions;
  readonly #changes: Changes;
  /** The object's own, which tells what it commits. */
  readonly store: Store;
  #claim: Claim | null = null;
  #hasMarks = true;
  #isScheduled = false;
  #working: Promise<void> | null = null;
  #failures = 0;
  #isOver = false;

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#changes = new Changes(options.store);
    this.store = watchStore(options.store, {
      expect: options.expectWork,
      note: (runIds, hasMarks) => {
        for (const runId of runIds) this.#changes.note(runId);
        this.#hasMarks ||= hasMarks;
        this.#workLater(afterMs);
      },
    });
  }

  /** How soon the object must be woken to go on; null: D1 has all that there is, as far as this life of the object knows. */
  get wakeWithin(): number | null {
    if (!this.#isBehind && this.#working === null) return null;
    return this.#failures > 0 ? retryMsMax : watchMs;
  }

  get #isBehind(): boolean {
    return this.#hasMarks || !this.#changes.isEmpty || this.#claim?.walk !== null;
  }

  /** When the object's alarm has rung: until all is written, it could not be, or it has taken long. */
  async catchUp(): Promise<void> {
    if (this.wakeWithin === null) return;
    const { clock } = this.#options;
    let stop = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      stop = clock.schedule(clock.now() + ringMsMax, resolve);
    });
    await Promise.race([this.#work(), late]);
    stop();
  }

  /** All runs are written again, and what D1 has beside them goes. Durable when it is answered. */
  async rebuild(): Promise<void> {
    const { database, clock, wakeAt } = this.#options;
    wakeAt(clock.now() + watchMs);
    await this.#inTime(takeClaimAnew(database, await this.#claiming()));
    this.#claim = null;
    this.#workLater(0);
  }

  /** Nothing is left in the object, and D1 has that: its place goes too, and nothing is written any more. */
  async leave(): Promise<void> {
    const { database, place } = this.#options;
    const claim = this.#claim;
    this.#isOver = true;
    if (claim !== null)
      await this.#inTime(withTables(database, () => askTogether(database, [removePlace(database, place, claim)])));
  }

  #workLater(ms: number): void {
    if (this.#isOver || this.#isScheduled || this.#working !== null) return;
    const { clock } = this.#options;
    this.#isScheduled = true;
    clock.schedule(clock.now() + ms, () => {
      this.#isScheduled = false;
      if (!this.#isOver) void this.#work();
    });
  }

  #work(): Promise<void> {
    this.#working ??= this.#writeAll().finally(() => {
      this.#working = null;
      if (this.#isBehind) this.#workLater(this.#pauseMs());
    });
    return this.#working;
  }

  #pauseMs(): number {
    return Math.min(retryMsMax, afterMs * 2 ** this.#failures);
  }

  /** DO22: what cannot be written is reported and tried again, ever more seldom; nobody else hears of it. */
  async #writeAll(): Promise<void> {
    try {
      while (this.#isBehind) await this.#writeStep();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#loseClaim();
      this.#options.report(error);
    }
  }

  /** What was sent may still arrive, or not: the next claim sees to it that it comes before what is sent then, or not at all. */
  #loseClaim(): void {
    this.#claim = null;
    this.#changes.forget();
    this.#hasMarks = true;
  }

  async #writeStep(): Promise<void> {
    const { database, store } = this.#options;
    const claim = this.#claim ?? (await this.#inTime(takeClaim(database, await this.#claiming())));
    this.#claim = claim;
    const step = await this.#prepareStep(claim);
    const isWritten = isEmpty(step) || (await this.#send(claim, step));
    if (!isWritten) return this.#loseClaim();
    if (this.#claim === claim) this.#claim = step.claim;
    await removeMarks(store, step.marks.keys);
  }

  async #prepareStep(claim: Claim): Promise<Step> {
    const marks = await this.#readMarks();
    const { runIds, position } = await this.#changes.take(claim.position, runsPerStep);
    const rows = new Map<string, RunRow>();
    const gone: string[] = [];
    for (const runId of new Set([...marks.runIds, ...runIds])) {
      const row = await this.#readRow(runId);
      if (row === null) gone.push(runId);
      else if (row !== 'damaged') rows.set(runId, row);
    }
    const walk = claim.walk === null ? null : await this.#walkOn(claim.walk, rows);
    const isSwept = claim.walk !== null && walk === null;
    return { rows: [...rows.values()], gone, marks, claim: { ...claim, position, walk }, isSwept };
  }

  /** Answers with where it goes on; null: these were the last. */
  async #walkOn(walk: string, rows: Map<string, RunRow>): Promise<string | null> {
    const query = { limit: runsPerStep, ...given({ after: placeOf(walk) }) };
    const page: RunPage = await this.#options.store.pageRuns(query);
    for (const row of page.rows) rows.set(row.runId, row);
    return page.next && `${page.next.createdAt}~${page.next.runId}`;
  }

  async #readMarks(): Promise<Marks> {
    if (!this.#hasMarks) return noMarks;
    this.#hasMarks = false;
    const marks = await readMarks(this.#options.store);
    if (marks.keys.length > 0) this.#hasMarks = true;
    return marks;
  }

  /** A damaged row is told of and left as D1 has it. */
  async #readRow(runId: string): Promise<RunRow | 'damaged' | null> {
    try {
      return await this.#options.store.readRun(runId);
    } catch (error) {
      this.#options.report(error);
      return 'damaged';
    }
  }

  /** Whether the claim was still good. */
  async #send(claim: Claim, { rows, gone, claim: next, isSwept }: Step): Promise<boolean> {
    const { database, place } = this.#options;
    const writing = { database, place, claim };
    const groups = writeRows(writing, rows);
    const last = groups.pop() ?? [];
    for (const group of groups) await this.#inTime(withTables(database, () => askTogether(database, group)));
    const swept = isSwept ? removeUnmet(writing) : [];
    const statements = [...last, ...removeRows(writing, gone), ...swept, advance(database, place, next)];
    const answers = await this.#inTime(withTables(database, () => askTogether(database, statements)));
    return (answers.at(-1)?.length ?? 0) > 0;
  }

  async #claiming(): Promise<Claiming> {
    const { place, store, clock } = this.#options;
    return { place, feedEnd: await store.feedEnd(), now: clock.now() };
  }

  /** A database that does not answer has not done it. */
  async #inTime<T>(asked: Promise<T>): Promise<T> {
    const { clock } = this.#options;
    let stop = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      stop = clock.schedule(clock.now() + answerMsMax, () => reject(unanswered()));
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      stop();
    }
  }
}

const isEmpty = ({ rows, gone, marks, isSwept }: Step): boolean =>
  rows.length + gone.length + marks.keys.length === 0 && !isSwept;

const unanswered = (): HeddleError =>
  new HeddleError(
    'PROJECTION_UNREACHED',
    `Expected an answer of D1 within ${answerMsMax / 1_000} seconds, but none came`,
  );

function placeOf(walk: string): RunPlace | undefined {
  const [, createdAt, runId] = /^(-?\d+)~(.+)$/s.exec(walk) ?? [];
  return createdAt === undefined || runId === undefined ? undefined : { createdAt: Number(createdAt), runId };
}
