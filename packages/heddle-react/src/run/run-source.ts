// RunSource: a run as views read it, live and at any moment of its past, wherever it comes from: a server, or a journal alone.
//
// Always true: a reading never changes; when there is something new, there is a new one. All views of a run read one source,
// so that they show one moment.

import type { JsonObject, RunSummary } from 'heddle';
import { type Drawing, isTerminal, type RunEvent, type RunFold } from 'heddle/journal';
import type { AnswerOf, WireClient } from 'heddle/wire';

export interface RunSource {
  /** The first who listens opens it, the last who leaves closes it. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => RunReading;
  /** Shows the run as of its first so many events (of a large run: commits), or as it is. */
  readonly moveTo: (moment: number | 'live') => void;
  /** A page of the journal, after an event: for those who look into a large one. */
  readonly readEvents: (after: string | null, limit: number) => Promise<readonly RunEvent[]>;
  /** Asks again after an error; absent where nobody is asked. */
  readonly resume?: () => void;
  /** The server that it comes from, for what else is asked about the run; null of a journal alone. */
  readonly client: WireClient | null;
}

/** What is known of a run, as of a moment. */
export interface RunReading {
  readonly runId: string;
  /** `loading` until everything that had happened when it was opened is there. */
  readonly phase: 'loading' | 'ready';
  /** Why it cannot be shown. */
  readonly error: unknown;
  /** `closed`: nothing more will come. */
  readonly connection: 'open' | 'lost' | 'closed';
  /** How it stands in lists; null of a journal alone. Figures follow the moment, this does not. */
  readonly run: RunSummary | null;
  /** As it was registered. */
  readonly definition: JsonObject | null;
  /** What of the definition the journal is drawn on. */
  readonly drawing: Drawing | null;
  /** The journal from its beginning; empty for a run that is too long to be kept. */
  readonly events: readonly RunEvent[];
  /** Too long to be kept: moments are commits, and figures are those of the server. */
  readonly isLarge: boolean;
  /** How many moments there are, and which is shown: so many of them have happened. */
  readonly length: number;
  readonly moment: number;
  readonly isLive: boolean;
  readonly figures: RunFigures | null;
  /** What the figures are taken from, with spans and the whole state; null for a large run. It grows: follow the reading. */
  readonly fold: RunFold | null;
}

/** A run on its drawing at a moment, as the server answers with it. */
export type RunFigures = AnswerOf<'getRunView'>['figures'];

/** Whether time passes in what is shown: it is the newest, more may come, and it has not ended. */
export const isRunning = ({ isLive, connection, figures }: RunReading): boolean =>
  isLive && connection !== 'closed' && figures !== null && !isTerminal(figures.status);

export function figuresOf(fold: RunFold): RunFigures {
  const { lastEvent, count, at, status, input, state, output, error, firstFailure } = fold;
  return {
    eventId: lastEvent,
    events: count,
    at,
    status,
    input,
    state,
    output,
    error,
    firstFailure,
    nodes: fold.nodes(),
    edges: fold.edges(),
    groups: fold.groups(),
    groupTotals: fold.groupTotals(),
    prompts: fold.prompts(),
    timers: fold.timers(),
    subruns: fold.subruns(),
  };
}

/** What a source is before anything is known of its run. */
export function emptyReading(runId: string): RunReading {
  return {
    runId,
    phase: 'loading',
    error: null,
    connection: 'open',
    run: null,
    definition: null,
    drawing: null,
    events: [],
    isLarge: false,
    length: 0,
    moment: 0,
    isLive: true,
    figures: null,
    fold: null,
  };
}
