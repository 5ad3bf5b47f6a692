// Call count: how often workers were given each task, against how often it was handed out (I22).

import type { TaskCall } from '../../packages/heddle/src/simulation/client.ts';
import type { RunFacts } from './run-facts.ts';

export class CallCount {
  readonly #counts = new Map<string, number>();

  /** Null, or what is wrong with a task that a worker was given. */
  add(facts: RunFacts, { runId, tokenId, attempt }: TaskCall): string | null {
    const token = facts.tokens.get(tokenId);
    const count = (this.#counts.get(`${runId}/${tokenId}`) ?? 0) + 1;
    this.#counts.set(`${runId}/${tokenId}`, count);
    if (!token || token.attempt < attempt) return `Expected attempt ${attempt} of token ${tokenId}, but there is none`;
    if (count <= token.dispatches) return null;
    return `Expected token ${tokenId} to be worked on ${token.dispatches} times, but it was ${count}`;
  }

  has(runId: string, tokenId: number): boolean {
    return this.#counts.has(`${runId}/${tokenId}`);
  }
}
