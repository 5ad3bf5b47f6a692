// Work office: the door of this room. Tasks that workers outside the process do: what waits, who has what, what they say.
// Rules WK….

import { Background } from '../actor/background.ts';
import type { Inbox } from '../actor/inbox.ts';
import type { Observers, Progress } from '../actor/observers.ts';
import type { Office } from '../actor/office.ts';
import type { Clock, RecordRow, Store, Task } from '../actor/ports.ts';
import { copyJson } from '../base/copy-json.ts';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { HandOut } from '../core/commands.ts';
import type { KnownSchemas } from '../definition/flow/known-schemas.ts';
import type { Limits } from '../definition/limits.ts';
import type { CatalogueEntry } from '../dialects/catalogue/entry.ts';
import { copyData } from '../executor/copy-data.ts';
import type { Outside } from '../executor/outside.ts';
import { Announcements, actionKind } from './announcements.ts';
import { type Lease, type LeaseName, leaseKind, readLease } from './lease.ts';
import { type LeaseRequest, Leasing } from './leasing.ts';
import { SeenWorkers, type WorkerInfo } from './seen-workers.ts';
import { TaskReports } from './task-reports.ts';

export interface WorkOfficeOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly observers: Observers;
  readonly inbox: Inbox;
  /** Only actions that somebody has announced: others are a mistake, not somebody who is late. */
  readonly announcedOnly: boolean;
  /** What definitions know of node types; what workers announce is added to it. */
  readonly ports: Record<string, CatalogueEntry>;
}

/** A task, for the worker that has it. */
export interface LeasedTask extends Omit<Task, 'limits'> {
  /** What the worker answers with. Whoever has it can answer for this hand-out of this task, and do nothing else. */
  readonly lease: string;
  /** What its result may be. */
  readonly limits: Pick<Limits, 'payloadBytesMax' | 'jsonDepthMax' | 'artifactBytesMax'>;
  /** Without a word by then, it is given to somebody else. */
  readonly expiresAt: number;
}

/** How the tasks of an action stand. */
export interface ActionStanding {
  /** For a worker. */
  readonly waiting: number;
  readonly leased: number;
  readonly lastAskedAt: number | null;
}

/** Nobody writes to it; it has an address as all offices do. */
export const workAddress = '@work';

const recordsPerPage = 1_000;

export class WorkOffice implements Office, Outside {
  readonly announcements: Announcements;
  readonly reports: TaskReports;
  readonly dispatch: Outside['dispatch'];
  readonly abort: Outside['abort'];
  readonly #options: WorkOfficeOptions;
  readonly #background: Background;
  readonly #leasing: Leasing;
  readonly #seen: SeenWorkers;
  #onTaken: (names: readonly string[]) => void = () => undefined;
  /** Actions that somebody is called for. */
  #called: ReadonlySet<string> = new Set();

  constructor(options: WorkOfficeOptions) {
    const { store, clock, limits, observers, inbox, ports } = options;
    this.#options = options;
    const background = new Background(store, clock, (error, context) => observers.broken(error, context));
    const onAnnounced = (names: readonly string[]) => this.#onTaken(names);
    const announcements = new Announcements({ clock, limits, background, onAnnounced }, ports);
    const around = { clock, limits, background, announcements, inbox };
    this.#background = background;
    this.announcements = announcements;
    this.#leasing = new Leasing(around);
    this.dispatch = this.#leasing.dispatch;
    this.abort = this.#leasing.abort;
    this.reports = new TaskReports({
      ...around,
      live: this.#leasing.live,
      onProgress: (progress) => observers.progress(progress),
    });
    this.#seen = new SeenWorkers(limits);
  }

  /** Before any run resumes: whoever had a task when the last engine stopped still has it. */
  async load(): Promise<void> {
    this.reports.key = await this.#options.store.secretKey();
    await this.#forEachPage(actionKind, (rows) => this.announcements.load(rows));
    await this.#forEachPage(leaseKind, (rows) => this.#leasing.load(rows.flatMap((row) => this.#read(row))));
  }

  /** After the runs have begun to resume: what expired while no engine was there is lost. */
  recover(): void {
    this.#leasing.recover();
  }

