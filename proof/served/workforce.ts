// Workforce: the workers of a round, each followed by another when it has died, or closed.
//
// Always true: once nothing is killed any more, as many are at work as ever were.

import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Nursery } from '../kill/line-process.ts';
import { drawWorkerLife } from './lives.ts';
import type { Mortal } from './processes.ts';
import { leaseMs } from './protocol.ts';
import type { Reaper } from './reaper.ts';
import type { Tally } from './tally.ts';

export interface WorkforceParts {
  readonly url: string;
  readonly effects: string;
  readonly exchanges: string;
  readonly seed: number;
  readonly nursery: Nursery<Mortal>;
  readonly reaper: Reaper;
  readonly tally: Tally;
}

const workersAtATime = 2;
const oneStandsStillIn = 150;
const lookEveryMs = 50;

export class Workforce {
  readonly #parts: WorkforceParts;
  readonly #atWork = new Set<Mortal>();
  readonly #lines: readonly Promise<void>[];
  #begun = 0;
  #isSafe = false;

  constructor(parts: WorkforceParts) {
    this.#parts = parts;
    this.#lines = Array.from({ length: workersAtATime }, (_, line) => this.#workOn(new Dice(parts.seed + line)));
  }

  /** Nobody is killed any more. */
  spare(): void {
    this.#isSafe = true;
  }

  async close(): Promise<void> {
    this.spare();
    await Promise.all(this.#lines);
    await Promise.all(Array.from(this.#atWork, (worker) => this.#parts.reaper.close(worker)));
  }

  /** One worker after the other; the last of them stays. */
  async #workOn(dice: Dice): Promise<void> {
    const { reaper, tally } = this.#parts;
    for (let worker = this.#begin(); ; worker = this.#begin()) {
      const { livesMs, death } = drawWorkerLife(dice);
      await this.#whileUnsafe(livesMs);
      if (this.#isSafe) return;
      if (death === 'stopped') await reaper.standStill(worker, 1.2 * leaseMs);
      this.#atWork.delete(worker);
      if (death === 'closed') await reaper.close(worker);
      else {
        await reaper.kill(worker);
        tally.workersKilled++;
      }
    }
  }

  #begin(): Mortal {
    const { url, effects, exchanges, nursery, reaper } = this.#parts;
    const worker = nursery.take();
    worker.onBroken = (message) => reaper.violate(`Expected nothing to break, but a worker told of ${message}`);
    const name = `worker-${++this.#begun}`;
    worker.order({ type: 'work', url, name, effects, exchanges, oneStandsStillIn });
    this.#atWork.add(worker);
    return worker;
  }

  async #whileUnsafe(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end && !this.#isSafe) await sleep(lookEveryMs);
  }
}
