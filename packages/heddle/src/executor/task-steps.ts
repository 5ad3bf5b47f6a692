// Task steps: parts of an action's work that are done once per task. Rules EX27 to EX29. One for each attempt, so it does
// nothing until it is asked.
//
// Always true: the result of a step is durable before whoever asked for it has it; every attempt sees the same result.

import type { Task } from '../actor/ports.ts';
import { copyJson } from '../base/copy-json.ts';
import type { Failure } from '../base/failure.ts';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { Reply } from '../core/commands.ts';
import type { RememberedStep } from '../core/events.ts';
import type { ActionStep, StepPart } from './action.ts';
import { ActionError } from './action-error.ts';
import { type OutputBounds, type TakenResult, takeResult } from './take-output.ts';
import type { TaskSecrets } from './task-secrets.ts';

/** The attempt that the steps are parts of. */
export interface StepAttempt {
  readonly task: Task;
  /** Of what a step returns, as of what the action returns. */
  readonly bounds: OutputBounds;
  readonly secrets: TaskSecrets;
  /** Throws if nobody waits for its result any more. */
  throwIfOver(): void;
  /** Durable when it answers. */
  remember(step: RememberedStep): Promise<void>;
}

const nameLengthMax = 200;

export class TaskSteps implements ActionStep {
  readonly #attempt: StepAttempt;
  /** The steps that this attempt has begun, and that have not failed; null as long as there is none. */
  #begun: Set<string> | null = null;

  constructor(attempt: StepAttempt) {
    this.#attempt = attempt;
  }

  // EX27: a finished step is not done again by a later attempt or hand-out, which is given its result instead.
  async run<Result>(name: string, work: (part: StepPart) => Result | Promise<Result>): Promise<Result> {
    refuseStep(name, work);
    this.#attempt.throwIfOver();
    const step = this.#begin(name);
    const known = this.#attempt.task.steps?.find((one) => one.step === step);
    const result = known === undefined ? await this.#perform(step, work) : known.result;
    // A copy: the engine keeps the other. It is what `work` returned, as JSON.
    return (result === undefined ? undefined : copyJson(result)) as Result;
  }

  // HN32: steps of the same name differ by their number, in the order in which they begin; one that fails gives its
  // number back, so that whoever tries it again does the same step.
  #begin(name: string): string {
    this.#begun ??= new Set();
    let step = name;
    for (let use = 2; this.#begun.has(step); use++) step = `${name}#${use}`;
    this.#begun.add(step);
    return step;
  }

  async #perform(step: string, work: (part: StepPart) => unknown): Promise<Json | undefined> {
    try {
      const returned = await work({ idempotencyKey: `${this.#attempt.task.idempotencyKey}/${step}` });
      const result = this.#take(step, returned);
      this.#attempt.throwIfOver();
      await this.#attempt.remember({ step, ...given({ result }) });
      return result;
    } catch (error) {
      this.#begun?.delete(step);
      throw error;
    }
  }

  /** What is kept: JSON within the limits, without the values of secrets. */
  #take(step: string, returned: unknown): Json | undefined {
    const { task, bounds, secrets } = this.#attempt;
    const taken = takeStep(step, returned, task.action, bounds);
    if (taken === undefined) return undefined;
    if (taken.ok) return secrets.cleanValue(taken.value, bounds.engine) as Json; // as it came, but for texts
    const { code, message, details } = taken.failure;
    throw new ActionError(message, { code, retryable: false, ...given({ details }) });
  }
}

/** Undefined for a step that returned nothing. */
const takeStep = (step: string, returned: unknown, action: string, bounds: OutputBounds): TakenResult | undefined =>
  returned === undefined ? undefined : takeResult(returned, `step "${step}" of action "${action}"`, bounds);

/** A step that somebody outside the process has finished, or what is wrong with it. */
export function readStep(
  step: unknown,
  returned: unknown,
  { action, ...bounds }: OutputBounds & Pick<Task, 'action'>,
): { readonly step: RememberedStep } | { readonly failure: Failure } {
  const wrong = wrongName(step);
  if (wrong !== null) return { failure: { code: 'STEP_INVALID', message: wrong } };
  const name = step as string; // it is one
  const taken = takeStep(name, returned, action, bounds);
  if (taken === undefined) return { step: { step: name } };
  return taken.ok ? { step: { step: name, result: taken.value } } : { failure: taken.failure };
}

/** The run did not take it: a limit, or another hand-out is the newest. */
export function stepNotRecorded(
  step: string,
  { nodeId }: Pick<Task, 'nodeId'>,
  { refusal, reason }: Reply,
): ActionError {
  const message = `Expected to record step "${step}" of node "${nodeId}", but its attempt is over: ${reason}`;
  const { code, message: text } = refusal ?? { code: 'STEP_REFUSED', message };
  return new ActionError(text, { code, retryable: false });
}

function refuseStep(name: unknown, work: unknown): void {
  const wrong =
    wrongName(name) ??
    (typeof work === 'function'
      ? null
      : `Expected the work of step "${String(name)}" to be a function, but found ${kindOf(work)}`);
  if (wrong !== null) throw new ActionError(wrong, { code: 'STEP_INVALID', retryable: false });
}

function wrongName(name: unknown): string | null {
  if (typeof name === 'string' && name.length >= 1 && name.length <= nameLengthMax) return null;
  const found = typeof name === 'string' ? `it has ${name.length}` : `found ${kindOf(name)}`;
  return `Expected the name of a step to be a text of 1 to ${nameLengthMax} characters, but ${found}`;
}

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value);
