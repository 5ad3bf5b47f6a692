// Action: what users write. A function, or an object with the function and what the executor should know about it.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import type { Published, PublishOptions } from '../actor/publication.ts';
import type { JsonObject } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { JsonSchema, RetryDefinition } from '../definition/definition.ts';
import type { Rate } from './rate-window.ts';

/** What an action is given. */
export interface ActionContext<Input = JsonObject> {
  /** A copy of its own: what the node's input mapping made, or what the input schema made of that. */
  readonly input: Input;
  /** Aborted when the result is no longer wanted: timeout, cancel, shutdown. */
  readonly signal: AbortSignal;
  /** 1 for the first. */
  readonly attempt: number;
  /** The same for all attempts of the task, also after a crash: hand it to whatever must not happen twice. */
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly tokenId: number;
  readonly workflow: string;
  /**
   * Publishes an event: runs that wait for it continue, triggers that listen for it fire. It happens each time that the
   * action is tried, unless the event has an id (such as one made from `idempotencyKey`).
   */
  readonly publish: Publish;
  /** Tells how far it is, to whoever watches: a fraction from 0 to 1, a message, details. Nothing of it is kept. */
  readonly progress: TellProgress;
  /** Bytes, which are too large or no JSON: put here, a reference to them is returned instead. */
  readonly artifacts: ActionArtifacts;
  /** Parts of the work that are not done again after a crash or a failed attempt. */
  readonly step: ActionStep;
  /** Values that may be sent, to the hosts that they are bound to, and never come back in what the action returns. */
  readonly secrets: ActionSecrets;
}

export interface ActionStep {
  /**
   * Does a part of the work once. Its result is durable before it is returned, as JSON; a later attempt of the task, or
   * the next hand-out after a crash, gets the same result, and `work` is not called. What `work` throws is not remembered.
   */
  run<Result>(name: string, work: (part: StepPart) => Result | Promise<Result>): Promise<Result>;
}

export interface StepPart {
  /** One for all attempts of the step: a crash before its result is durable makes it run again. */
  readonly idempotencyKey: string;
}

export type Publish = (name: string, payload?: unknown, options?: PublishOptions) => Promise<Published>;

/** At most 500 characters and 4 kB of details, or it throws. */
export type TellProgress = (fraction?: number, message?: string, details?: unknown) => void;

export interface ActionSecrets {
  /** Refused for a host that the secret is not bound to. */
  get(name: string, options: { readonly host: string }): Promise<string>;
}

export interface ActionArtifacts {
  /** Durable, as an artifact of this run, when it answers. Putting the same again changes nothing. */
  put(data: ArtifactData, mimeType: string): Promise<ObjectReference>;
  /** Of this run, of the runs above whose artifacts it inherits, or of those that were put for every run. */
  get(reference: ObjectReference): Promise<Artifact>;
  /** Those of this run, then those that it inherits. */
  list(): Promise<readonly ObjectReference[]>;
}

/** Any Standard Schema v1 library's value, or plain JSON Schema. */
export type Schema = StandardSchemaV1 | JsonSchema;

/** As definitions of actions elsewhere write it. */
export interface ExecutionPolicy {
  readonly retry?: RetryDefinition;
  readonly retryPolicy?: RetryDefinition;
  readonly retry_policy?: RetryDefinition | RetryPolicySpelling;
  readonly timeoutMs?: number;
  readonly timeout_ms?: number;
}

/** A retry policy with its words written with underscores. */
export interface RetryPolicySpelling {
  readonly max_attempts: number;
  readonly backoff?: RetryDefinition['backoff'];
  readonly initial_delay_ms?: number;
  readonly max_delay_ms?: number;
  readonly jitter?: number;
  readonly retryable_errors?: readonly string[];
}

export interface ActionSettings {
  /** For actions that are given as a list; in `{ [name]: action }` the key counts. */
  readonly name?: string;
  readonly input?: Schema;
  readonly output?: Schema;
  /** For nodes that have none. */
  readonly timeoutMs?: number;
  /** For nodes that have none. */
  readonly retry?: RetryDefinition;
  /** The same under other names: `retry_policy` is `retry`, `timeout_ms` is `timeoutMs`. */
  readonly execution?: ExecutionPolicy;
  /** How many may be running at one time in this process; at most the engine's `concurrencyPerAction`. */
  readonly concurrency?: number;
  /** At most `limit` starts in any `perMs` milliseconds, in this process. */
  readonly rate?: Rate;
  /** What one execution costs, in whole credits, for nodes that do not say. */
  readonly cost?: number;
  readonly version?: number;
}

export interface ActionObject extends ActionSettings {
  /** A method, so that it may take a narrower input than any JSON object. */
  run(context: ActionContext): unknown;
}

export type ActionFunction = ActionObject['run'];

export type Action = ActionFunction | ActionObject;

export type Actions = Readonly<Record<string, Action>> | readonly ActionObject[];

/** What an action with this input schema receives; without a schema that says, what its author names. */
export type InputOf<S extends Schema, Named = JsonObject> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : Named;

/** What an action with this output schema returns. */
export type ResultOf<S extends Schema> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : unknown;

export interface TypedAction<
  Input = JsonObject,
  InputSchema extends Schema = Schema,
  OutputSchema extends Schema = Schema,
  Returned = unknown,
> extends ActionSettings {
  readonly input?: InputSchema;
  readonly output?: OutputSchema;
  readonly run: (context: ActionContext<InputOf<InputSchema, Input>>) => Returned;
}

declare const types: unique symbol;

/** An action whose types the builder knows: what an input mapping makes for it, and what an output mapping reads. */
export interface DefinedAction<Given = unknown, Result = unknown> extends ActionObject {
  /** For the compiler alone; there is no such member. */
  readonly [types]: { readonly given: Given; readonly result: Result };
}

/**
 * An action whose input and result have the types of its schemas. Without a schema its author may name the type of the
 * input: `defineAction<{ paper: string }>({ run })`, or `run: ({ input }: ActionContext<{ paper: string }>) => …`.
 */
// One signature for functions and objects: with overloads, the compiler names none of the fields that are wrong.
export function defineAction<
  Input = JsonObject,
  InputSchema extends Schema = JsonSchema,
  OutputSchema extends Schema = JsonSchema,
  Returned extends ResultOf<OutputSchema> | Promise<ResultOf<OutputSchema>> =
    | ResultOf<OutputSchema>
    | Promise<ResultOf<OutputSchema>>,
>(
  action: TypedAction<Input, InputSchema, OutputSchema, Returned> | ((context: ActionContext<Input>) => Returned),
): DefinedAction<GivenTo<InputSchema, Input>, SeenOf<OutputSchema, Returned>>;
export function defineAction(action: Action): ActionObject {
  return typeof action === 'function' ? { run: action } : action;
}

/** What an input mapping makes for an action with this input schema. */
type GivenTo<S extends Schema, Named> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : Named;

/** What an output mapping sees of an action with this output schema. */
type SeenOf<S extends Schema, Returned> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : Awaited<Returned>;
