// Execution record: a run in the words of the handle dialect, computed from its state. Rules HN20 to HN23.
//
// Always true: a field that the record has cleared is null, never absent.

import { copyJson } from '../../base/copy-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import type { RunState, Token } from '../../core/state.ts';
import { isTerminal, type RunStatus, statusOf } from '../../core/views/status.ts';
import type { Graph } from '../../definition/graph.ts';
import { wrongDialect } from '../dialect.ts';

export type ExecutionStatus = 'RUNNING' | 'WAITING' | 'SUCCESS' | 'FAILED';

export interface Execution {
  readonly status: ExecutionStatus;
  readonly workflowId: string;
  /** Of the event that started it. */
  readonly eventId: string | null;
  readonly triggerType: string;
  readonly triggerDepth: number;
  /** The node that executes, or waits. */
  readonly currentNodeId: string | null;
  readonly waitingAtNodeId: string | null;
  /** When the wait is over, in milliseconds since 1970. */
  readonly nextStepAt: number | null;
  /** What the executor calls the wait. */
  readonly waitLabel: string | null;
  /** In milliseconds since 1970. */
  readonly completeAt: number | null;
  /** The final context. */
  readonly output: Json;
  readonly error: string | null;
  readonly errorStack: string | null;
}

/** The tag under which a run keeps the id of the event that started it. */
export const eventTag = 'eventId';

/** As of now; a copy. */
export function viewExecution(state: RunState, { policy }: Graph): Execution {
  // HN25: only a run of a handle graph has an execution record.
  if (policy.dialect !== 'handle') throw wrongDialect(state, { expected: 'handle', found: policy.dialect });
  return copyJson(describeExecution(state));
}

export function describeExecution(state: RunState): Execution {
  const tokens = [...state.tokens.values()];
  const waiting = state.outcome === null ? (tokens.find(waitsAfterWork) ?? null) : null;
  return {
    status: executionStatus(statusOf(state), waiting !== null),
    workflowId: state.run?.workflow ?? '',
    ...triggerOf(state),
    currentNodeId: state.outcome === null ? (tokens.find(hasBegun)?.node ?? null) : null,
    waitingAtNodeId: waiting?.node ?? null,
    nextStepAt: waiting?.dueAt ?? null,
    waitLabel: waiting?.waitLabel ?? null,
    completeAt: state.endedAt,
    output: state.output ?? null,
    error: state.error?.message ?? null,
    errorStack: state.error === null ? null : listStack(state.error),
  };
}

/** HN20: four words: WAITING while a wait of a node holds the run, RUNNING until the end, then SUCCESS or FAILED. */
export function executionStatus(status: RunStatus, isHeldByWait: boolean): ExecutionStatus {
  if (!isTerminal(status)) return isHeldByWait ? 'WAITING' : 'RUNNING';
  return status === 'completed' ? 'SUCCESS' : 'FAILED';
}

// HN21: the current node is the one whose executor has been called and whose wait, if it asked for one, is not over.
const hasBegun = ({ input }: Token): boolean => input !== undefined;

const waitsAfterWork = ({ status, result }: Token): boolean => status === 'waiting_for_timer' && result !== undefined;

/** HN22: type and depth of the trigger are those that the engine keeps of what started the run; else MANUAL_TRIGGER and 0. */
function triggerOf({ run }: RunState): Pick<Execution, 'eventId' | 'triggerType' | 'triggerDepth'> {
  const { type, depth, eventId } = run?.trigger ?? {};
  return {
    eventId: textOf(eventId ?? run?.tags[eventTag]),
    triggerType: textOf(type) ?? 'MANUAL_TRIGGER',
    triggerDepth: typeof depth === 'number' ? depth : 0,
  };
}

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** HN23: the stack of what an executor threw; else where it failed. Earlier versions kept it in the details. */
function listStack({ code, message, nodeId, details, thrown }: Failure): string {
  const kept = textOf(thrown?.stack) ?? (isJsonObject(details) ? textOf(details['stack']) : null);
  if (kept !== null) return kept;
  return `${code}: ${message}${nodeId === undefined ? '' : `\n    at node ${JSON.stringify(nodeId)}`}`;
}
