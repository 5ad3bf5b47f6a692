// The queue of prompts that a root keeps for its whole tree of runs. Rules IN3, IN4.

import { must, mustBe } from './difference.ts';
import type { Stage } from './stage.ts';
import type { Thread } from './thread.ts';

interface Queued {
  readonly askingRunId: string;
  readonly token: number;
}

export class PromptQueue {
  readonly #queued: Queued[] = [];

  join({ askingRunId, token }: Queued): void {
    must(this.#find({ askingRunId, token }) < 0, () => `Expected token ${token} of ${askingRunId} to queue once`);
    this.#queued.push({ askingRunId, token });
  }

  leave(queued: Queued): void {
    const place = this.#find(queued);
    must(place >= 0, () => `Expected token ${queued.token} of ${queued.askingRunId} to be in the queue`);
    this.#queued.splice(place, 1);
  }

  #find({ askingRunId, token }: Queued): number {
    return this.#queued.findIndex((queued) => queued.askingRunId === askingRunId && queued.token === token);
  }

  /** At rest: of the run's own prompts those that wait are queued, and the first of all asks. */
  checkRest({ threads, runId, isSerial }: Stage, isRoot: boolean): void {
    const asking = [...threads].filter(({ rest }) => rest === 'asking');
    if (isSerial) must(asking.length <= 1, () => `Expected one prompt at a time, but ${asking.length} are asked`);
    if (!isRoot) return;
    const own = new Set(this.#queued.filter(({ askingRunId }) => askingRunId === runId).map(({ token }) => token));
    const waiting = isSerial ? [...threads].filter(isPrompt) : [];
    const isQueue = own.size === waiting.length && waiting.every(({ token }) => own.has(token ?? 0));
    must(isQueue, () => `Expected tokens ${waiting.map(({ token }) => token).join()} to be queued`);
    const [first] = this.#queued;
    for (const { token, rest } of waiting) {
      const isFirst = first?.askingRunId === runId && first.token === token;
      mustBe(rest, isFirst ? 'asking' : 'queued', `what the prompt of token ${token} does`);
    }
  }
}

const isPrompt = ({ rest }: Thread): boolean => rest === 'asking' || rest === 'queued';
