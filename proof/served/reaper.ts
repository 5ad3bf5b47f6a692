// Reaper: how servers and workers are stopped, killed and closed, and what must be true of each that ends.

import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mortal } from './processes.ts';
import type { Tally } from './tally.ts';

const closingMsMost = 300_000;
const graceMs = 200;
/** Whoever stood still goes on for so long at least. */
const goesOnMs = 20;

export class Reaper {
  /** The largest that the write-ahead log of the store was. */
  logBytesMost = 0;
  readonly #tally: Tally;
  readonly #file: string;

  constructor(tally: Tally, file: string) {
    this.#tally = tally;
    this.#file = file;
  }

  readonly violate = (violation: string): void => void this.#tally.violations.push(violation);

  async standStill(mortal: Mortal, ms: number): Promise<void> {
    mortal.signal('SIGSTOP');
    this.#tally.stopped++;
    await sleep(ms);
    mortal.signal('SIGCONT');
    await sleep(goesOnMs);
  }

  async kill(mortal: Mortal): Promise<void> {
    mortal.signal('SIGKILL');
    const { signal, complaint } = await mortal.ended;
    if (signal !== 'SIGKILL' || complaint !== '')
      this.violate(`Expected a process that is killed, but it ended with ${signal}: ${complaint}`);
    this.#tally.kills++;
    const log = statSync(`${this.#file}-wal`, { throwIfNoEntry: false });
    this.logBytesMost = Math.max(this.logBytesMost, log?.size ?? 0);
  }

  async close(mortal: Mortal): Promise<void> {
    mortal.order({ type: 'close', graceMs });
    const ending = await Promise.race([mortal.ended, sleep(closingMsMost, null, { ref: false })]);
    if (ending === null) {
      mortal.signal('SIGKILL');
      return this.violate(
        `Expected ${mortal.program} ${mortal.pid} to close when it is told to, but it takes too long`,
      );
    }
    const { code, signal, complaint } = ending;
    this.#tally.closed++;
    if (code !== 0 || complaint !== '')
      this.violate(`Expected a process to close, but it ended with ${signal ?? code}: ${complaint}`);
  }
}
