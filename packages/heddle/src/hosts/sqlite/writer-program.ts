// WriterProgram: the thread that writes the commits of a store, through a connection of its own. It decides nothing: what it
// is sent it writes, one commit after the other, and answers each.
//
// Always true: answers come in the order of the commits; a commit that failed has written nothing; the file is the one that
// the store has open, or nothing is written.

import { parentPort, workerData } from 'node:worker_threads';
import { StoreError } from '../../actor/store-error.ts';
import { type CommitMessage, unpackCommit } from './commit-message.ts';
import { FileWatch, type WatchedFile } from './file-watch.ts';
import { openNodeDriver } from './node-driver.ts';
import { loadSqlite } from './sqlite-module.ts';
import { prepareCommit } from './write-commit.ts';

export interface WriterData {
  readonly file: string;
  /** What the names of the store led to when it was opened. */
  readonly files: readonly WatchedFile[];
  /** Set to 1 when the connection is closed: whoever ends the process waits for it. */
  readonly closed: Int32Array;
}

export type ToWriter = CommitMessage | 'close';
/** `null`: done. */
export type FromWriter = 'ready' | null | WriteFault;

export interface WriteFault {
  /** Of a StoreError; null for anything else, which is a mistake of the engine. */
  readonly code: StoreError['code'] | null;
  readonly message: string;
}

async function serve(port: NonNullable<typeof parentPort>, data: WriterData): Promise<void> {
  const { file, files } = data;
  const driver = openNodeDriver(await loadSqlite(), file, false);
  const watch = new FileWatch(driver, files);
  const write = prepareCommit({ ...driver, transaction: watch.transaction });
  const answer = (message: FromWriter): void => port.postMessage(message, []);
  const close = (): void => {
    try {
      driver.close();
    } finally {
      tellClosed(data);
      port.close();
    }
  };
  watch.look();
  port.on('message', (message: ToWriter) => {
    if (message === 'close') return close();
    try {
      write(unpackCommit(message));
      answer(null);
    } catch (error) {
      answer(describeFault(error));
    }
  });
  answer('ready');
}

function describeFault(error: unknown): WriteFault {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return { code: error instanceof StoreError ? error.code : null, message };
}

function tellClosed({ closed }: WriterData): void {
  Atomics.store(closed, 0, 1);
  Atomics.notify(closed, 0);
}

if (parentPort) {
  const data = workerData as WriterData; // as `WriterThread` starts it
  await serve(parentPort, data).catch((error: unknown) => {
    tellClosed(data);
    throw error;
  });
}
