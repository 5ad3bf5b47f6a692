// `heddle start`: starts a run of a workflow that is registered, or of a definition in a file, and answers with its id.
//
// Always true: when the id is told, the run is durable. A server works on it; on a file somebody has to go on with it.

import type { StartOptions as HowToStart, Json } from 'heddle';
import type { Heddle, RunHandle } from 'heddle/client';
import { CommandError, exitCodes } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { type Place, type PlaceOptions, placeOf, withPlace } from './place.ts';
import { quoted } from './quoted.ts';
import { readValue } from './read-document.ts';
import { registerFile } from './register-file.ts';
import { reportEnding } from './report-ending.ts';
import { pickMembers, type StartMembers, startMembers } from './request-members.ts';
import { Session, type SessionOptions } from './session.ts';
import { output, progress, timeOf } from './terminal.ts';
import { watchRun } from './watch-command.ts';
import { withGuess } from './workflow-names.ts';

export interface StartOptions extends PlaceOptions, Omit<SessionOptions, 'store'>, StartMembers {
  readonly input: string;
  readonly wait?: boolean;
  readonly dialect?: DrawnDialect;
}

export async function startCommand(workflow: string, options: StartOptions): Promise<number> {
  const input = readValue('--input', options.input);
  const where = placeOf(options);
  if ('store' in where) return startOnFile(workflow, input, { ...options, ...where });
  if (options.actions !== undefined || options.answer !== undefined) throw forFiles(where.url);
  return withPlace(options, 'change', (place) => startOnServer(place, workflow, { input, options }));
}

async function startOnServer(
  place: Place,
  workflow: string,
  { input, options }: { readonly input: Json; readonly options: StartOptions },
): Promise<number> {
  const run = await startRun(place, workflow, { input, options });
  if (options.delayMs !== undefined && !options.quiet) await sayBeginning(run);
  if (options.wait) {
    if (!options.quiet) progress.line(`Run ${run.id}`);
    return watchRun(place, run, options);
  }
  if (options.json) output.line(JSON.stringify({ runId: run.id }));
  else output.line(run.id);
  if (!options.json && !options.quiet) progress.line(`Watch it with: npx heddle watch ${run.id} ${place.flag}`);
  return exitCodes.done;
}

/** This process has the engine: it works on the run as long as it waits for it. */
async function startOnFile(
  workflow: string,
  input: Json,
  options: StartOptions & { readonly store: string },
): Promise<number> {
  const session = await Session.open(options);
  try {
    const run = await startRun({ heddle: session.engine, name: options.store }, workflow, { input, options });
    if (options.delayMs !== undefined && !options.quiet) await sayBeginning(run);
    if (options.wait) {
      const ending = await session.follow([run]);
      return await reportEnding(session, ending, { ...options, runIds: [run.id] });
    }
    await session.close();
    if (options.json) output.line(JSON.stringify({ runId: run.id }));
    else output.line(run.id);
    const next = `npx heddle resume ${run.id} --store ${quoted(options.store)}`;
    if (!options.json && !options.quiet) progress.line(`Nothing works on ${options.store} now; resume with: ${next}`);
    return exitCodes.done;
  } catch (error) {
    session.progress.stop();
    await session.close();
    throw error;
  }
}

/** A run that was started before, with the same key, may have begun. */
async function sayBeginning(run: RunHandle): Promise<void> {
  const { status, nextTimerAt } = await run.summary();
  if (status === 'waiting' && nextTimerAt !== null) progress.line(`It begins at ${timeOf(nextTimerAt)}.`);
}

interface StartPlace<Run> {
  readonly heddle: Pick<Heddle, 'register' | 'definitions'> & {
    start(workflow: string, input: Json, options: HowToStart): Promise<Run>;
  };
  readonly name: string;
}

async function startRun<Run>(
  place: StartPlace<Run>,
  given: string,
  { input, options }: { readonly input: Json; readonly options: StartOptions },
): Promise<Run> {
  const isFile = /\.(json|[mc]?[jt]s)$/.test(given);
  const { workflow, version } = isFile
    ? await registerFile(place.heddle, given, options)
    : { workflow: given, version: options.version };
  try {
    return await place.heddle.start(workflow, input, {
      ...pickMembers(options, startMembers),
      ...(version === undefined ? {} : { version }),
    });
  } catch (error) {
    throw await withGuess(error, place, workflow);
  }
}

function forFiles(url: string): CommandError {
  const message = `Expected no --actions and no --answer with a server, but ${url} has its own`;
  return new CommandError('OPTION_INVALID', `${message}; leave them out, and answer with npx heddle reply.`);
}
