// `heddle trace`: how the decisions about a run came about, if it was started with --trace; with --follow also what comes.
// A line for each; with --json each line is the trace event.

import type { RunTraceEvent } from 'heddle';
import type { RunHandle } from 'heddle/client';
import { exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { follow, type Growing, withStopSignal } from './follow.ts';
import { isOver } from './follow-tree.ts';
import { type PlaceOptions, withPlace } from './place.ts';
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
      const { after, json = false } = options;
      const trace = traceOf(run);
      const events = options.follow
        ? follow(place, trace, { after, signal })
        : trace.read({ follow: false, signal, ...(after === undefined ? {} : { after }) });
      for await (const event of events) {
        print(event, json);
        if (event.type === 'trace.dropped') break; // nothing is kept after that
      }
      return exitCodes.done;
    }),
  );
}

function traceOf(run: RunHandle): Growing<RunTraceEvent> {
  return {
    read: (query) => run.trace(query),
    idOf: ({ id }) => id,
    isComplete: async () => isOver(await run.summary()),
  };
}

function print(event: RunTraceEvent, json: boolean): void {
  if (json) return output.line(JSON.stringify(event));
  const { id, at, type, data } = event;
  const dim = (text: string): string => output.paint('dim', text);
  output.line(
    `${dim(id.padEnd(8))}  ${dim(timeOf(at))}  ${type.padEnd(32)}  ${dim(shortened(JSON.stringify(data), 160))}`,
  );
}
