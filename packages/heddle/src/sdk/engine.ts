// Engine: the public API. Small on purpose: register definitions, start runs, get handles on them, look, close.

import { Definitions, type Registered } from '../actor/definitions.ts';
import { Observers, type Sinks } from '../actor/observers.ts';
import type { Clock, KeyRow, RunQuery, Store } from '../actor/ports.ts';
import { readOnlyError } from '../actor/refusals.ts';
import { runStart } from '../actor/run-start.ts';
import { Runner } from '../actor/runner.ts';
import { toJson } from '../base/check-json.ts';
import { copyJson } from '../base/copy-json.ts';
import { shortHash } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { RunStart } from '../core/events.ts';
import { refuseInput } from '../core/planning/lifecycle.ts';
import { runStatuses } from '../core/views/status.ts';
import type { Definition } from '../definition/definition.ts';
import type { Graph } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { parseDefinition } from '../definition/parse.ts';
import type { Actions } from '../executor/action.ts';
import { createExecutor, type LocalExecutor } from '../executor/executor.ts';
import type { LoadAction } from '../executor/registry.ts';
import { type Audit, auditStore } from './audit.ts';
import { checkedLimits, refuseChoice, refuseStore, refuseTexts, refuseUnknown } from './check-options.ts';
import type { Host } from './host.ts';
import { Introspection } from './introspection.ts';
import { Run, type RunSummary, summaryOf } from './run.ts';
import { runIdMaker } from './run-id.ts';
import { systemClock } from './system-clock.ts';

export interface EngineOptions extends Sinks {
  readonly actions?: Actions;
  /** Asked for actions that are not among `actions`, when a node first needs one. */
  readonly loadAction?: LoadAction;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** For looking at a store that another process writes to: nothing is recovered, started or changed. */
  readonly readOnly?: boolean;
}

export interface StartOptions {
  /** The latest if absent. */
  readonly version?: number;
  /** Starting again with the same key gives the same run. */
  readonly idempotencyKey?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Send trace events of this run to `onTrace`. */
  readonly trace?: boolean;
}

/** Opens an engine on a store. */
export async function openEngine(store: Store, options: EngineOptions = {}): Promise<Engine> {
  refuseStore(store);
  const engine = new Engine(store, options);
  try {
    if (!options.readOnly) await engine.recover();
  } catch (error) {
    // RV3: nothing is left at work, and the store is free.
    await engine.close({ graceMs: 0 });
    throw error;
  }
  return engine;
}

export class Engine {
  readonly #host: Host;
  readonly #starting = new Map<string, Promise<Run>>();
  #closing: Promise<void> | null = null;
  /** Read-only looks at runs and at what would happen to them. */
  readonly introspection: Introspection;

  constructor(store: Store, options: EngineOptions) {
    refuseUnknown('createEngine', options, engineOptions);
    const limits = checkedLimits(options.limits);
    const clock = options.clock ?? systemClock();
    const definitions = new Definitions(store, limits);
    const observers = new Observers(options);
    const { actions = {}, loadAction } = options;
    const executors: LocalExecutor[] = [];
    const runner = new Runner({
      store,
      clock,
      definitions,
      limits,
      observers,
      readOnly: options.readOnly ?? false,
      makeExecutor: (report) => {
        const executor = createExecutor({ clock, limits, actions, loadAction, report });
        executors.push(executor);
        return executor;
      },
    });
    const isExecuting = (runId: string, tokenId: number) => executors.some((e) => e.isExecuting(runId, tokenId));
    this.#host = {
      store,
      clock,
      limits,
      definitions,
      observers,
      runner,
      newRunId: runIdMaker(() => clock.now()),
      isExecuting,
      readOnly: options.readOnly ?? false,
    };
    this.introspection = new Introspection(this.#host);
  }

  /** Goes on with what an earlier process left. */
  recover(): Promise<void> {
    return this.#host.runner.start();
  }

  /** Stores a definition as a new version, unless it has errors or is known already. */
  register(definition: Definition): Promise<Registered>;
  register(definition: unknown): Promise<Registered>;
  async register(definition: unknown): Promise<Registered> {
    if (this.#host.readOnly) throw readOnlyError();
    return this.#host.definitions.register(definition, this.#host.clock.now());
  }

  /** What is wrong with a definition; nothing is stored. */
  validate(definition: unknown): readonly Problem[] {
    return parseDefinition(definition, { limits: this.#host.limits }).problems;
  }

  /** Starts a run; it is durable when this returns. */
  async start(workflow: string, input: unknown = {}, options: StartOptions = {}): Promise<Run> {
    const json = this.#jsonOf(input);
    refuseUnknown('start', options, startOptions);
    refuseTexts(textsOf(workflow, options));
    const { idempotencyKey } = options;
    if (idempotencyKey === undefined) return this.#startNew(workflow, json, options, null);
    // KY1: whoever starts with a key that is being used waits for that start.
    for (let other = this.#starting.get(idempotencyKey); other; other = this.#starting.get(idempotencyKey)) {
      await other.catch(() => undefined); // whoever began it is told
    }
    const starting = this.#startOnce(workflow, json, options, idempotencyKey).finally(() => {
      this.#starting.delete(idempotencyKey);
    });
    this.#starting.set(idempotencyKey, starting);
    return starting;
  }

  // KY3: input is JSON within the limits, or nothing starts.
  #jsonOf(input: unknown): Json {
    const { payloadBytesMax, jsonDepthMax } = this.#host.limits;
    const checked = toJson(input, { bytesMax: payloadBytesMax, depthMax: jsonDepthMax, limitName: 'payloadBytesMax' });
    if (checked.ok) return copyJson(checked.value); // whoever started may change theirs
    const limit =
      checked.code === 'TOO_LARGE' ? 'payloadBytesMax' : checked.code === 'TOO_DEEP' ? 'jsonDepthMax' : undefined;
    const code = limit === undefined ? 'INPUT_INVALID' : 'LIMIT_EXCEEDED';
    throw new HeddleError(code, `In the input: ${checked.message}`, {
      pointer: checked.pointer,
      ...(limit ? { limit } : {}),
    });
  }

