// `heddle trace`: how the decisions about a run came about, if it was started with --trace; with --follow also what comes.
// A line for each; with --json each line is the trace event.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunTraceEvent } from 'heddle';
import type { RunHandle } from 'heddle/client';
import { exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { isOver } from './follow-tree.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { withStopSignal } from './stop-signal.ts';
import { output, shortened, timeOf } from './terminal.ts';

export interface TraceOptions extends PlaceOptions {
  readonly follow?: boolean;
  readonly after?: string;
  readonly json?: boolean;
}

export function traceCommand(given: string, options: TraceOptions): Promise<number> {
  return withPlace(options, 'look', (place) =>
    withStopSignal(async (signal) => {
      const run = await findRun(place, given);
      const events = options.follow
        ? follow(place, run, { after: options.after, signal })
        : readNow(run, options.after);
      for await (const event of events) print(event, options.json ?? false);
      return exitCodes.done;
    }),
  );
}

interface From {
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

const readNow = (run: RunHandle, after: string | undefined): AsyncIterable<RunTraceEvent> =>
  run.trace({ follow: false, ...(after === undefined ? {} : { after }) });

async function* follow(place: Place, run: RunHandle, { after, signal }: From): AsyncIterable<RunTraceEvent> {
  if (place.type === 'file' && place.isReadOnly) return yield* lookAgain(run, { after, signal });
  try {
    yield* run.trace({ signal, ...(after === undefined ? {} : { after }) });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const lookMs = 150;

/** What another process writes to a file is found by looking again. */
async function* lookAgain(run: RunHandle, { after, signal }: From): AsyncIterable<RunTraceEvent> {
  for (let last = after; !signal.aborted; ) {
    // How it stands is asked before its trace is read: what comes in between is read by the next look.
    const summary = await run.summary();
    for await (const event of readNow(run, last)) {
      last = event.id;
      yield event;
      if (event.type === 'trace.dropped') return;
    }
    if (isOver(summary)) return;
    await sleep(lookMs, null, { signal }).catch(() => undefined); // told to end
  }
}

function print(event: RunTraceEvent, json: boolean): void {
  if (json) return output.line(JSON.stringify(event));
  const { id, at, type, data } = event;
  const dim = (text: string): string => output.paint('dim', text);
  output.line(
    `${dim(id.padEnd(8))}  ${dim(timeOf(at))}  ${type.padEnd(32)}  ${dim(shortened(JSON.stringify(data), 160))}`,
  );
}
