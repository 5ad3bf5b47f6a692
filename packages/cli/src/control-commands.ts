// `heddle cancel`, `pause`, `retry`, `release`, `delete`, and `resume` with a server: what is done to runs that are there, one by one or all
// that a filter finds.
//
// Always true: one that is refused does not keep the others from it; each is reported.

import type { RetryOptions } from 'heddle';
import { CommandError, type ErrorReport, exitCodes, reportOf } from './command-error.ts';
import { findRun } from './find-run.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { type FilterMembers, filterMembers, pickMembers } from './request-members.ts';
import { sayMissing } from './runs-command.ts';
import { count, output, printable, progress } from './terminal.ts';

export interface ControlOptions extends PlaceOptions, FilterMembers, Pick<RetryOptions, 'keepKeys' | 'idempotencyKey'> {
  readonly reason?: string;
  readonly json?: boolean;
}

export type Control = 'cancel' | 'pause' | 'resume' | 'retry' | 'release' | 'delete';

interface Done {
  readonly runId: string;
  readonly applied: boolean;
  /** The new run, of a retry. */
  readonly retriedAs?: string;
  /** Why nothing changed. */
  readonly reason?: string;
  readonly error?: ErrorReport;
}

export function controlCommand(control: Control, given: readonly string[], options: ControlOptions): Promise<number> {
  const isFiltered = Object.keys(pickMembers(options, filterMembers)).length > 0;
  if (given.length === 0 && !isFiltered) throw nothingNamed(control);
  if (given.length > 0 && isFiltered)
    throw new CommandError('OPTION_INVALID', 'Expected runs or a filter, but both were given; leave one out.');
  if (given.length !== 1 && options.idempotencyKey !== undefined) throw keyForOne();
  return withPlace(options, 'change', async (place) => {
    const done: Done[] = [];
    const runIds = given.length > 0 ? given : await findAll(place, options);
    // Asked for again, what a filter has found before is not retried anew.
    const keyOf = isFiltered && control === 'retry' ? (await import('heddle')).bulkRetryKey : null;
    for (const each of runIds) {
      const key = keyOf === null ? {} : { idempotencyKey: keyOf(each) };
      const applied = apply(control, place, { given: each, options: { ...options, ...key } });
      done.push(await (given.length === 1 ? applied : orError(each, applied)));
      if (!options.json) tell(control, done.at(-1));
    }
    if (options.json) output.line(JSON.stringify(given.length === 1 ? done[0] : done));
    else if (given.length === 0) progress.line(`${count(done.length, 'run')} found.`);
    if (done.length === 0 && !options.json) await sayMissing(place, options.workflow);
    return done.some(({ error }) => error !== undefined) ? exitCodes.notCompleted : exitCodes.done;
  });
}

const foundMax = 100_000;

/** All, before anything is done: what is done to them may change whether the filter finds them. */
async function findAll({ heddle }: Place, options: ControlOptions): Promise<string[]> {
  const filter = pickMembers(options, filterMembers);
  const runIds: string[] = [];
  for (let size = 1_000, got = size; got === size; ) {
    const after = runIds.at(-1);
    const runs = await heddle.runs({ ...filter, limit: size, ...(after === undefined ? {} : { after }) });
    for (const { runId } of runs) runIds.push(runId);
    if (runIds.length > foundMax) throw tooMany();
    got = runs.length;
  }
  return runIds;
}

async function apply(
  control: Control,
  place: Place,
  { given, options }: { readonly given: string; readonly options: ControlOptions },
): Promise<Done> {
  const run = await findRun(place, given);
  if (control === 'retry') {
    const retried = await run.retry(pickMembers(options, ['keepKeys', 'idempotencyKey']));
    return { runId: run.id, applied: true, retriedAs: retried.id };
  }
  if (control === 'delete') {
    await run.delete();
    return { runId: run.id, applied: true };
  }
  const { applied, reason } = await (control === 'cancel' ? run.cancel(options.reason) : run[control]());
  return { runId: run.id, applied, ...(reason === undefined ? {} : { reason }) };
}

async function orError(runId: string, applied: Promise<Done>): Promise<Done> {
  try {
    return await applied;
  } catch (error) {
    return { runId, applied: false, error: reportOf(error) };
  }
}

const pastWords: Readonly<Record<Control, string>> = {
  cancel: 'cancelled',
  pause: 'paused',
  resume: 'resumes',
  retry: 'retried',
  release: 'resumes',
  delete: 'deleted',
};

function tell(control: Control, done: Done | undefined): void {
  if (done === undefined) return;
  const { runId, applied, retriedAs, reason, error } = done;
  if (error) progress.line(`heddle: ${error.code}: ${printable(error.message)}`);
  else if (retriedAs !== undefined) output.line(retriedAs);
  else if (applied) output.line(`${runId}  ${output.paint('green', pastWords[control])}`);
  else output.line(`${runId}  ${output.paint('dim', `nothing changed${reason ? `: ${printable(reason)}` : ''}`)}`);
}

function nothingNamed(control: Control): CommandError {
  const message = `Expected a run to ${control}, but none was named`;
  return new CommandError(
    'RUN_MISSING',
    `${message}; name its id, or \`last\`, or say which: --status, --workflow, --tag.`,
  );
}

function keyForOne(): CommandError {
  const message = 'Expected one run with --idempotency-key, but there may be several';
  return new CommandError('OPTION_INVALID', `${message}; leave it out: what a filter finds is retried once anyway.`);
}

function tooMany(): CommandError {
  return new CommandError('TOO_MANY_RUNS', `Expected at most ${foundMax} runs, but the filter finds more; narrow it.`);
}
