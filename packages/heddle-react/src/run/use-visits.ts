// useVisits: the visits of a run as of its moment: from the fold, or, of a large run, from the server, as they are now.
//
// Always true: of a large run, pages are read only while somebody looks, and at most so many unasked.

import type { TokenInfo } from 'heddle';
import type { WireClient } from 'heddle/wire';
import { useEffect, useMemo, useState } from 'react';
import type { RunReading, RunSource } from './run-source.ts';
import { type Visit, visitOfSpan, visitOfToken } from './visits.ts';

const tokensPerPage = 10_000;
/** What is read before somebody asks for more: enough for 20,000 branches of two nodes. */
const pagesUnasked = 5;

export interface Visits {
  readonly visits: readonly Visit[];
  readonly isLoading: boolean;
  readonly error: unknown;
  /** There are more, which are read when somebody asks. */
  readonly readMore: (() => void) | null;
  /** They were read from the server a while ago: reads them as they are now. Null: they follow the moment. */
  readonly readAgain: (() => void) | null;
}

const none: readonly Visit[] = [];

export function useVisits({ client }: RunSource, { runId, fold, figures, isLarge }: RunReading): Visits {
  // The fold grows in place: its figures are new whenever it has.
  const folded = useMemo(
    () => (fold === null || figures === null ? none : Array.from(fold.spans(), visitOfSpan)),
    [fold, figures],
  );
  const asked = useAskedVisits(isLarge ? client : null, runId);
  return isLarge ? asked : { visits: folded, isLoading: false, error: null, readMore: null, readAgain: null };
}

interface Asked {
  readonly visits: readonly Visit[];
  readonly pages: number;
  /** Where the next page begins; null: there is none. */
  readonly next: string | null | undefined;
  readonly error: unknown;
}

const nothingAsked: Asked = { visits: none, pages: 0, next: undefined, error: null };

function useAskedVisits(client: WireClient | null, runId: string): Visits {
  const [asked, setAsked] = useState(nothingAsked);
  const [pagesWanted, setPagesWanted] = useState(pagesUnasked);
  const { visits, pages, next, error } = asked;
  const isLoading = client !== null && next !== null && error === null && pages < pagesWanted;
  useEffect(() => {
    if (client === null || !isLoading) return;
    const reading = new AbortController();
    const page = { runId, limit: tokensPerPage, ...(next === undefined ? {} : { after: next }) };
    client.call('listTokens', page, { signal: reading.signal }).then(
      (answer) =>
        setAsked({
          visits: [...visits, ...visitsOf(answer.items, next ?? null)],
          pages: pages + 1,
          next: answer.next,
          error: null,
        }),
      (reason: unknown) => reading.signal.aborted || setAsked((current) => ({ ...current, error: reason })),
    );
    return () => reading.abort();
  }, [client, runId, isLoading, visits, pages, next]);
  const readMore = isLoading || next === null ? null : () => setPagesWanted(pages + pagesUnasked);
  return { visits, isLoading, error, readMore, readAgain: () => setAsked(nothingAsked) };
}

function visitsOf(tokens: readonly TokenInfo[], after: string | null): readonly Visit[] {
  let listedAfter = after;
  return tokens.map((token) => {
    const visit = visitOfToken(token, listedAfter);
    listedAfter = String(token.id);
    return visit;
  });
}
