// WriterThread: commits are written in a thread of their own, while this one plans the next. The thread is started once a store
// has had much to write, so that a program with little work never has one; it keeps no process alive, but for commits that are
// on their way.
//
// Always true: everything is written in the order in which it was asked for, and one connection writes at a time: what this
// thread writes waits for what the other has, and the other way round. A commit that the thread had when it died is written
// once.

import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Awaitable, Commit } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { packCommit } from './commit-message.ts';
import type { Writer, WriterHere } from './store.ts';
import type { FromWriter, ToWriter, WriteFault, WriterData } from './writer-program.ts';

export interface WriterThreadOptions extends WriterHere, Pick<WriterData, 'file' | 'files'> {
  readonly use: WriterThreadUse;
  /** What the thread runs; null: there is none to be had. */
  readonly program?: URL | null;
}

export type WriterThreadUse = 'auto' | 'always' | 'never';

interface Job {
  /** For the thread, if there is one; null: for this one. */
  readonly commit: Commit | null;
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * How many rows are written before there is a thread: about two seconds of work, for it takes 0.2 s of a processor to start. And
 * a commit that is worth telling it of.
 */
const thresholds: Readonly<Record<WriterThreadUse, { readonly startAfter: number; readonly rowsMin: number }>> = {
  auto: { startAfter: 60_000, rowsMin: 17 },
  always: { startAfter: 0, rowsMin: 0 },
  never: { startAfter: Number.POSITIVE_INFINITY, rowsMin: 0 },
};
const closeWaitMs = 5_000;

export class WriterThread implements Writer {
  readonly #options: WriterThreadOptions;
  readonly #jobs: Job[] = [];
  /** How many of them the thread has. */
  #sent = 0;
  /** The first is done here, and is not yet over. */
  #isAtWork = false;
  #rows = 0;
  #worker: Worker | null = null;
  #isReady = false;
  readonly #closed = new Int32Array(new SharedArrayBuffer(4));

  constructor(options: WriterThreadOptions) {
    this.#options = options;
    if (options.use === 'always') this.#start();
  }

  // FS8: small commits, and those of a store that has little to write, are written here and now.
  readonly commit = (commit: Commit): Awaitable<void> => {
    const { startAfter, rowsMin } = thresholds[this.#options.use];
    const rows = commit.runs.length + commit.journal.length + commit.records.length;
    if (this.#jobs.length > 0 || (this.#isWriter && rows >= rowsMin))
      return this.#put(() => this.#write(commit), commit);
    this.#options.write(commit);
    if (rows >= rowsMin) this.#rows += rows;
    if (this.#rows >= startAfter) this.#start();
  };

  /** Whether commits are for the thread: it takes a while to be ready, and where it is not wanted always nobody waits for it. */
  get #isWriter(): boolean {
    return this.#isReady || (this.#worker !== null && this.#options.use === 'always');
  }

  /** Makes of a function one that has its turn after all that was asked for before. */
  inOrder<Args extends readonly unknown[], Value>(
    work: (...args: Args) => Awaitable<Value>,
  ): (...args: Args) => Awaitable<Value> {
    return (...args) => {
      if (this.#worker === null && this.#jobs.length === 0) return work(...args);
      return this.#put(() => work(...args)) as Promise<Value>; // a job answers what its work does
    };
  }

  /** Everything that was asked for is written; then the thread ends. */
  close(): Awaitable<void> {
    return this.#worker === null && this.#jobs.length === 0 ? undefined : this.#closeThread();
  }

  async #closeThread(): Promise<void> {
    if (this.#jobs.length > 0) await this.#put(() => undefined);
    const worker = this.#worker;
    if (worker === null) return;
    this.#dismiss(worker);
    worker.ref();
    await new Promise((resolve) => worker.once('exit', resolve));
  }

  /** At the end of the process, which does not wait for promises. */
  closeNow(): void {
    if (this.#worker === null) return;
    this.#dismiss(this.#worker);
    Atomics.wait(this.#closed, 0, 0, closeWaitMs);
  }

  #dismiss(worker: Worker): void {
    this.#worker = null;
    this.#isReady = false;
    worker.removeAllListeners();
    worker.on('error', () => undefined); // one that cannot start may say so only now
    worker.postMessage('close' satisfies ToWriter, []);
  }

  /** Where there is no thread to be had, this one writes. */
  #start(): void {
    this.#rows = Number.NEGATIVE_INFINITY; // once
    const { file, files, program = findProgram() } = this.#options;
    if (program === null) return;
    const workerData: WriterData = { file, files, closed: this.#closed };
    const worker = new Worker(program, { name: 'heddle-writer', workerData, execArgv: [] });
    this.#worker = worker;
    worker.on('message', (message: FromWriter) => {
      if (message !== 'ready') return this.#finish(message);
      this.#isReady = true;
      this.#advance();
    });
    worker.on('error', () => undefined); // 'exit' follows
    worker.on('exit', () => this.#mourn());
    worker.unref(); // last: to listen is to hold it
  }

  #put(work: () => unknown, commit: Commit | null = null): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      // Of a commit nobody wants to know more than that it is written.
      this.#jobs.push({ commit, work, resolve: resolve as (value: unknown) => void, reject });
      this.#worker?.ref(); // also one that is not ready yet
      this.#advance();
    });
  }

  /** Sends what is for the thread, up to the first that is for this one; that has its turn when all before it is done. */
  #advance(): void {
    while (this.#sent < this.#jobs.length && !this.#isAtWork) {
      const job = this.#jobs[this.#sent] as Job; // below its length
      if (job.commit === null || !this.#isWriter) {
        if (this.#sent === 0) this.#workHere(job);
        return;
      }
      if (!this.#isReady) return;
      this.#worker?.postMessage(packCommit(job.commit) satisfies ToWriter, []);
      this.#sent++;
    }
  }

  #workHere({ work, resolve, reject }: Job): void {
    this.#isAtWork = true;
    const end = (): void => {
      this.#isAtWork = false;
      this.#shift();
      this.#advance();
    };
    void Promise.resolve().then(work).then(resolve, reject).finally(end);
  }

  #shift(): Job | undefined {
    const job = this.#jobs.shift();
    if (this.#jobs.length === 0) this.#worker?.unref();
    return job;
  }

  /** The thread has answered the first. */
  #finish(fault: WriteFault | null): void {
    const job = this.#shift();
    this.#sent--;
    if (fault === null) job?.resolve(undefined);
    else job?.reject(toError(fault));
    this.#advance();
  }

  /** FS9: the thread has died; what it had, and has not written, is written here. */
  #mourn(): void {
    this.#worker = null;
    this.#isReady = false;
    this.#sent = 0;
    this.#advance();
  }

  #write(commit: Commit): void {
    if (!this.#options.isStored(commit)) this.#options.write(commit);
  }
}

function toError({ code, message }: WriteFault): Error {
  return code === null ? new Error(message) : new StoreError(code, message);
}

/** Null where a bundler has left it out. */
function findProgram(): URL | null {
  const here = import.meta.url;
  const folder = here.endsWith('.ts') ? '../../../dist/' : here.includes('/chunks/') ? '../' : './';
  const program = new URL(`${folder}sqlite-writer.js`, here);
  return program.protocol === 'file:' && existsSync(program) ? program : null;
}
