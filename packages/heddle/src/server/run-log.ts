// Run log: what happens to runs and requests, as lines of the log. Rules LG….
//
// Always true: of a failure its code is logged, not its message, which may quote what a run was given; of a request its
// operation, not its address, which may have a secret in it.

import type { Committed, ErrorContext } from '../actor/observers.ts';
import { InvariantError } from '../base/assert.ts';
import type { Failure } from '../base/failure.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { JsonObject } from '../base/json.ts';
import type { Event } from '../core/events.ts';
import type { Answered } from '../http/answer-watch.ts';
import { isStoreCode } from '../http/problem-document.ts';
import type { Level, Log } from './log.ts';

interface Line {
  readonly level: Level;
  readonly message: string;
  readonly tokenId?: number;
  readonly node?: string | undefined;
  readonly code?: string;
  readonly status?: string;
  readonly attempt?: number;
  readonly triggerId?: string;
}

/** LG1: every line about a run has its id, its workflow and its tenant, and where there are any, token and node. */
export function logCommit(log: Log, tenant: string, { row, events }: Committed): void {
  const { runId, workflow } = row;
  for (const event of events) {
    for (const { level, message, ...more } of linesOf(event)) log(level, { message, tenant, runId, workflow, ...more });
  }
}

/** LG2: what goes well is told at `debug`; what fails, and workers that are lost, at `warn`. */
function linesOf(event: Event): readonly Line[] {
  const { type } = event;
  if (type === 'workflow.started') return [{ level: 'debug', message: 'A run started', ...triggerOf(event.trigger) }];
  if (type === 'workflow.completed' || type === 'workflow.cancelled')
    return [{ level: 'debug', message: 'A run ended', status: statusOf(type) }];
  if (type === 'workflow.failed' || type === 'workflow.timed_out' || type === 'workflow.exhausted')
    return [{ level: 'warn', message: 'A run ended', status: statusOf(type), ...failureOf(event.error) }];
  if (type === 'task.attempt_failed')
    return [{ ...ofToken('debug', 'An attempt failed', event), attempt: event.attempt, ...failureOf(event.error) }];
  if (type === 'task.failed') return [{ ...ofToken('warn', 'A node failed', event), ...failureOf(event.error) }];
  if (type === 'tasks.lost')
    return event.tokens.map((token) => ofToken('warn', 'A task was lost with its worker', { token }));
  return none;
}

const statusOf = (type: Event['type']): string => type.slice('workflow.'.length);

const none: readonly Line[] = [];

const ofToken = (level: Level, message: string, { token }: { readonly token: number }): Line => ({
  level,
  message,
  tokenId: token,
});

const failureOf = ({ code, nodeId }: Failure): Pick<Line, 'code' | 'node'> => ({ code, node: nodeId });

function triggerOf(trigger: JsonObject | undefined): Pick<Line, 'triggerId'> {
  const triggerId = trigger?.['triggerId'];
  return typeof triggerId === 'string' ? { triggerId } : {};
}

/** LG3: requests are told at `debug`; calls of webhooks that are refused at `warn`. */
export function logAnswer(log: Log, { operation, tenant, method, status, ms }: Answered): void {
  const isRefusedCall = status >= 400 && operation !== null && /webhook/i.test(operation);
  const message = isRefusedCall ? 'A call of a webhook was refused' : 'A request was answered';
  log(isRefusedCall ? 'warn' : 'debug', { message, tenant, operation, method, status, ms });
}

/**
 * LG4: of what went wrong outside of any run is told which kind of error it was, and its message where that is the engine's
 * own and quotes nobody: what a trigger was given, and what a runtime says of a text that it cannot read, is left out.
 */
export function logFault(log: Log, about: ErrorContext & { readonly tenant: string }, error: Error): void {
  const isOwn = error instanceof HeddleError || error instanceof InvariantError;
  const other = about.triggerId === undefined ? 'Something failed' : 'A trigger could not start a run';
  const message = isOwn && about.triggerId === undefined ? error.message : other;
  log('error', { message, ...about, ...kindOf(error) });
}

/** The same for a request: with where it happened, for whoever mends it. Of a store it is told which, and what is wrong with it (HT14). */
export function logFailedRequest(log: Log, method: string, error: unknown): void {
  if (error instanceof HeddleError && isStoreCode(error.code)) {
    log('error', { message: 'A request failed', method, ...kindOf(error), reason: error.message });
    return;
  }
  const stack = error instanceof Error ? error.stack?.split('\n') : undefined;
  const at = stack?.filter((line) => line.startsWith('    at ')).map((line) => line.trim());
  log('error', { message: 'A request failed', method, ...kindOf(error), at: at?.join('; ') });
}

function kindOf(error: unknown): { readonly error: string; readonly code?: string } {
  const name = error instanceof Error ? error.name : typeof error;
  return { error: name, ...(error instanceof HeddleError ? { code: error.code } : {}) };
}
