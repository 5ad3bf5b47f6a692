// Shard program: the thread of a shard: its line to the main thread, and how it rests. Rule SH16.
//
// Always true: the thread ends by the main thread's word alone; it tells when nothing in it would keep a process alive.

import { parentPort, workerData } from 'node:worker_threads';
import { Line, type Said } from './line.ts';
import { ShardSide } from './shard-side.ts';

export interface ThreadData {
  /** Set to 1 when the thread has left: whoever ends the process waits for it. */
  readonly left: Int32Array;
}

/** `leave`: the process ends. */
export type ToShard = readonly Said[] | 'leave';

export type FromShard =
  | readonly Said[]
  /** After so many packets nothing is left to be done; `asleep`: and nothing is waited for but the next. */
  | { readonly seen: number; readonly state: 'idle' | 'asleep'; readonly spans?: ShardSpans };

type ShardSpans = Awaited<ReturnType<ShardSide['rest']>>;

function serve(port: NonNullable<typeof parentPort>, { left }: ThreadData): void {
  let seen = 0;
  let isTelling = false;
  const post = (message: FromShard): void => port.postMessage(message, []);
  const line = new Line({
    post,
    onError: (error) => {
      throw error; // a mistake of the engine: the thread ends, and says why
    },
  });
  const side = new ShardSide(line);
  const tellRest = async (): Promise<void> => {
    if (isTelling) return;
    isTelling = true;
    const spans = await side.rest();
    isTelling = false;
    post({ seen, state: 'idle', spans }); // before the answers of this turn: whoever has them finds it idle
  };
  port.on('message', (message: ToShard) => {
    if (message === 'leave') return process.exit(0);
    seen += 1;
    port.unref();
    line.take(message);
    void tellRest();
  });
  // SH16: what would end a program that is one thread: then the main thread alone decides.
  process.on('beforeExit', () => {
    post({ seen, state: 'asleep' });
    port.ref();
  });
  process.on('exit', () => {
    Atomics.store(left, 0, 1);
    Atomics.notify(left, 0);
  });
}

if (parentPort) serve(parentPort, workerData as ThreadData); // as `ShardThread` starts it
