// What the tests of the actor share: a runner on virtual time, an executor that notes what it is asked, and a store
// whose commits fail when a test says so.

import { onTestFinished } from 'vitest';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { RunStart } from '../core/events.ts';
import { flow, startOf, task } from '../core/planning/planning.testsuite.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Definitions } from './definitions.ts';
import { Inbox } from './inbox.ts';
import { Observers, type Sinks } from './observers.ts';
import type { Commit, Executor, Report, Store, Task, TaskOutcome } from './ports.ts';
import { Runner, type RunnerOptions } from './runner.ts';
import { StoreError } from './store-error.ts';

export { flow, task };

/** Does nothing by itself: a test answers. */
export class NotingExecutor implements Executor {
  readonly tasks: Task[] = [];
  readonly aborted: string[] = [];
  /** What it says of itself; a test may say otherwise. */
  isIdle = false;
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  dispatch(handedOut: Task): void {
    this.tasks.push(handedOut);
  }

  abort(runId: string, tokenId: number): void {
    this.aborted.push(`${runId}/${tokenId}`);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Answers the newest hand-out of a token. */
  complete(tokenId: number, output: Json = {}): void {
    this.answer(tokenId, { type: 'completed', output });
  }

  answer(tokenId: number, outcome: TaskOutcome): void {
    const found = this.tasks.findLast((handedOut) => handedOut.tokenId === tokenId);
    if (!found) throw new Error(`Expected a task of token ${tokenId}, but there is none`);
    this.#report(found, outcome);
  }

  answerTask(handedOut: Task, outcome: TaskOutcome): void {
    this.#report(handedOut, outcome);
  }
}

/** Delegates everything to a store, and fails the commits that `refuse` tells it to. */
export function faultyStore(store: Store, refuse: (commit: Commit) => boolean): Store {
  return {
    commit: (commit) => {
      if (refuse(commit)) throw new StoreError('STORE_FAILED', 'the disk is on fire');
      return store.commit(commit);
    },
    loadRun: (runId) => store.loadRun(runId),
    readRun: (runId) => store.readRun(runId),
    pageRuns: (query) => store.pageRuns(query),
    outlineRuns: (query) => store.outlineRuns(query),
    countRuns: (query) => store.countRuns(query),
    readFeed: (query) => store.readFeed(query),
    feedEnd: () => store.feedEnd(),
    deleteRuns: (deletion) => store.deleteRuns(deletion),
    deleteRemains: (runId, limit) => store.deleteRemains(runId, limit),
    deleteKeys: (runId) => store.deleteKeys(runId),
    readJournal: (runId, fromSeq, limit) => store.readJournal(runId, fromSeq, limit),
    saveSnapshot: (snapshot) => store.saveSnapshot(snapshot),
    dueRuns: (at, limit) => store.dueRuns(at, limit),
    nextAlarmAt: () => store.nextAlarmAt(),
    runsWithWork: (after, limit) => store.runsWithWork(after, limit),
    readOutbox: (after, limit) => store.readOutbox(after, limit),
    readRecord: (kind, key) => store.readRecord(kind, key),
    listRecords: (kind, query) => store.listRecords(kind, query),
    dueRecords: (kind, at, limit) => store.dueRecords(kind, at, limit),
    nextDueAt: (kind) => store.nextDueAt(kind),
    findKey: (scope, key) => store.findKey(scope, key),
    saveDefinition: (row) => store.saveDefinition(row),
    findDefinition: (id, version) => store.findDefinition(id, version),
    findDefinitionByHash: (id, hash) => store.findDefinitionByHash(id, hash),
    listDefinitions: (query) => store.listDefinitions(query),
    findDamage: () => store.findDamage(),
    hash: (text) => store.hash(text),
    secretKey: () => store.secretKey(),
    artifacts: store.artifacts,
    close: () => store.close(),
  };
}

/** What surrounds a runner. */
type Around = Pick<RunnerOptions, 'offices' | 'listen' | 'hasFinishedListeners'>;

export interface RunnerSetting extends Sinks, Around {
  readonly store?: Store;
  readonly clock?: VirtualClock;
  readonly limits?: Partial<Limits>;
  readonly definitions?: readonly object[];
}

export interface TestRunner {
  readonly runner: Runner;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly executor: NotingExecutor;
  readonly inbox: Inbox;
  readonly definitions: Definitions;
  readonly start: (runId: string, workflow: string, more?: Partial<RunStart>) => Promise<unknown>;
  readonly settle: () => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
}

export async function openRunner(setting: RunnerSetting = {}): Promise<TestRunner> {
  const { store = memoryStore(), clock = new VirtualClock(), definitions: sources = [], ...others } = setting;
  const { offices, listen, hasFinishedListeners, ...sinks } = others;
  const around = given({ offices, listen, hasFinishedListeners });
  const limits = { ...defaultLimits, ...setting.limits };
  const definitions = new Definitions(store, limits);
  for (const source of sources) await definitions.register(source, clock.now());
  const observers = new Observers(sinks);
  const inbox = new Inbox({ clock, limits });
  const executor = new NotingExecutor(inbox.report);
  const world = { store, clock, definitions, limits, observers, inbox, executor };
  const runner = new Runner({ ...world, readOnly: false, ...around });
  // A test may leave a runner that never comes to rest: nobody waits for it any more.
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const settle = async () => {
    for (let quiet = 0; quiet < 4 && !over.signal.aborted; quiet = runner.isIdle ? quiet + 1 : 0) await clock.settle();
  };
  await runner.start();
  return {
    runner,
    store,
    clock,
    definitions,
    executor,
    inbox,
    settle,
    start: async (runId, workflow, more = {}) => {
      const graph = await definitions.mustFind(workflow, null);
      const at = clock.now();
      const start = { ...startOf(graph, at), runId, rootRunId: runId, keyRunId: runId, ...more };
      const reply = await inbox.command(runId, { type: 'start', at, start });
      await settle();
      return reply;
    },
    advance: async (ms) => {
      await clock.advance(ms);
      await settle();
    },
  };
}
