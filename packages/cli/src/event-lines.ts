// Event lines: what happens in a run as plain lines, for logs and pipes. Of a node with many tokens the first ones are
// told one by one, the others in tenths.

import type { Failure, RunEvent } from 'heddle';
import { type Board, type BoardNode, type BoardRun, type BoardToken, describePrompt } from './board.ts';
import { count, duration, shortened } from './terminal.ts';

const tokensToldMax = 20;

export interface EventLine {
  /** What it is about: a node, a branch of it, or the run. */
  readonly subject: string;
  readonly text: string;
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Table<About> = { readonly [T in RunEvent['type']]?: (event: EventOf<T>, about: About) => string };

const told = ({ code, message }: Failure): string => `${code}: ${shortened(message, 200)}`;

const aboutRun: Table<BoardRun> = {
  'workflow.started': ({ version, runId }) => `started, version ${version}, run ${runId}`,
  'workflow.completed': ({ at }, { startedAt }) => `completed in ${duration(at - startedAt)}`,
  'workflow.failed': ({ error }) => `failed: ${told(error)}`,
  'workflow.timed_out': ({ error }) => `timed out: ${told(error)}`,
  'workflow.exhausted': ({ error }) => `exhausted: ${told(error)}`,
  'workflow.cancelled': ({ reason }) => `cancelled: ${shortened(reason, 200)}`,
  'workflow.suspended': () => 'suspended: only people or events from outside can wake it',
  'workflow.resumed': () => 'resumes',
  'workflow.paused': () => 'paused',
  'workflow.unpaused': () => 'resumes',
  'tasks.lost': ({ tokens }) =>
    `${count(tokens.length, 'step was', 'steps were')} interrupted; handed out again, same key`,
};

const aboutToken: Table<BoardToken> = {
  'task.dispatched': ({ attempt }) => (attempt > 1 ? `starts, attempt ${attempt}` : 'starts'),
  'step.completed': ({ step }) => `step "${shortened(step, 60)}" is done`,
  'task.completed': ({ at }, { since }) => `done in ${duration(at - since)}`,
  'task.attempt_failed': ({ attempt, at, retryAt, error }) =>
    `attempt ${attempt} failed, again in ${duration(retryAt - at)}: ${told(error)}`,
  'task.failed': ({ error }) => `failed: ${told(error)}`,
  'subworkflow.dispatched': ({ workflow, childRunId }) => `calls ${workflow}, run ${childRunId}`,
  'input.queued': (_, { note }) => note ?? '',
  'input.requested': (event) => shortened(describePrompt(event), 200),
  'input.resumed': ({ payload }) => `was answered: ${shortened(JSON.stringify(payload), 200)}`,
  'input.expired': () => 'was not answered in time',
  'event.awaited': (_, { note }) => shortened(note ?? '', 200),
  'event.received': ({ payload }) => `the event came: ${shortened(JSON.stringify(payload), 200)}`,
  'batch.completed': ({ slices }) => `done with ${count(slices, 'slice')}`,
  'handle.unmatched': ({ handle }) => `took the handle "${shortened(handle, 60)}", which leads nowhere`,
  'credits.requested': tellCredits,
  'subworkflow.timed_out': ({ childRunId, elapsedMs }) => `gave up on run ${childRunId} after ${duration(elapsedMs)}`,
};

/** What to say about an event that the board has just taken in; null for what is not worth a line. */
export function eventLine(board: Board, event: RunEvent): EventLine | null {
  const run = board.runs.get(event.runId);
  if (!run) return null;
  const text = tell(aboutRun, event, run);
  if (text !== null) return { subject: run.workflow, text };
  if (event.type === 'credits.requested' && event.token === undefined)
    return { subject: run.workflow, text: tellCredits(event) };
  if (event.type === 'fan_out.started') return { subject: event.node, text: tellFanOut(event) };
  if (event.type === 'fan_in.completed') {
    const why = event.timedOut ? ', for its time is up' : '';
    return { subject: event.join, text: `joins ${count(event.branches, 'branch', 'branches')}${why}` };
  }
  const token = 'token' in event && event.token !== undefined ? run.tokens.get(event.token) : undefined;
  return token ? tokenLine(run, token, event) : null;
}

function tellCredits({ amount }: EventOf<'credits.requested'>): string {
  return `asks for ${count(amount, 'credit')}`;
}

function tellFanOut({ total, batch, spawns }: EventOf<'fan_out.started'>): string {
  if (batch === undefined) return `fans out into ${count(total, 'branch', 'branches')}`;
  const items = spawns.reduce((sum, { items: own = [] }) => sum + own.length, 0);
  return `takes ${count(items, 'item')} in ${count(total, 'slice')}`;
}

function tokenLine(run: BoardRun, token: BoardToken, event: RunEvent): EventLine | null {
  const node = run.nodes.get(token.node);
  const isOneOfMany = node !== undefined && node.visits.size + node.expected > tokensToldMax;
  const text = isOneOfMany ? tellInTenths(node, event) : tellToken(token, event);
  return text === null ? null : { subject: isOneOfMany ? token.node : subjectOf(token), text };
}

export const subjectOf = ({ node, branch }: BoardToken): string => (branch === null ? node : `${node}[${branch}]`);

function tellToken(token: BoardToken, event: RunEvent): string | null {
  if (event.type === 'token.waiting' && event.for === 'timer') return `waits ${duration(event.until - event.at)}`;
  return tell(aboutToken, event, token);
}

/** A line whenever another tenth of the visits has completed. */
function tellInTenths({ visits, expected, done }: BoardNode, event: RunEvent): string | null {
  if (event.type === 'task.failed') return `failed: ${told(event.error)}`;
  if (event.type !== 'token.completed') return null;
  const total = visits.size + expected;
  const isTenth = done % Math.ceil(total / 10) === 0 || done === total;
  return isTenth ? `${done.toLocaleString('en')} of ${total.toLocaleString('en')} done` : null;
}

function tell<About>(table: Table<About>, event: RunEvent, about: About): string | null {
  // The table is typed by the union: what it has under a type takes an event of that type.
  const teller = table[event.type] as ((event: RunEvent, about: About) => string) | undefined;
  return teller ? teller(event, about) : null;
}