  /** KY2: the same key with the same request gives the same run; with another request it is refused. */
  async #startOnce(workflow: string, input: Json, options: StartOptions, key: string): Promise<Run> {
    const fingerprint = shortHash(stableStringify({ workflow, version: options.version ?? null, input }));
    const known = await this.#host.store.findKey('start', key);
    if (!known) return this.#startNew(workflow, input, options, { scope: 'start', key, fingerprint });
    if (known.fingerprint === fingerprint) return new Run(this.#host, known.runId);
    const message = `Expected the request that idempotency key ${key} was first used with, but workflow, version or input differ`;
    throw new HeddleError('IDEMPOTENCY_KEY_REUSED', message, { details: { runId: known.runId } });
  }

  async #startNew(
    workflow: string,
    input: Json,
    options: StartOptions,
    key: Pick<KeyRow, 'scope' | 'key' | 'fingerprint'> | null,
  ): Promise<Run> {
    const { definitions, newRunId, clock, runner } = this.#host;
    const version = options.version ?? null;
    const graph = definitions.cached(workflow, version) ?? (await definitions.mustFind(workflow, version));
    const refusal = refuseInput(graph, input);
    if (refusal)
      throw new HeddleError(
        refusal.code,
        refusal.message,
        refusal.details === undefined ? {} : { details: refusal.details },
      );
    const runId = newRunId();
    const at = clock.now();
    const command = { type: 'start', at, start: startOf(graph, runId, input, options, at) } as const;
    await runner.submit(runId, { type: 'command', command, ...(key ? { key: { ...key, runId, at } } : {}) });
    return new Run(this.#host, runId);
  }

  /** A handle on a run, whether it is there or not: asking it for anything tells. */
  run(runId: string): Run {
    return new Run(this.#host, runId);
  }

  /** Newest first, a page at a time; `after` is the last run id of the page before. */
  async runs(query: Partial<RunQuery> = {}): Promise<readonly RunSummary[]> {
    refuseUnknown('runs', query, ['limit', 'after', 'workflow', 'status', 'parentRunId', 'tags']);
    refuseChoice('status', query.status, runStatuses);
    const rows = await this.#host.store.listRuns({ ...query, limit: query.limit ?? 50 });
    return rows.map(summaryOf);
  }

  async definitions(): Promise<
    readonly { readonly id: string; readonly version: number; readonly hash: string; readonly createdAt: number }[]
  > {
    const rows = await this.#host.store.listDefinitions();
    return rows.map(({ id, version, hash, createdAt }) => ({ id, version, hash, createdAt }));
  }

  /** Replays every run's journal and compares: nothing missing, nothing changed, the state that is stored. */
  audit(): Promise<Audit> {
    return auditStore(this.#host.store);
  }

  /** Whether nothing waits to be decided or stored; actions may be under way. */
  get isIdle(): boolean {
    return this.#host.runner.isIdle;
  }

  /** When nothing waits to be decided or stored; actions may be under way. */
  whenIdle(): Promise<void> {
    return this.#host.runner.whenIdle();
  }

  /** Lets actions that are under way finish for `graceMs`, then aborts them; the next engine hands them out again. */
  close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#host.runner.close(graceMs);
    return this.#closing;
  }
}

const engineOptions = ['actions', 'loadAction', 'limits', 'clock', 'readOnly', 'onEvent', 'onTrace', 'onError'];
const startOptions = ['version', 'idempotencyKey', 'tags', 'trace'];

function* textsOf(workflow: unknown, { tags = {}, idempotencyKey }: StartOptions): Iterable<[string, unknown]> {
  yield ['the workflow', workflow];
  if (idempotencyKey !== undefined) yield ['idempotencyKey', idempotencyKey];
  for (const [key, value] of Object.entries(tags)) yield [`tag ${key}`, value];
}

function startOf(graph: Graph, runId: string, input: Json, options: StartOptions, at: number): RunStart {
  return runStart(graph, at, {
    runId,
    input,
    rootRunId: runId,
    parent: null,
    depth: 0,
    nodeBudget: graph.limits.nodesPerRunMax,
    descendantBudget: graph.limits.descendantsMax,
    keyRunId: runId,
    retryOf: null,
    tags: { ...options.tags },
    trace: options.trace ?? false,
  });
}
