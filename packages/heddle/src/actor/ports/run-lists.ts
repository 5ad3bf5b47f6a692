// Run lists: all runs, page by page and counted; and the feed, the journal rows of all runs in the order of their commits.
//
// A host's author must know: every answer looks at a bounded number of rows, so that it takes the same time with a hundred
// runs and with a million. `actor/run-filter.ts` decides whether a run fits a query: a store finds candidates by its
// indexes.

import type { Awaitable } from './awaitable.ts';
import type { JournalWrite, RunRow } from './run-store.ts';

export interface RunLists {
  /** Newest first. */
  pageRuns(query: RunPageQuery): Awaitable<RunPage>;
  /** Root runs, newest first, by the few columns that figures are made of; whether a row is damaged is not looked at. */
  outlineRuns(query: RunOutlineQuery): Awaitable<readonly RunOutline[]>;
  /** By status; of each status at most `upTo` are counted. */
  countRuns(query: RunCountQuery): Awaitable<RunCounts>;
}

export interface Feed {
  readFeed(query: FeedQuery): Awaitable<FeedPage>;
  /** The position of the newest journal row; 0 before the first. A position is never given twice. */
  feedEnd(): Awaitable<number>;
}

/** A run's place in the list of all, which stays although the run may go. */
export interface RunPlace {
  readonly createdAt: number;
  readonly runId: string;
}

/** All that is given must hold. */
export interface RunPageQuery {
  readonly limit: number;
  /** Older than this place. */
  readonly after?: RunPlace;
  readonly workflow?: string;
  /** One of them. */
  readonly statuses?: readonly string[];
  readonly parentRunId?: string;
  /** Sub-runs of this root, at any depth. */
  readonly rootRunId?: string;
  /** Every tag must match. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Not before, and before: in milliseconds since 1970. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly isQuarantined?: boolean;
  /** Without sub-runs. */
  readonly isRoot?: true;
  /** The beginning of its id (8 characters or more: `idPrefixLeast`) or of its workflow, or the value of a tag. */
  readonly search?: string;
}

/** A shorter text is no beginning of an id: nearly all ids of a year begin with the same few characters. */
export const idPrefixLeast = 8;

/** Of results in a page of runs: with as many characters it is full, however few runs it has. */
export const resultsPerPageMax = 4_194_304;

export interface RunPage {
  readonly rows: readonly RunRow[];
  /** Where the next page begins; null if this was the last. A page may be short, or empty, and not be the last. */
  readonly next: RunPlace | null;
}

export interface RunOutlineQuery extends Pick<RunPageQuery, 'limit' | 'after' | 'workflow'> {}

export type RunOutline = Pick<RunRow, 'runId' | 'workflow' | 'status' | 'createdAt' | 'endedAt'>;

export interface RunCountQuery extends Pick<RunPageQuery, 'workflow' | 'isRoot'> {
  readonly statuses: readonly string[];
  readonly upTo: number;
}

export interface RunCounts {
  readonly byStatus: Readonly<Record<string, number>>;
  readonly quarantined: number;
}

export interface FeedQuery {
  /** A position. */
  readonly after: number;
  readonly limit: number;
  readonly workflow?: string;
}

export interface FeedPage {
  readonly rows: readonly FeedRow[];
  /** Up to where was looked: what comes after it was not. */
  readonly position: number;
}

export interface FeedRow extends JournalWrite {
  readonly position: number;
  readonly workflow: string;
  /** The hash of the row before it in its run's journal; '' if there is none. */
  readonly before: string;
}
