// Engine: what an engine of this process offers besides what every `Heddle` does, and what it is made with. It stands on one
// store (`local-engine.ts`), or on several (`fleet/fleet.ts`).

import type { Sinks, TaskProgress } from '../actor/observers.ts';
import type { Clock } from '../actor/ports.ts';
import { Heddle } from '../api/heddle.ts';
import type { Problem } from '../base/problem.ts';
import type { Limits } from '../definition/limits.ts';
import type { Catalogue } from '../dialects/catalogue/entry.ts';
import type { NodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import type { NodeExecutors } from '../dialects/handle/nodes/node-executor.ts';
import type { Actions } from '../executor/action.ts';
import type { Crew } from '../executor/crew.ts';
import type { LoadAction, MissingActions, StandIn } from '../executor/registry.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import type { TraceOptions } from '../telemetry/trace-options.ts';
import type { HttpOptions } from './outgoing.ts';
import type { Owners } from './owners.ts';
import type { ShardPeers } from './peers.ts';
import type { Call } from './performer.ts';
import type { ServerRecords } from './server-records.ts';
import type { Webhooks } from './webhooks.ts';

export interface EngineOptions extends Sinks {
  readonly actions?: Actions;
  /** Actions in the form of the handle dialect, by node type. */
  readonly executors?: NodeExecutors;
  /** What nodes of dataflow and drawn graphs can be, for editors and for the check of graphs. */
  readonly nodeTypes?: NodeTypes;
  /** Asked for actions that are not among `actions`, when a node first needs one. */
  readonly loadAction?: LoadAction;
  /**
   * Tasks of actions that are not here wait for workers outside the process (`engine.tasks`), and do not fail;
   * `announced`: only of actions that a worker has announced.
   */
  readonly workers?: boolean | 'announced';
  /**
   * What becomes of tasks whose action nobody has: they wait until an engine, a worker or `loadAction` has it, or fail with
   * `ACTION_NOT_FOUND`. Default: `wait`.
   */
  readonly missingActions?: MissingActions;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** Where `http.request` and callbacks may connect to besides public addresses, and how. */
  readonly http?: HttpOptions;
  /** Where spans of runs that have ended are sent, as OpenTelemetry has them. */
  readonly traces?: TraceOptions;
  /** Keys of other stores (`Engine.snapshotKey`) whose snapshots `restore` believes like those of its own store. */
  readonly trustedSnapshotKeys?: readonly string[];
  /** For looking at a store that another process writes to: nothing is recovered, started or changed. */
  readonly readOnly?: boolean;
}

/** What tests put between an engine and the world; no option of users. */
export interface TestSeams {
  readonly standIn?: StandIn | undefined;
}

/** What an engine is given that is a shard of a fleet. */
export interface ShardSeams extends TestSeams {
  readonly peers?: ShardPeers;
  /** Actions and limits are one for all shards of a process. */
  readonly crew?: Pick<Crew, 'registry' | 'join'>;
  /** What is known of node types that are elsewhere. */
  readonly catalogue?: Catalogue;
  /** Ids without their shard: those of one process sort in the order of their making. */
  readonly newId?: () => string;
}

/** An operation whose request was checked by the table already. */
export type Perform = <Name extends OperationName>(
  name: Name,
  request: RequestOf<Name>,
  call?: Call,
) => Promise<AnswerOf<Name>>;

export abstract class Engine extends Heddle {
  /** An operation whose request was checked by the table already: for servers. */
  abstract readonly perform: Perform;
  /** Those it goes by. */
  abstract readonly limits: Limits;
  /** Where calls from outside come in, for triggers of type webhook. */
  abstract readonly webhooks: Pick<Webhooks, 'check' | 'receive'>;
  /** Whose something is: for servers. */
  abstract readonly owners: Owners;
  /** What a server keeps beside the runs. */
  abstract readonly serverRecords: ServerRecords;

  /** What is wrong with a definition; nothing is stored. */
  abstract override validate(definition: unknown): readonly Problem[];

  /** What this store seals snapshots with, for `trustedSnapshotKeys` of an engine on another store. Keep it secret. */
  abstract snapshotKey(): Promise<string>;

  /** The feed id of the newest event, to hear only what comes after it. */
  abstract newestEvent(): Promise<string>;

  /** Calls back when a task reports how far it is; what it answers with ends that. Not journaled, and not told again. */
  abstract watchProgress(listener: (progress: TaskProgress) => void): () => void;

  /** Refuses a secret that no prompt has: for servers, before they read an answer. */
  abstract checkPromptSecret(secret: string): Promise<void>;

  /** Writes a copy to another path, with its artifacts and its key, while everything goes on; it can be opened as a store. */
  abstract backup(path: string): Promise<void>;

  /** How many deliveries to callbacks are to be sent, or sent again; of each callback up to 100 are counted. */
  abstract pendingDeliveries(): Promise<number>;

  /** Spans that a collector has taken, and has refused for good, since the engine was opened; null without `traces`. */
  abstract get spanCounts(): { readonly exported: number; readonly dropped: number } | null;

  /** Whether nothing waits to be decided or stored; actions may be running. */
  abstract get isIdle(): boolean;

  /** When nothing waits to be decided or stored; actions may be running. */
  abstract whenIdle(): Promise<void>;
}
