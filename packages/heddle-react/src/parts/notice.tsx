// Notices: what went wrong, what is missing, what to do next.

import { HeddleError, type Problem } from 'heddle/wire';
import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import type { Look } from './status-mark.tsx';

export interface NoticeProps {
  readonly look?: Look;
  readonly title: string;
  readonly children?: ReactNode;
}

export function Notice({ look = 'failed', title, children }: NoticeProps): ReactElement {
  return (
    <div className="hd-notice" data-look={look} role={look === 'failed' ? 'alert' : 'status'}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export interface ErrorNoticeProps {
  readonly error: unknown;
  /** Asks again what failed. */
  readonly onRetry?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** An error as the API says it: message, what to do, and its code. */
export function ErrorNotice({ error, onRetry, children }: ErrorNoticeProps): ReactElement {
  const { message, code, hint } = toldError(error);
  return (
    <Notice title={message}>
      {hint === undefined ? null : <span>{hint}</span>}
      {code === undefined ? null : <code>{code}</code>}
      {onRetry === undefined ? null : (
        <span>
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        </span>
      )}
      {children}
    </Notice>
  );
}

interface Told {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
}

export function toldError(error: unknown): Told {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, hint } = error as Error & Partial<Told>; // a HeddleError has them
  return { message, ...(code === undefined ? {} : { code }), ...(hint === undefined ? {} : { hint }) };
}

/** What is wrong with what was handed in, place by place. */
export function toldProblems(error: unknown): readonly Problem[] {
  return error instanceof HeddleError ? error.problems : [];
}

/** Nothing is there: says what it would be and what to do next. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactElement {
  return (
    <div className="hd-empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Keeps the place of what is being loaded; invisible for the first 200 ms. */
export function Skeleton({
  lines = 3,
  label = 'Loading',
}: {
  readonly lines?: number;
  readonly label?: string;
}): ReactElement {
  return (
    <div role="status" aria-label={label} style={{ display: 'grid', gap: 8 }}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="hd-skeleton" style={{ width: `${90 - (line % 3) * 15}%` }} />
      ))}
    </div>
  );
}
