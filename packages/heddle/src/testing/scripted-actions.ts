// Scripted actions: a test plays the part of the world. Every call waits until the test answers it.

import type { ActionContext, ActionFunction } from '../executor/action.ts';

/** One call of an action, to be answered by the test. */
export interface ScriptedCall extends ActionContext {
  readonly action: string;
  readonly isAnswered: boolean;
  complete(output?: unknown): void;
  fail(error: unknown): void;
}

export class ScriptedActions {
  /** Every call so far, in order, answered or not. */
  readonly calls: ScriptedCall[] = [];
  readonly #names = new Set<string>();

  /** An action whose calls wait for the test. */
  action(name: string): ActionFunction {
    this.#names.add(name);
    return (context) =>
      new Promise((resolve, reject) => {
        this.calls.push(scriptedCall(name, context, resolve, reject));
      });
  }

  /** Several of them, as `createEngine` takes them. */
  actions(...names: readonly string[]): Record<string, ActionFunction> {
    return Object.fromEntries(names.map((name) => [name, this.action(name)]));
  }

  /** The calls of one action that are still to be answered. */
  open(action: string): ScriptedCall[] {
    return this.calls.filter((call) => call.action === action && !call.isAnswered);
  }

  /** The oldest call of an action that is still to be answered. */
  next(action: string): ScriptedCall {
    const [call] = this.open(action);
    if (call) return call;
    throw new Error(`Expected a call of action ${action} to wait for an answer, but ${this.#findingOf(action)}`);
  }

  #findingOf(action: string): string {
    if (!this.#names.has(action)) return `it is not scripted; scripted are ${listOf(this.#names)}`;
    const open = this.calls.filter((call) => !call.isAnswered).map((call) => call.action);
    return `none does; open are ${listOf(new Set(open))}`;
  }
}

const listOf = (names: ReadonlySet<string>): string => [...names].join(', ') || 'none';

function scriptedCall(
  action: string,
  context: ActionContext,
  resolve: (output: unknown) => void,
  reject: (error: unknown) => void,
): ScriptedCall {
  let isAnswered = false;
  const answer = (how: () => void): void => {
    isAnswered = true;
    how();
  };
  return {
    ...context,
    action,
    get isAnswered() {
      return isAnswered;
    },
    complete: (output = {}) => answer(() => resolve(output)),
    fail: (error) => answer(() => reject(error)),
  };
}
