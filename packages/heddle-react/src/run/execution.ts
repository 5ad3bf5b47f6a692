// Execution: all that a journal says about one token: what it was given, each attempt, its steps, what it asked, what it gave.

import type { EventType, Failure, Json, RunEvent } from 'heddle/journal';

export interface Execution {
  readonly input?: Json;
  readonly output?: Json;
  /** Why it failed at last, or was tried again. */
  readonly error?: Failure;
  readonly attempts: readonly Attempt[];
  /** Finished parts of its work, in their order. */
  readonly steps: readonly Step[];
  readonly prompt?: AskedPrompt;
  /** The event it waits for, by its name and key. */
  readonly awaits?: { readonly event: string; readonly correlation: string };
}

export interface Attempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: 'running' | 'completed' | 'failed' | 'lost' | 'cancelled' | 'timed out' | 'nobody has its action';
  readonly error?: Failure;
  /** When it is tried again. */
  readonly retryAt?: number;
}

export interface Step {
  readonly name: string;
  readonly attempt: number;
  readonly at: number;
  readonly result?: Json;
}

export interface AskedPrompt {
  readonly correlationId: string;
  readonly title: string | null;
  readonly askedAt: number;
  readonly answer?: Json;
  readonly isExpired: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Building = Mutable<Execution> & { attempts: Attempt[]; steps: Step[] };

/** Of the events up to the moment that is shown. */
export function executionOf(events: Iterable<RunEvent>, token: number): Execution {
  const execution: Building = { attempts: [], steps: [] };
  for (const event of events) {
    if (!isAbout(event, token)) continue;
    const follow = followers[event.type] as Follower<EventType> | undefined; // the one for its type
    follow?.(execution, event);
  }
  return execution;
}

function isAbout(event: RunEvent, token: number): boolean {
  if ('tokens' in event) return event.tokens.includes(token);
  return 'token' in event && event.token === token;
}

type Follower<Type extends EventType> = (execution: Building, event: Extract<RunEvent, { type: Type }>) => void;

/** What an event about the token adds to what is known of it. */
const followers: { readonly [Type in EventType]?: Follower<Type> } = {
  'task.dispatched': begin,
  'subworkflow.dispatched': begin,
  'step.completed': ({ steps }, { step: name, attempt, at, result }) =>
    void steps.push({ name, attempt, at, ...(result === undefined ? {} : { result }) }),
  'task.completed': (execution, { at, output }) => {
    execution.output = output;
    end(execution, at, { outcome: 'completed' });
  },
  'subworkflow.completed': (execution, { at, output, error }) => {
    if (output !== undefined) execution.output = output;
    if (error) execution.error = error;
    end(execution, at, error ? { outcome: 'failed', error } : { outcome: 'completed' });
  },
  'task.attempt_failed': (execution, { at, error, retryAt }) => {
    execution.error = error;
    end(execution, at, { outcome: 'failed', error, retryAt });
  },
  'task.failed': (execution, { at, error }) => {
    execution.error = error;
    end(execution, at, { outcome: 'failed', error });
  },
  'tasks.lost': (execution, { at }) => end(execution, at, { outcome: 'lost' }),
  'tokens.cancelled': (execution, { at }) => end(execution, at, { outcome: 'cancelled' }),
  'tokens.timed_out': (execution, { at }) => end(execution, at, { outcome: 'timed out' }),
  'subworkflow.timed_out': (execution, { at }) => end(execution, at, { outcome: 'timed out' }),
  'token.waiting': (execution, event) => {
    if (event.for === 'action') end(execution, event.at, { outcome: 'nobody has its action' });
  },
  'batch.completed': (execution, { output }) => {
    if (output !== undefined) execution.output = output;
  },
  'input.requested': (execution, { correlationId, title = null, at: askedAt }) => {
    execution.prompt = { correlationId, title, askedAt, isExpired: false };
  },
  'input.resumed': (execution, { payload }) => {
    execution.output = payload;
    if (execution.prompt) execution.prompt = { ...execution.prompt, answer: payload };
  },
  'input.expired': (execution) => {
    if (execution.prompt) execution.prompt = { ...execution.prompt, isExpired: true };
  },
  'event.awaited': (execution, { event, correlation }) => {
    execution.awaits = { event, correlation };
  },
  'event.received': (execution, { payload }) => {
    execution.output = payload;
  },
};

function begin(
  execution: Building,
  { input, attempt, at }: Extract<RunEvent, { type: 'task.dispatched' | 'subworkflow.dispatched' }>,
): void {
  if (input !== undefined) execution.input = input;
  execution.attempts.push({ attempt, startedAt: at, endedAt: null, outcome: 'running' });
}

function end({ attempts }: Building, at: number, how: Partial<Attempt>): void {
  const last = attempts.at(-1);
  if (last?.endedAt === null) attempts[attempts.length - 1] = { ...last, endedAt: at, ...how };
}