  async #forEachPage(kind: string, take: (rows: readonly RecordRow[]) => void): Promise<void> {
    for (let after: string | undefined; ; ) {
      const query = { limit: recordsPerPage, ...given({ after }) };
      const rows = await this.#background.store.listRecords(kind, query);
      take(rows);
      after = rows.at(-1)?.key;
      if (after === undefined) return;
    }
  }

  /** One that was damaged is reported, and is none: its task is given to somebody else. */
  #read(row: RecordRow): readonly Lease[] {
    try {
      return [readLease(row)];
    } catch (cause) {
      const message = `Expected the lease ${row.key} to be JSON, but it is damaged; its task is handed out again`;
      this.#background.report(new Error(message, { cause }));
      this.#leasing.live.forgetRecord(row.key);
      return [];
    }
  }

  async lease(request: LeaseRequest): Promise<readonly LeasedTask[]> {
    this.#seen.note(request.worker, request.actions, this.#options.clock.now());
    const leases = await this.#leasing.lease(request);
    return leases.flatMap((lease) => (lease.task === null ? [] : this.#show(lease, lease.task)));
  }

  #show(lease: Lease, task: Task): LeasedTask {
    const { payloadBytesMax, jsonDepthMax } = lease.facts;
    const timeoutMs = lease.facts.timeoutMs || null;
    const artifactBytesMax = Math.min(task.limits.artifactBytesMax, this.#options.limits.artifactBytesMax);
    const input = copyData(task.input, { depthMax: jsonDepthMax, membersMax: Infinity }) as Json; // a copy of JSON
    const { runId, tokenId, nodeId, workflow, version, action, actionVersion, attempt, dispatch } = task;
    const { idempotencyKey, trigger, artifactRuns, steps } = task;
    return {
      lease: this.reports.textOf(lease),
      runId,
      tokenId,
      nodeId,
      workflow,
      version,
      action,
      actionVersion,
      input,
      attempt,
      dispatch,
      idempotencyKey,
      timeoutMs,
      trigger,
      artifactRuns,
      ...given({ steps: steps && copyJson(steps) }),
      limits: { payloadBytesMax, jsonDepthMax, artifactBytesMax },
      expiresAt: lease.expiresAt,
    };
  }

  /** How much is to do and is being done for an action, and when somebody last asked for it. */
  standingOf(action: string): ActionStanding {
    const { waiting, live } = this.#leasing;
    return {
      waiting: waiting.countOf(action),
      leased: live.countOfAction(action),
      lastAskedAt: this.#seen.lastAskedAt(action),
    };
  }

  /** Every action that workers announced, that tasks wait for, or that somebody asked for. */
  actionNames(): ReadonlySet<string> {
    const { waiting, live } = this.#leasing;
    return new Set([...this.announcements.names(), ...waiting.actions(), ...live.actions(), ...this.#seen.actions()]);
  }

  workers(): readonly WorkerInfo[] {
    const { live } = this.#leasing;
    return Array.from(this.#seen.workers(), (seen) => ({ ...seen, leased: live.countOfWorker(seen.worker) }));
  }

  /** WK23: whoever does these actions does not ask, but is called: each time that a task waits for one. */
  callFor(actions: readonly string[], onWaiting: (action: string) => void): void {
    const called = new Set(actions);
    this.#called = called;
    this.#leasing.onWaiting = (action) => {
      if (called.has(action)) onWaiting(action);
    };
    if (this.#options.announcedOnly) this.#onTaken(actions);
  }

  // ------------------------------------------------------------------------------------------ for the executor

  isExecuting(runId: string, tokenId: number): boolean {
    return this.#leasing.live.find(runId, tokenId) !== null;
  }

  progressOf(runId: string, tokenId: number): Progress | null {
    return this.#leasing.live.find(runId, tokenId)?.progress ?? null;
  }

  heldTasks(runId: string): readonly HandOut[] {
    return this.#leasing.live.heldOf(runId);
  }

  isUnclaimed(handOut: LeaseName): boolean {
    return this.#leasing.live.isUnclaimed(handOut);
  }

  // WK22: with `workers: 'announced'` a task waits for a worker only if one has announced its action; others fail.
  takes(action: string): boolean {
    return !this.#options.announcedOnly || this.announcements.has(action) || this.#called.has(action);
  }

  takenNames(): readonly string[] | null {
    return this.#options.announcedOnly ? [...this.announcements.names(), ...this.#called] : null;
  }

  costOf(action: string): number {
    return this.announcements.costOf(action);
  }

  schemasOf(action: string): KnownSchemas | undefined {
    return this.announcements.find(action) ?? undefined;
  }

  onTaken(listener: (names: readonly string[]) => void): void {
    this.#onTaken = listener;
  }

  stop(): void {
    this.#leasing.stop();
  }

  // -------------------------------------------------------------------------------------------- for the runner

  /** Nobody sends it anything. */
  receive(): void {}

  get isIdle(): boolean {
    return this.#background.isIdle;
  }

  get isOwing(): boolean {
    return this.#background.isOwing;
  }

  whenIdle(): Promise<void> {
    return this.#background.whenIdle();
  }

  async close(): Promise<void> {
    this.#leasing.close();
    try {
      await this.#leasing.removeStale();
    } catch (error) {
      this.#background.report(error); // the next engine finds them expired
    }
    await this.#background.close();
  }
}
