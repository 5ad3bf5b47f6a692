// SummaryText: what the author of a workflow has to say of a run, or of one of its nodes, at the moment that is shown. The
// server evaluates it; a page has no expressions.

import type { JsonObject } from 'heddle';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useAnswer } from '../connection/connection.tsx';
import type { RunFigures, RunReading } from './run-source.ts';

export interface SummaryTextProps {
  readonly reading: RunReading;
  /** Of this node; otherwise of the run. */
  readonly node?: { readonly id: string; readonly written: JsonObject };
}

export function SummaryText({ reading, node }: SummaryTextProps): ReactElement | null {
  const { run, definition, figures, isLarge } = reading;
  const isWritten = (node?.written ?? definition)?.['summary'] !== undefined;
  // A journal alone has nobody to ask.
  if (!isWritten || run === null || figures === null) return null;
  // Those of a large run are the server's already.
  return isLarge ? <Line figures={figures} node={node?.id} /> : <AskedLine reading={reading} node={node?.id} />;
}

/** The server folds the journal for it. */
const askedEveryMs = 1_000;

function AskedLine({ reading, node }: { readonly reading: RunReading; readonly node: string | undefined }) {
  const { runId, phase, figures } = reading;
  const eventId = useSlowly(phase === 'ready' ? (figures?.eventId ?? null) : null);
  const isAsked = eventId !== null;
  const { data } = useAnswer(
    'getRunView',
    { runId, ...(isAsked ? { eventId } : {}) },
    { enabled: isAsked, keepsLast: true },
  );
  return data === undefined || !isAsked ? null : <Line figures={data.figures} node={node} />;
}

/** The first value at once; then the newest, no faster than it may be asked for. */
function useSlowly(value: string | null): string | null {
  const newest = useRef(value);
  newest.current = value;
  const [shown, setShown] = useState(value);
  const isBehind = shown !== value;
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown(newest.current), shown === null ? 0 : askedEveryMs);
    return () => clearTimeout(timer);
  }, [isBehind, shown]);
  return shown;
}

function Line({ figures, node }: { readonly figures: RunFigures; readonly node: string | undefined }) {
  const { summary } = node === undefined ? figures : (figures.nodes.find(({ nodeId }) => nodeId === node) ?? {});
  return summary === undefined ? null : <p className="hd-summary">{summary}</p>;
}
