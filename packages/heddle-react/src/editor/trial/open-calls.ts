// Open calls: what actions would be doing now, each waiting for its answer.

import { type ActionContext, ActionError } from 'heddle';
import type { TrialAnswer } from './pins.ts';

export interface OpenCall {
  readonly action: string;
  readonly context: ActionContext;
  readonly answer: (answer: TrialAnswer) => void;
}

export class OpenCalls {
  readonly #open = new Set<OpenCall>();

  /** In the order in which they came. */
  get open(): readonly OpenCall[] {
    return [...this.#open];
  }

  /**
   * In place of an action; `run` is what it does itself, where it may. What nobody waits for any more (a timeout, a
   * cancelled branch) is not asked for.
   */
  readonly ask = (action: string, context: ActionContext, run: () => unknown = callNobody): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const call: OpenCall = {
        action,
        context,
        answer: (answer) => {
          this.#open.delete(call);
          if (answer.type === 'own') resolve(new Promise((done) => done(run())));
          else if (answer.type === 'output') resolve(answer.output);
          else reject(new ActionError(answer.error.message, { code: answer.error.code }));
        },
      };
      this.#open.add(call);
      context.signal.addEventListener('abort', () => {
        this.#open.delete(call);
        reject(context.signal.reason as Error); // the engine aborts with errors
      });
    });
}

const callNobody = (): never => {
  throw new Error('Expected an action that is built in, but it is one of a program, which no trial calls');
};
