// Encoded state: what a snapshot of a run holds, as JSON.

import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { GroupId, PromptTexts, QueuedPrompt, RememberedStep, TokenId, Write } from '../events.ts';
import type { Branch, Group, ReceivedEvent, RunState, SpawnProgress, Token } from '../state.ts';

export interface EncodedState {
  readonly run: RunState['run'];
  readonly startedAt: number;
  readonly at: number;
  readonly outcome: RunState['outcome'];
  readonly endedAt: number | null;
  readonly output?: Json;
  readonly error: RunState['error'];
  readonly paused: boolean;
  readonly held: readonly JsonObject[];
  readonly lastToken: TokenId;
  readonly lastGroup: GroupId;
  readonly childNodesUsed: number;
  readonly descendantsUsed: number;
  readonly givenUp: readonly string[];
  readonly root: EncodedBranch;
  readonly groups: readonly EncodedGroup[];
  readonly tokens: readonly EncodedToken[];
  readonly ready: readonly TokenId[];
  readonly tasksStarted: number;
  readonly suspended: boolean;
  readonly result?: Json;
  readonly outputs?: Readonly<Record<string, Json>>;
  readonly errors?: Readonly<Record<string, string>>;
  readonly queue: readonly QueuedPrompt[];
  readonly received: readonly (readonly [string, ReceivedEvent])[];
  readonly credits: Readonly<RunState['credits']>;
}

type Scalars<T, K extends keyof T> = Pick<T, K>;

export const groupFields = [
  'id',
  'name',
  'token',
  'node',
  'total',
  'tolerateFailures',
  'maxFailures',
  'homeJoin',
  'iterations',
  'spawned',
  'arrived',
  'ended',
  'failed',
  'settled',
  'bypassed',
  'join',
  'required',
  'firstArrivalAt',
  'deadline',
  'joined',
  'detachedLive',
  'closed',
  'openGroups',
  'batch',
  'keepsLast',
] as const;

export interface EncodedGroup extends Scalars<Group, (typeof groupFields)[number]> {
  readonly parent: readonly [GroupId, number];
  readonly spawns: readonly SpawnProgress[];
  readonly branches: readonly EncodedBranch[];
  readonly last?: EncodedWrites;
}

/** A target alone: what was there is removed. */
export type EncodedWrites = readonly Write[];
type Common = 'id' | 'node' | 'via' | 'status' | 'attempt' | 'dispatch' | 'input' | 'dueAt' | 'since' | 'childRunId';
type BranchFields = 'index' | 'ended' | 'failed' | 'settled' | 'detached' | 'context' | 'raw';
type Lineage = 'iterations' | 'lastError';

export interface EncodedToken extends Scalars<Token, Common | Lineage> {
  readonly branch: readonly [GroupId, number];
  isArrival?: true;
  failure?: Failure;
  continues?: string;
  steps?: readonly RememberedStep[];
  /** What few tokens have: a wait for a person or an event, a result that is held, credits. */
  wait?: TokenWait;
}
type Waiting = 'childSuspended' | 'correlationId' | 'asked' | 'result' | 'paid';
export interface TokenWait extends Scalars<Token, Waiting> {
  readonly texts?: PromptTexts;
  /** Of a wait that an executor asked for. */
  readonly label?: string;
}
export interface EncodedBranch extends Scalars<Branch, BranchFields> {
  writes?: EncodedWrites;
  discarded?: true;
  error?: Failure;
  edges?: EncodedEdges;
}
export interface EncodedEdges {
  readonly taken: readonly (readonly [string, TokenId])[];
  readonly done: readonly string[];
  readonly finished: readonly number[];
}
