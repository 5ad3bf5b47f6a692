// Wait: one thing that a run waits for, of which kind it is, and what must be known to say so.

import type { Graph } from '../../definition/graph.ts';
import type { GroupId, TokenId } from '../events.ts';
import type { RunState, Token } from '../state.ts';

export const waitKinds = [
  'paused',
  'worker',
  'task',
  'prompt',
  'event',
  'credits',
  'retry',
  'timer',
  'subrun',
  'turn',
  'join',
] as const;

/** The most telling first: what somebody must do something about, then what is running, then what comes by itself. */
export type WaitKind = (typeof waitKinds)[number];

export interface Wait {
  /** Of this entry, as long as it lasts. */
  readonly id: string;
  readonly kind: WaitKind;
  /** Null: the run itself waits. */
  readonly node: string | null;
  readonly token: TokenId | null;
  /** Null where the state does not say. */
  readonly since: number | null;
  /** When it is over by itself, or given up. */
  readonly until: number | null;
  /** For people: what the run does, as `waits for the event "paid"`. */
  readonly text: string;
  /** Of a task: its action, and the number of its attempt. */
  readonly action?: string;
  readonly attempt?: number;
  /** Of a prompt, and what it says. */
  readonly correlationId?: string;
  readonly title?: string;
  readonly event?: { readonly name: string; readonly correlation: string };
  readonly childRunId?: string;
  readonly join?: JoinWait;
}

/** What only an engine knows of a run's tasks. */
export interface TaskKnowledge {
  /** Its action has been called here, or a worker has it. */
  isExecuting(token: TokenId): boolean;
  /** Who does an action. */
  standingOf(action: string): ActionStanding;
  /** When a token began to stand as it does; null if that is not known. */
  sinceOf(token: TokenId): number | null;
}

export interface ActionStanding {
  /** It is done in the engine's process, not by workers. */
  readonly isLocal: boolean;
  /** When a worker last asked for it. */
  readonly lastAskedAt: number | null;
}

export interface WaitingRun {
  readonly state: RunState;
  readonly graph: Graph;
  readonly tasks: TaskKnowledge;
}

/** What a run is doing, in one line. */
export interface Activity extends Pick<Wait, 'kind' | 'text' | 'node' | 'until'> {}

export interface JoinWait {
  readonly over: 'siblings' | 'slices' | 'edges';
  /** Of siblings and slices. */
  readonly group?: string;
  readonly instance?: GroupId;
  /** How many must come. */
  readonly required: number | 'all';
  readonly total: number;
  readonly arrived: number;
  readonly stillPossible: number;
  /** Those that will not come: they have ended elsewhere, or cannot be taken any more. */
  readonly gone: number;
  /** The first of those that may still come. */
  readonly missing: readonly Missing[];
}

/** A branch or an edge that may still come. */
export interface Missing {
  /** The branch, by its index. */
  readonly branch?: number;
  /** The edge, by its transition. */
  readonly edge?: string;
  /** Where it is: a token of it that lives; absent if there is none yet. */
  readonly token?: TokenId;
  readonly node?: string;
  readonly text: string;
}

/** VW20: what a token waits for by its status; of a task that is handed out, who has it. */
export function kindOf({ graph, tasks }: WaitingRun, { id, node, status, asked }: Token): WaitKind {
  switch (status) {
    case 'dispatched': {
      if (tasks.isExecuting(id)) return 'task';
      const action = actionAt(graph, node);
      return action === undefined || tasks.standingOf(action).isLocal ? 'turn' : 'worker';
    }
    case 'waiting_for_action':
      return 'worker';
    case 'waiting_for_input':
      return asked ? 'prompt' : 'turn';
    case 'ready':
      return 'turn';
    case 'retrying':
      return 'retry';
    case 'waiting_for_timer':
      return 'timer';
    case 'waiting_for_event':
      return 'event';
    case 'waiting_for_credits':
      return 'credits';
    case 'waiting_for_subworkflow':
      return 'subrun';
    case 'waiting_for_siblings':
    case 'waiting_for_edges':
    case 'waiting_for_batch':
      return 'join';
  }
}

export function actionAt({ nodes }: Graph, node: string): string | undefined {
  const work = nodes.get(node)?.work;
  return work?.type === 'action' ? work.name : undefined;
}
