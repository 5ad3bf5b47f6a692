// Open calls: what actions would be doing now, each waiting for its answer.

import { type ActionContext, ActionError } from 'heddle';
import type { PinnedOutcome } from './pins.ts';

export interface OpenCall {
  readonly action: string;
  readonly context: ActionContext;
  readonly answer: (outcome: PinnedOutcome) => void;
}

export class OpenCalls {
  readonly #open = new Set<OpenCall>();

  /** In the order in which they came. */
  get open(): readonly OpenCall[] {
    return [...this.#open];
  }

  /** In place of an action. What nobody waits for any more (a timeout, a cancelled branch) is not asked for. */
  readonly ask = (action: string, context: ActionContext): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const call: OpenCall = {
        action,
        context,
        answer: (outcome) => {
          this.#open.delete(call);
          if (outcome.type === 'output') resolve(outcome.output);
          else reject(new ActionError(outcome.error.message, { code: outcome.error.code }));
        },
      };
      this.#open.add(call);
      context.signal.addEventListener('abort', () => {
        this.#open.delete(call);
        reject(context.signal.reason as Error); // the engine aborts with errors
      });
    });
}
