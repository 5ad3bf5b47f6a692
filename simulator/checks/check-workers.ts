// Check workers: who is at work in each process: no more than may be (I8), nobody whose work is not wanted any more
// (I42), and nobody for longer than the node allows (I27).
//
// Always true: whoever was told to stop, or works in a process that has been replaced, counts no more.

import { defaultLimits, type Limits } from '../../packages/heddle/src/definition/limits.ts';
import type { CallUnderWay } from '../../packages/heddle/src/simulation/client.ts';
import type { InvariantId } from './coverage.ts';
import type { RunFacts } from './run-facts.ts';

export interface WorkerWorld {
  readonly limits: Partial<Limits>;
  /** Whoever is to stop has heard of it when its commit is there: the store answers at once. */
  readonly isPrompt: boolean;
  /** Alarms have come when they were due, up to now. */
  readonly isPunctual: () => boolean;
  readonly now: () => number;
}

export interface WorkerFault {
  readonly invariant: InvariantId;
  readonly message: string;
}

export class WorkerCheck {
  readonly #world: WorkerWorld;
  readonly #most: number;
  readonly #underWay = new Set<CallUnderWay>();

  constructor(world: WorkerWorld) {
    this.#world = world;
    this.#most = world.limits.concurrencyPerProcess ?? defaultLimits.concurrencyPerProcess;
  }

  begin(facts: RunFacts, call: CallUnderWay): WorkerFault | null {
    let [inProcess, inRun] = [1, 1];
    for (const other of this.#underWay) {
      if (other.process !== call.process) continue;
      if (other.signal.aborted) this.#underWay.delete(other);
      else {
        inProcess++;
        if (other.runId === call.runId) inRun++;
      }
    }
    this.#underWay.add(call);
    if (inProcess > this.#most) return tooMany(this.#most, 'in the process', inProcess);
    const { concurrencyPerRun } = facts.drawing.limits;
    return inRun > concurrencyPerRun ? tooMany(concurrencyPerRun, 'of the run', inRun) : null;
  }

  /** When its time is up, before anybody hears what it came to. */
  end(facts: RunFacts, call: CallUnderWay): WorkerFault | null {
    this.#underWay.delete(call);
    const { process, signal, tokenId } = call;
    const token = facts.tokens.get(tokenId);
    if (!token || process.isZombie || signal.aborted) return null;
    if (this.#world.isPrompt && token.state !== 'dispatched')
      return {
        invariant: 'I42',
        message: `Expected the worker of token ${tokenId} to be told to stop, but it was not`,
      };
    const { timeoutMs = Infinity } = token.node.source;
    if (this.#world.isPunctual() && this.#world.now() > call.at + timeoutMs)
      return { invariant: 'I27', message: `Expected token ${tokenId} to have ${timeoutMs} ms, but it had more` };
    return null;
  }
}

const tooMany = (most: number, where: string, found: number): WorkerFault => ({
  invariant: 'I8',
  message: `Expected at most ${most} workers at a time ${where}, but found ${found}`,
});
