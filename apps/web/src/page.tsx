// Page: what every page is made of: its heading, what can be done, sections, and the three states of what is loaded.

import { EmptyState, ErrorNotice, Skeleton } from 'heddle-react';
import type { ReactElement, ReactNode } from 'react';

export interface PageProps {
  /** Also the title of the window. */
  readonly title: string;
  /** What stands before the title: where it belongs. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, above, actions, children }: PageProps): ReactElement {
  return (
    <div className="app-page">
      <div className="app-page-head">
        <div>
          {above === undefined ? null : <div className="app-page-above">{above}</div>}
          <h1>{title}</h1>
        </div>
        {actions === undefined ? null : <div className="app-page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, hint, actions, children }: SectionProps): ReactElement {
  return (
    <section className="app-section" aria-label={title}>
      <div className="app-page-head">
        <h2>{title}</h2>
        {actions === undefined ? null : <div className="app-page-actions">{actions}</div>}
      </div>
      {hint === undefined ? null : <p className="app-hint">{hint}</p>}
      {children}
    </section>
  );
}

/** What was asked for, as `useAnswer` tells it. */
export interface Asked<Answer> {
  readonly data: Answer | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

export interface LoadedProps<Answer> {
  readonly answer: Asked<Answer>;
  readonly lines?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** Loading, refused, or there. An answer that is out of date is shown all the same, with what went wrong above it. */
export function Loaded<Answer>({ answer, lines = 4, children }: LoadedProps<Answer>): ReactElement {
  const { data, error, refetch } = answer;
  if (data === undefined && error === null) return <Skeleton lines={lines} />;
  return (
    <>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : children(data)}
    </>
  );
}

interface ListLike<Item> {
  readonly items: readonly Item[];
}

export interface LoadedListProps<Item> {
  readonly answer: Asked<ListLike<Item>>;
  /** What is said where there is none, and what to do next. */
  readonly empty: { readonly title: string; readonly next?: ReactNode };
  readonly children: (items: readonly Item[]) => ReactNode;
}

export function LoadedList<Item>({ answer, empty, children }: LoadedListProps<Item>): ReactElement {
  return (
    <Loaded answer={answer}>
      {({ items }) =>
        items.length === 0 ? <EmptyState title={empty.title}>{empty.next}</EmptyState> : children(items)
      }
    </Loaded>
  );
}
