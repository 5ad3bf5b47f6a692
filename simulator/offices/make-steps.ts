// Steps: workloads whose actions do their work in steps that are remembered. Whatever dies or fails between two of them, a
// step whose result was acknowledged is not done again, and every attempt sees the same result (I19, I33).

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { EndedWorld, RunRecord, Workload } from '../workload.ts';

export function makeSteps(dice: Dice): Workload {
  const names = Array.from({ length: 1 + dice.draw(4) }, () => dice.pick(['charge', 'mail', 'pack']));
  const book = new StepBook();
  return {
    kind: 'steps',
    isSound: true,
    definitions: [definition],
    starts: Array.from({ length: 1 + dice.draw(3) }, () => ({ workflow: 'steps', input: {} })),
    actions: ['work'],
    answer: () => ({ type: 'complete', output: {}, delayMs: dice.pick([0, 10, 100]) }),
    async prepare({ step }) {
      for (const name of names) await book.take(step, name);
    },
    check: (run) => book.check(run),
    checkWorld: async (ended) => book.checkEffects(ended),
  };
}

const retry = { maxAttempts: 50, initialDelayMs: 10 };
const definition: Json = {
  id: 'steps',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'work', retry },
    { id: 'b', action: 'work', retry, timeoutMs: 500 },
  ],
  transitions: [{ from: 'a', to: 'b' }],
};

/** What was done outside, and what the actions saw of it, by the key of the step. */
class StepBook {
  /** What was done, in order: each time is another result. */
  readonly #effects = new Map<string, number[]>();
  /** What the actions have got, and how often the step had been done when one first got it. */
  readonly #seen = new Map<string, { readonly result: number; readonly effects: number }>();
  #wrong: string | null = null;

  async take(step: ActionContext['step'], name: string): Promise<void> {
    let key = '';
    const result = await step.run(name, ({ idempotencyKey }) => {
      key = idempotencyKey;
      return this.#perform(idempotencyKey);
    });
    // A step that was remembered is found by its result, which no other has.
    this.#see(key === '' ? this.#keyOf(result) : key, result);
  }

  #perform(key: string): number {
    const effects = this.#effects.get(key) ?? [];
    const result = [...this.#effects.values()].flat().length + 1;
    this.#effects.set(key, [...effects, result]);
    return result;
  }

  #keyOf(result: number): string {
    return [...this.#effects].find(([, results]) => results.includes(result))?.[0] ?? '';
  }

  #see(key: string, result: number): void {
    const seen = this.#seen.get(key);
    if (seen === undefined) this.#seen.set(key, { result, effects: this.#effects.get(key)?.length ?? 0 });
    else if (seen.result !== result)
      this.#wrong ??= `I33 Expected step ${key} to have the result ${seen.result} for ever, but an attempt saw ${result}`;
  }

  /** What is recorded is what the actions have seen. */
  check({ runId, events }: RunRecord): string | null {
    for (const event of events) {
      if (event.type !== 'step.completed') continue;
      const key = `${runId}/${event.token}/${event.step}`;
      const isDone = this.#effects.get(key)?.includes(Number(event.result)) === true;
      const seen = this.#seen.get(key);
      if (!isDone || (seen !== undefined && seen.result !== event.result))
        return `I34 Expected step ${key} to be recorded as it was done, but found ${JSON.stringify(event.result)}`;
    }
    return null;
  }

  /** A process that is cut off may be in the midst of a step that another has done meanwhile. */
  checkEffects({ faults, isShared }: EndedWorld): string | null {
    for (const [key, { effects }] of faults.has('zombie') || isShared ? [] : this.#seen) {
      const found = this.#effects.get(key)?.length ?? 0;
      if (found > effects) return `I33 Expected step ${key} not to be done again once it was acknowledged, but it was`;
    }
    return this.#wrong;
  }
}
