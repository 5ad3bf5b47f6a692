// Starter: starts root runs, asked by a caller or fired by a trigger. Rules KY… and TR22.
//
// Always true: a run is durable when its id is answered; one idempotency key never starts two.

import type { KeyRow } from '../actor/ports.ts';
import { Turns } from '../actor/turns.ts';
import { shortHash } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import { stableStringify } from '../base/stable-json.ts';
import { runStart } from '../core/planning/lifecycle.ts';
import type { Dialect } from '../definition/graph.ts';
import { takeJson } from '../operations/check-value.ts';
import type { StartRequest } from '../operations/runs.ts';
import { claimedDepth } from '../triggers/depth.ts';
import type { FiredStart } from '../triggers/dispatcher.ts';
import type { StartHost } from './host.ts';
import { canBeRetried, retryNew } from './retry-run.ts';

/** A start that has been checked. */
export interface CheckedStart extends Omit<StartRequest, 'waitMs' | 'delayMs'> {
  readonly input: Json;
  /** Callers and triggers do not take each other's keys. */
  readonly scope: 'start' | 'trigger';
  /** What fired it. */
  readonly trigger?: JsonObject | undefined;
}

type StartKey = Pick<KeyRow, 'scope' | 'key' | 'fingerprint'>;

/** Who starts the runs of a key. */
export interface KeyKeeper {
  start(request: CheckedStart): Promise<string>;
}

export class Starter {
  readonly #host: StartHost;
  readonly #findKeeper: (scope: string, key: string) => Promise<KeyKeeper | null>;
  /** By idempotency key. */
  readonly #turns = new Turns();

  /** `findKeeper`: another shard that knows a key. */
  constructor(host: StartHost, findKeeper: (scope: string, key: string) => Promise<KeyKeeper | null>) {
    this.#host = host;
    this.#findKeeper = findKeeper;
  }

  /** Answers with the id of the run. */
  start({ waitMs: _, delayMs, startAt, input = {}, ...request }: StartRequest): Promise<string> {
    const json = takeJson(input, { limits: this.#host.limits, what: 'input', code: 'INPUT_INVALID' });
    const at = delayMs === undefined && startAt === undefined ? null : beginningOf({ delayMs, startAt }, this.#host);
    return this.startChecked({ ...request, ...(at === null ? {} : { startAt: at }), input: json, scope: 'start' });
  }

  /** For a trigger. */
  fire(start: FiredStart): Promise<string> {
    return this.startChecked({ ...start, scope: 'trigger' });
  }

  startChecked(request: CheckedStart): Promise<string> {
    const { idempotencyKey, scope } = request;
    if (idempotencyKey === undefined) return this.#startNew(request, null);
    // KY1: whoever starts with a key that is being used waits for that start.
    return this.#turns.take(`${scope}/${idempotencyKey}`, () => this.#startOnce(request, idempotencyKey));
  }

  /** KY2: the same key with the same request gives the same run; with another request it is refused. */
  async #startOnce(request: CheckedStart, key: string): Promise<string> {
    const { workflow, version = null, input, scope } = request;
    const fingerprint = shortHash(stableStringify({ workflow, version, input }));
    const known = await this.#host.store.findKey(scope, key);
    const keeper = known ? null : await this.#findKeeper(scope, key);
    if (keeper) return keeper.start(request);
    if (!known) return this.#startNew(request, { scope, key, fingerprint });
    if (known.fingerprint === fingerprint) return this.#newestUnder({ scope, key, fingerprint }, known.runId, request);
    const message = `Expected the request that idempotency key ${key} was first used with, but workflow, version or input differ`;
    throw new HeddleError('IDEMPOTENCY_KEY_REUSED', message, { details: { runId: known.runId } });
  }

  /** KY4: under the key of a failed run `ifFailed` decides; a run that was made so takes the place of the failed one. */
  async #newestUnder(key: StartKey, first: string, request: CheckedStart): Promise<string> {
    if (key.scope === 'trigger') return first;
    const { store } = this.#host;
    for (let runId = first; ; ) {
      const run = await store.readRun(runId);
      if (run && !canBeRetried(run.status)) return runId;
      const successor = { ...key, scope: 'successor', key: `${key.key}/${runId}` };
      const next = await store.findKey(successor.scope, successor.key);
      if (next) runId = next.runId;
      else if (run && request.ifFailed === 'retry')
        return retryNew(this.#host, runId, { keepKeys: false, key: successor });
      else if (run && request.ifFailed === 'restart') return this.#startNew(request, successor);
      else return runId;
    }
  }

  async #startNew(request: CheckedStart, key: StartKey | null): Promise<string> {
    const { definitions, newRunId, clock, inbox } = this.#host;
    const { workflow, version = null } = request;
    const graph = definitions.cached(workflow, version) ?? (await definitions.mustFind(workflow, version));
    const { input, trigger } = inputAndTrigger({ ...request, dialect: graph.policy.dialect });
    const runId = newRunId();
    const at = clock.now();
    const { organization, startAt, tags, trace = false } = request;
    const start = runStart(graph, at, {
      runId,
      input,
      rootRunId: runId,
      parent: null,
      depth: 0,
      nodeBudget: graph.limits.nodesPerRunMax,
      descendantBudget: graph.limits.descendantsMax,
      keyRunId: runId,
      retryOf: null,
      tags: { ...tags },
      ...(trigger === undefined ? {} : { trigger }),
      ...(organization === undefined ? {} : { organization }),
      trace,
      ...(startAt === undefined ? {} : { startAt }),
    });
    await inbox.command(runId, { type: 'start', at, start }, key ? { ...key, runId, at } : undefined);
    return runId;
  }
}

interface Beginning {
  readonly delayMs: number | undefined;
  readonly startAt: number | undefined;
}

/** Null: at once. */
function beginningOf({ delayMs, startAt }: Beginning, { clock, limits }: StartHost): number | null {
  const now = clock.now();
  const at = startAt ?? now + (delayMs ?? 0);
  const isTime = Number.isSafeInteger(at) && at >= 0 && (delayMs ?? 0) >= 0 && at - now <= limits.timeoutMsMax;
  if (isTime && (delayMs === undefined || startAt === undefined)) return at > now ? at : null;
  throw new HeddleError(
    'OPTION_INVALID',
    'Expected delayMs or startAt to be whole milliseconds within the limit timeoutMsMax, and not both, but found others',
  );
}

/** What a run is started with, in which dialect. */
interface Start {
  readonly dialect: Dialect;
  readonly input: Json;
  /** Of a run that a trigger fired. */
  readonly trigger?: JsonObject | undefined;
}

/**
 * TR22: in the handle dialect `_trigger` also stands in the input, where that is an object; and a run that is started
 * with one in its input, by no trigger, is as deep as that says.
 */
export function inputAndTrigger({ dialect, input, trigger }: Start): Pick<Start, 'input' | 'trigger'> {
  if (dialect !== 'handle' || !isJsonObject(input)) return { input, trigger };
  if (trigger) return { input: { ...input, _trigger: trigger }, trigger };
  const claimed = input['_trigger'];
  return { input, trigger: isJsonObject(claimed) ? { ...claimed, depth: claimedDepth(input) } : undefined };
}
