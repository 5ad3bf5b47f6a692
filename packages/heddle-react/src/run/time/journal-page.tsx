// The events that a journal table lists: all of them, or a page of a run that is too long to be kept.

import type { RunEvent } from 'heddle/journal';
import { type ReactElement, useEffect, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import type { RunReading, RunSource } from '../run-source.ts';

export interface JournalPage {
  readonly events: readonly RunEvent[];
  /** To turn pages; null if everything is there. */
  readonly page: ReactElement | null;
  /** Nothing of it is there yet. */
  readonly isLoading: boolean;
  readonly error: unknown;
}

const none: readonly RunEvent[] = [];
const eventsPerPage = 500;
const commitsBack = 100;

/** Of a large run: the page that begins a little before the moment, until somebody turns it. */
export function useJournalPage(source: RunSource, { isLarge, events, moment, length }: RunReading): JournalPage {
  const [loaded, setLoaded] = useState<readonly RunEvent[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [from, setFrom] = useState<number | null>(null);
  const first = loaded?.[0]?.seq ?? 1;
  const last = loaded?.at(-1)?.seq ?? 0;
  const isInPage = moment >= first && moment <= last;
  const wanted = from ?? (isInPage ? first : Math.max(1, moment - 10));
  useEffect(() => {
    if (!isLarge) return undefined;
    let isWanted = true;
    source.readEvents(afterCommit(wanted - 1), eventsPerPage).then(
      (page) => isWanted && (setLoaded(page), setError(null)),
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
    };
  }, [source, isLarge, wanted]);
  useEffect(() => setFrom(null), [moment]);
  if (!isLarge) return { events, page: null, isLoading: false, error: null };
  if (loaded === null) return { events: none, page: null, isLoading: error === null, error };
  const page = (
    <div className="hd-journal-page">
      <Button size="small" disabled={first <= 1} onClick={() => setFrom(Math.max(1, first - commitsBack))}>
        Earlier
      </Button>
      <span>
        Commits {first.toLocaleString('en')} to {last.toLocaleString('en')} of {length.toLocaleString('en')}; the search
        looks in these
      </span>
      <Button size="small" disabled={last >= length} onClick={() => setFrom(Math.max(last, first + 1))}>
        Later
      </Button>
    </div>
  );
  return { events: loaded, page, isLoading: false, error };
}

/** An id that no event of the commit comes after; null: from the first on. */
const afterCommit = (commit: number): string | null => (commit < 1 ? null : `${commit}.999999999`);
