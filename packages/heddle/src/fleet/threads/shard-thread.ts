// Shard thread: in the main thread, the thread of one shard: begun, heard, missed when it dies, ended. Rules SH16 and SH17.
//
// Always true: a thread keeps the process alive while it has something to do, and no longer; when it has died, whoever asks it
// is told so.

import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { asError, StoreError } from '../../actor/store-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { Line } from './line.ts';
import type { FromShard, ThreadData, ToShard } from './shard-program.ts';

/** At the end of the process, for the file to be closed. */
const leaveWaitMs = 5_000;

/** What tests put in the place of its program; no option of users. */
export interface ThreadSeams {
  readonly program?: URL | undefined;
}

export interface ShardThreadOptions extends ThreadSeams {
  readonly shard: number;
  /** The process ends, and the thread is about to close its file. */
  readonly onLeave: () => void;
  /** It has died, and nobody has ended it. */
  readonly onDeath: (error: Error) => void;
  readonly onError: (error: unknown) => void;
}

export class ShardThread {
  readonly line: Line;
  readonly #worker: Worker;
  readonly #onLeave: () => void;
  readonly #left = new Int32Array(new SharedArrayBuffer(4));
  #sent = 0;
  /** Of all packets: what the thread has done, with nothing left. */
  #done = 0;
  spanCounts: Engine['spanCounts'] = null;
  #fault: Error | null = null;
  #isEnded = false;

  constructor({ shard, program = findProgram(), onLeave, onDeath, onError }: ShardThreadOptions) {
    this.#onLeave = onLeave;
    const workerData: ThreadData = { left: this.#left };
    this.#worker = new Worker(program, { name: `heddle-shard-${shard}`, workerData, execArgv: [] });
    this.line = new Line({ post: (packet) => this.#post(packet), onError });
    this.#worker.on('message', (message: FromShard) => this.#hear(message));
    this.#worker.on('error', (error) => {
      this.#fault = asError(error); // 'exit' follows
    });
    this.#worker.on('exit', (code) => {
      forget(this);
      if (!this.#isEnded) this.#die(shard, this.#fault ?? new Error(`it ended with code ${code}`), onDeath);
    });
    endAtExit(this);
  }

  get isIdle(): boolean {
    return this.#done === this.#sent;
  }

  /** Whatever is asked later fails with this. */
  async end(error: Error): Promise<void> {
    this.#isEnded = true;
    this.line.cut(error);
    forget(this);
    this.#worker.ref(); // nobody waits for what keeps nothing alive
    await this.#worker.terminate();
  }

  #post(packet: ToShard): void {
    this.#worker.postMessage(packet, []);
    this.#sent += 1;
    this.#worker.ref();
  }

  #hear(message: FromShard): void {
    if (!('state' in message)) return this.line.take(message);
    const { seen, state, spans } = message;
    if (state === 'idle') {
      this.#done = seen;
      this.spanCounts = spans ?? null;
    } else if (seen === this.#sent && !this.#isEnded) this.#worker.unref();
  }

  // SH17: a thread that dies takes its shard with it, and nobody else.
  #die(shard: number, fault: Error, onDeath: (error: Error) => void): void {
    this.#isEnded = true;
    this.#done = this.#sent;
    const message = `Expected the thread of shard ${shard} to be running, but it has died: ${fault.message}. Open the fleet again.`;
    const error = new StoreError('STORE_FAILED', message, { cause: fault });
    this.line.cut(error);
    onDeath(error);
  }

  /** The process ends. */
  leave(): void {
    this.#onLeave();
    this.#worker.postMessage('leave' satisfies ToShard, []);
  }

  /** Promises are not waited for any more. */
  waitUntilLeft(): void {
    Atomics.wait(this.#left, 0, 0, leaveWaitMs);
  }
}

/** Those of this process: its files are closed with it. */
const running = new Set<ShardThread>();

/** A process that leaves without closing its stores closes them as it exits (FS6); each is its thread's to close. */
function endAtExit(thread: ShardThread): void {
  if (running.size === 0) process.on('exit', leaveAll);
  running.add(thread);
}

function forget(thread: ShardThread): void {
  running.delete(thread);
  if (running.size === 0) process.off('exit', leaveAll);
}

function leaveAll(): void {
  for (const thread of running) thread.leave();
  for (const thread of running) thread.waitUntilLeft();
}

function findProgram(): URL {
  const here = import.meta.url;
  const folder = here.endsWith('.ts') ? '../../../dist/' : here.includes('/chunks/') ? '../' : './';
  const program = new URL(`${folder}fleet-shard.js`, here);
  if (program.protocol === 'file:' && existsSync(program)) return program;
  const message = `Expected fleet-shard.js beside the engine, but ${program.href} is not there; leave out threads: true, or keep the package outside the bundle`;
  throw new StoreError('STORE_FAILED', message);
}
