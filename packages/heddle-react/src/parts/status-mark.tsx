// StatusMark: how a run, a node or a token stands: a shape and a word, never a colour alone.

import type { RunStatus } from 'heddle';
import type { ReactElement } from 'react';

/** The few ways in which things look: every status of the API is one of them. */
export type Look = 'done' | 'active' | 'waiting' | 'failed' | 'cancelled' | 'paused' | 'idle';

const looks: Readonly<Record<RunStatus, Look>> = {
  submitted: 'waiting',
  running: 'active',
  waiting: 'waiting',
  suspended: 'waiting',
  paused: 'paused',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  timed_out: 'failed',
  exhausted: 'failed',
};

export const lookOf = (status: RunStatus): Look => looks[status];

const shapes: Readonly<Record<Look, ReactElement>> = {
  done: <path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" strokeWidth="2" />,
  active: <path d="M4.5 3v10l8-5z" fill="currentColor" />,
  waiting: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" />
      <path d="M8 4.5V8l2.5 1.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  failed: <path d="M3.5 3.5l9 9m0-9l-9 9" fill="none" stroke="currentColor" strokeWidth="2.5" />,
  cancelled: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" />
      <path d="M4 12l8-8" fill="none" stroke="currentColor" strokeWidth="2" />
    </>
  ),
  paused: <path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor" />,
  idle: <circle cx="8" cy="8" r="3" fill="none" stroke="currentColor" strokeWidth="1.5" />,
};

/** The shape alone: for places where the word stands beside it. */
export function StatusShape({ look }: { readonly look: Look }): ReactElement {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {shapes[look]}
    </svg>
  );
}

export function StatusMark({ look, word }: { readonly look: Look; readonly word: string }): ReactElement {
  return (
    <span className="hd-status" data-look={look}>
      <StatusShape look={look} />
      {word}
    </span>
  );
}

/** Of a run, in the word of the API. */
export function RunStatusMark({ status }: { readonly status: RunStatus }): ReactElement {
  return <StatusMark look={lookOf(status)} word={status.replace('_', ' ')} />;
}
