// Run timeline: the timeline of a run at the moment that is shown.

import { type ReactElement, useMemo } from 'react';
import { Skeleton } from '../../parts/notice.tsx';
import { useNow } from '../../parts/now.ts';
import { isRunning, type RunFigures, type RunReading } from '../run-source.ts';
import { Timeline, type TimelineSelection } from './timeline.tsx';
import type { TimelineSpan } from './timeline-span.ts';

export interface RunTimelineProps {
  readonly reading: RunReading;
  readonly selected?: TimelineSelection | null;
  readonly onSelect?: (selection: TimelineSelection) => void;
}

export function RunTimeline({ reading, ...selection }: RunTimelineProps): ReactElement {
  const { figures } = reading;
  // The fold of a reading grows: what is drawn is taken from it once for each reading.
  const drawn = useMemo(() => drawnOf(reading), [reading]);
  if (figures === null) return <Skeleton lines={4} label="Loading the timeline" />;
  // Of a journal alone nothing more comes: it is drawn as far as it goes.
  return isRunning(reading) ? (
    <LiveTimeline {...drawn} {...selection} at={figures.at} />
  ) : (
    <Timeline {...drawn} {...selection} now={figures.at} />
  );
}

interface Drawn {
  readonly spans: readonly TimelineSpan[];
  readonly untold: number;
}

interface LiveTimelineProps extends Drawn, Omit<RunTimelineProps, 'reading'> {
  /** When the newest event happened, by the clock of the server. */
  readonly at: number;
}

/** What lives grows as time passes. */
function LiveTimeline({ at, ...drawn }: LiveTimelineProps): ReactElement {
  return <Timeline {...drawn} now={Math.max(at, useNow())} />;
}

function drawnOf({ fold, figures }: RunReading): Drawn {
  if (fold) return { spans: [...fold.spans()], untold: fold.spanTotals().reduce((sum, { spans }) => sum + spans, 0) };
  const spans = (figures?.nodes ?? []).flatMap(spanOfNode);
  return { spans, untold: (figures?.nodes ?? []).reduce((sum, { visits }) => sum + visits, 0) };
}

/** Of a run that is too long to be kept: from the first visit of a node to the end of its last, as one. */
function spanOfNode(node: RunFigures['nodes'][number], place: number): readonly TimelineSpan[] {
  const { nodeId, status, startedAt, endedAt, attempts } = node;
  if (startedAt === null) return [];
  const outcome = status === 'failed' ? 'failed' : 'completed';
  return [
    {
      token: -1 - place, // none: it stands for all of them
      node: nodeId,
      pathId: 'root',
      status: status === 'running' ? 'dispatched' : status,
      readyAt: startedAt,
      startedAt,
      endedAt,
      attempt: attempts,
      attempts: [{ attempt: 1, startedAt, endedAt, outcome }],
    },
  ];
}
