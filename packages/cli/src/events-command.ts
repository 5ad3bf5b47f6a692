// `heddle events`: the journal of a run, or of all runs in the order of their commits; with --follow also what comes.
// A line for each; with --json each line is the event.

import type { FeedEvent, RunEvent } from 'heddle';
import { CommandError, exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { follow, type Growing, withStopSignal } from './follow.ts';
import { followTree } from './follow-tree.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { sayMissing } from './runs-command.ts';
import { output, printable, shortened, timeOf } from './terminal.ts';

export interface EventsOptions extends PlaceOptions {
  readonly all?: boolean;
  readonly workflow?: string;
  readonly follow?: boolean;
  readonly after?: string;
  readonly json?: boolean;
}

export function eventsCommand(given: string | undefined, options: EventsOptions): Promise<number> {
  if ((given === undefined) !== (options.all === true))
    throw new CommandError('RUN_MISSING', 'Expected a run or --all, but found neither or both; name a run, or `last`.');
  return withPlace(options, 'look', (place) =>
    withStopSignal(async (signal) => {
      if (given === undefined) await printAll(place, options, signal);
      else await printRun(place, given, { options, signal });
      return exitCodes.done;
    }),
  );
}

async function printRun(
  place: Place,
  given: string,
  { options, signal }: { readonly options: EventsOptions; readonly signal: AbortSignal },
): Promise<void> {
  const run = await findRun(place, given);
  await run.summary(); // A run that is not there is refused here.
  const { after, json = false } = options;
  const onEvent = (event: RunEvent): void => {
    if (event.runId === run.id && isLater(event.id, after)) print(event, event.id, json);
  };
  if (options.follow) await followTree(place, run.id, { onEvent, signal });
  else for await (const event of run.events({ follow: false, ...afterOf(after) })) print(event, event.id, json);
}

async function printAll(place: Place, options: EventsOptions, signal: AbortSignal): Promise<void> {
  if (!options.json) await sayMissing(place, options.workflow);
  const { after, workflow } = options;
  const all: Growing<FeedEvent> = {
    read: (query) => place.heddle.events({ ...query, ...(workflow === undefined ? {} : { workflow }) }),
    idOf: ({ feedId }) => feedId,
    isComplete: () => Promise.resolve(false),
  };
  const events = options.follow
    ? follow(place, all, { after, signal })
    : all.read({ follow: false, signal, ...afterOf(after) });
  for await (const event of events) print(event, event.feedId, options.json ?? false);
}

const afterOf = (after: string | undefined): { readonly after?: string } => (after === undefined ? {} : { after });

/** Ids are `row.index`. */
function isLater(id: string, after: string | undefined): boolean {
  if (after === undefined) return true;
  const [row = 0, index = 0] = id.split('.').map(Number);
  const [lastRow = 0, lastIndex = 0] = after.split('.').map(Number);
  return row > lastRow || (row === lastRow && index > lastIndex);
}

function print(event: RunEvent & Partial<FeedEvent>, id: string, json: boolean): void {
  if (json) return output.line(JSON.stringify(event));
  const { at, type, runId, id: _, seq: __, feedId, runWorkflow, ...rest } = event;
  const dim = (text: string): string => output.paint('dim', text);
  const whose = feedId === undefined ? '' : `${dim(runId)}  ${printable(runWorkflow ?? '').padEnd(14)}  `;
  output.line(
    `${dim(id.padEnd(8))}  ${dim(timeOf(at))}  ${whose}${type.padEnd(22)}  ${dim(shortened(JSON.stringify(rest), 160))}`,
  );
}
