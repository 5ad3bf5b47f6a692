// Shard plan: what the thread of a shard is told before it begins: the options of the engine that are data, and the facts of
// what stays in the main thread. Rule SH15.

import type { Committed } from '../../actor/observers.ts';
import { given } from '../../base/given.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { Catalogue } from '../../dialects/catalogue/entry.ts';
import { catalogueOf } from '../../dialects/dataflow/nodes/node-type.ts';
import type { EngineOptions } from '../../engine/engine.ts';
import type { HttpOptions } from '../../engine/outgoing.ts';
import type { TraceOptions } from '../../telemetry/trace-options.ts';
import type { ActionFact } from './action-facts.ts';

/** What users are told as it happens, where they asked for it. */
export const sinkNames = ['onEvent', 'onCommit', 'onTrace', 'onProgress'] as const;
export type SinkName = (typeof sinkNames)[number];

export interface ShardPlan {
  readonly shard: number;
  readonly shards: number;
  /** One for all. */
  readonly secretKey: Uint8Array;
  readonly options: Pick<EngineOptions, 'limits' | 'workers' | 'missingActions' | 'trustedSnapshotKeys'> & {
    readonly http: Omit<HttpOptions, 'transport'>;
    readonly traces?: Omit<TraceOptions, 'fetch'>;
  };
  readonly sinks: readonly SinkName[];
  readonly facts: readonly ActionFact[];
  /** Whether there may be more actions than those of `facts`. */
  readonly isLoading: boolean;
  readonly catalogue: Catalogue;
}

/** As it crosses: what a token does is looked up before. */
export type CrossingCommit = Omit<Committed, 'actionOf'> & { readonly actions: ReadonlyMap<number, string | null> };

export function planOptions(options: EngineOptions): ShardPlan['options'] {
  const {
    limits,
    workers,
    missingActions,
    trustedSnapshotKeys,
    http: { transport: _, ...http } = {},
    traces,
  } = options;
  const { fetch: _fetch, ...told } = traces ?? {};
  return {
    ...given({ limits, workers, missingActions, trustedSnapshotKeys }),
    http,
    ...(traces ? { traces: { ...told, endpoint: traces.endpoint } } : {}),
  };
}

/** SH15: what a shard calls while it plans, and where it sends, is in its own thread: code of users cannot be. */
export function refuseCode({ clock, http, traces, nodeTypes = {} }: EngineOptions): void {
  const compiled = Object.entries(catalogueOf(nodeTypes)).find(([, { compile }]) => compile !== undefined);
  const found =
    (clock && 'a clock') ||
    (http?.transport && 'http.transport') ||
    (traces?.fetch && 'traces.fetch') ||
    (compiled && `node type "${compiled[0]}", which compiles`);
  if (found === undefined) return;
  throw new HeddleError(
    'OPTION_INVALID',
    `Expected options that the threads of shards can have, but found ${found}, which is code of this thread; leave out threads: true`,
  );
}
