// Task secrets: what an action is given of secrets, and the care that none of it comes back out. One for each attempt, so
// it does nothing until it is asked.

import type { ArtifactData } from '../actor/artifacts.ts';
import type { TaskOutcome } from '../actor/ports.ts';
import { copyToJson } from '../base/check-json.ts';
import type { Thrown } from '../base/failure.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { asJson } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';
import { Scrubber } from '../secrets/scrubber.ts';
import type { Vault } from '../secrets/vault.ts';
import type { ActionSecrets } from './action.ts';

// What comes back has texts in the same places.
const cleanThrown = (scrubber: Scrubber, thrown: Thrown): Thrown => scrubber.json(asJson(thrown)) as Thrown;

export class TaskSecrets implements ActionSecrets {
  readonly #vault: Vault | null;
  /** Null as long as no secret was given out. */
  #scrubber: Scrubber | null = null;

  constructor(vault: Vault | null) {
    this.#vault = vault;
  }

  /** The host may be missing where an action is no TypeScript. */
  async get(name: string, options?: { readonly host?: string }): Promise<string> {
    if (this.#vault === null)
      throw new HeddleError('SECRET_NOT_FOUND', 'Expected an engine with secrets, but it has none');
    const value = await this.#vault.reveal(name, options?.host);
    this.#scrubber ??= new Scrubber();
    this.#scrubber.add(name, value);
    return value;
  }

  cleanOutcome(outcome: TaskOutcome): TaskOutcome {
    const scrubber = this.#scrubber;
    if (scrubber === null) return outcome;
    if (outcome.type !== 'failed') return { ...outcome, output: scrubber.json(outcome.output) };
    const { failure } = outcome;
    const details = failure.details === undefined ? {} : { details: scrubber.json(failure.details) };
    const code = scrubber.text(failure.code) === failure.code ? failure.code : 'ACTION_FAILED';
    const thrown = failure.thrown === undefined ? {} : { thrown: cleanThrown(scrubber, failure.thrown) };
    const message = scrubber.text(failure.message);
    return { ...outcome, failure: { ...failure, code, message, ...details, ...thrown } };
  }

  /** What is no JSON stays as it is: whoever takes it refuses it. */
  cleanValue(value: unknown, limits: Limits): unknown {
    if (this.#scrubber === null) return value;
    const bounds = { bytesMax: limits.payloadBytesMax, depthMax: limits.jsonDepthMax, limitName: 'payloadBytesMax' };
    const copied = value === undefined ? null : copyToJson(value, bounds);
    return copied?.ok === true ? this.#scrubber.json(copied.value) : value;
  }

  cleanData(data: ArtifactData): ArtifactData {
    if (this.#scrubber === null) return data;
    if (typeof data === 'string') return this.#scrubber.text(data);
    return ArrayBuffer.isView(data)
      ? this.#scrubber.bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
      : data;
  }
}
