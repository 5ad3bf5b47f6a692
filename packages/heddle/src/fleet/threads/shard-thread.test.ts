import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ShardThread } from './shard-thread.ts';

/** A thread that says it is asleep after each packet: at once, or as it was before that packet had come. */
const program = `
  import { parentPort } from 'node:worker_threads';
  let seen = 0;
  parentPort.on('message', (packet) => {
    seen += 1;
    parentPort.postMessage({ seen: JSON.stringify(packet).includes('crossing') ? seen - 1 : seen, state: 'asleep' });
    parentPort.postMessage({ seen, state: 'idle' });
  });`;

const keepingAlive = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

/** What was said in this turn has been sent. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function begin(): ShardThread {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-thread-'));
  const file = path.join(folder, 'program.mjs');
  writeFileSync(file, program);
  const noop = (): void => undefined;
  const options = { shard: 1, program: pathToFileURL(file), onLeave: noop, onDeath: noop, onError: noop };
  const thread = new ShardThread(options);
  onTestFinished(async () => {
    await thread.end(new Error('the end'));
    rmSync(folder, { recursive: true });
  });
  return thread;
}

test('[SH16] a thread keeps the process while it has something to do, and no longer', async () => {
  const before = keepingAlive();
  const thread = begin();
  for (const [word, keeping] of [
    ['hello', 0],
    // What it said of its sleep crossed with this.
    ['crossing', 1],
    ['hello', 0],
  ] as const) {
    thread.line.tell(word);
    await turn();
    expect([thread.isIdle, keepingAlive() - before]).toEqual([false, 1]);
    while (!thread.isIdle) await turn();
    expect(keepingAlive() - before).toBe(keeping);
  }
});
