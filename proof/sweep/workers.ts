// Workers: who does what the engine hands out. Calls of `work` wait until the world answers them, in an order that does
// not depend on when they came; the shape's own actions end by themselves.

import type { ActionContext, ActionFunction } from '../../packages/heddle/src/executor/action.ts';
import { ScriptedActions, type ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import { never, type Shape } from './shape.ts';

export class Workers {
  readonly #shape: Shape;
  readonly #script = new ScriptedActions();
  readonly #onCall: (context: ActionContext) => void;
  #underWay = 0;

  /** Those of one process. */
  constructor(shape: Shape, onCall: (context: ActionContext) => void) {
    this.#shape = shape;
    this.#onCall = onCall;
  }

  /** None of those is under way that end by themselves. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  actions(): Record<string, ActionFunction> {
    const own = Object.entries(this.#shape.options?.actions ?? {});
    const counted = own.map(([name, action]) => [name, this.#seen((context) => this.#count(action(context)))] as const);
    return { work: this.#seen(this.#script.action('work')), ...Object.fromEntries(counted) };
  }

  #seen(action: ActionFunction): ActionFunction {
    return (context) => {
      this.#onCall(context);
      return action(context);
    };
  }

  async #count(doing: unknown): Promise<unknown> {
    this.#underWay++;
    try {
      return await doing;
    } finally {
      this.#underWay--;
    }
  }

  /** The calls that wait for an answer and are still wanted, in the order of their answers. */
  get calls(): readonly ScriptedCall[] {
    const { rank = () => 0 } = this.#shape;
    const open = this.#script.calls.filter(({ isAnswered, signal }) => !isAnswered && !signal.aborted);
    return open.toSorted((a, b) => rank(a) - rank(b) || (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** The first call at a node with this input, if there is one. */
  callAt(node: string, input: Readonly<Record<string, unknown>> = {}): ScriptedCall | undefined {
    return this.calls.find(
      ({ nodeId, input: found }) =>
        nodeId === node &&
        Object.entries(input).every(([key, value]) => JSON.stringify(found[key]) === JSON.stringify(value)),
    );
  }

  /** As the shape says; false if the worker does not answer. */
  give(call: ScriptedCall): boolean {
    const { answer = echo } = this.#shape;
    try {
      const output = answer(call);
      if (output === never) return false;
      call.complete(output);
    } catch (error) {
      if (error instanceof Error) error.stack = String(error); // Where it was thrown differs from life to life.
      call.fail(error);
    }
    return true;
  }
}

/** What a worker answers that was told nothing: a value that tells the branch. */
const echo = ({ nodeId, input }: ScriptedCall): unknown => ({ value: `${nodeId}${JSON.stringify(input)}` });

const keyOf = ({ workflow, nodeId, input, tokenId }: ScriptedCall): string =>
  JSON.stringify([workflow, nodeId, input, tokenId]);
