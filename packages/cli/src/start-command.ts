// `heddle start`: starts a run of a workflow that is registered, or of a definition in a file, and answers with its id.
//
// Always true: when the id is printed, the run is durable.

import type { Json } from 'heddle';
import type { RunHandle } from 'heddle/client';
import { exitCodes } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { readValue } from './read-document.ts';
import { registerFile } from './register-file.ts';
import { pickMembers, type StartMembers, startMembers } from './request-members.ts';
import { output, progress, timeOf } from './terminal.ts';
import { withGuess } from './workflow-names.ts';
import { type Workplace, type WorkplaceOptions, withWorkplace } from './workplace.ts';

export interface StartOptions extends WorkplaceOptions, StartMembers {
  readonly input: string;
  readonly wait?: boolean;
  readonly dialect?: DrawnDialect;
}

export async function startCommand(workflow: string, options: StartOptions): Promise<number> {
  const input = readValue('--input', options.input);
  return withWorkplace(options, async (workplace) => {
    const run = await startRun(workplace, workflow, { input, options });
    if (options.delayMs !== undefined && !options.quiet) await sayBeginning(run);
    if (options.wait) return workplace.show(run);
    const next = await workplace.leave(run);
    output.line(options.json ? JSON.stringify({ runId: run.id }) : run.id);
    if (!options.json && !options.quiet) progress.line(next);
    return exitCodes.done;
  });
}

/** A run that was started before, with the same key, may have begun. */
async function sayBeginning(run: RunHandle): Promise<void> {
  const { status, nextTimerAt } = await run.summary();
  if (status === 'waiting' && nextTimerAt !== null) progress.line(`It begins at ${timeOf(nextTimerAt)}.`);
}

async function startRun(
  workplace: Workplace,
  given: string,
  { input, options }: { readonly input: Json; readonly options: StartOptions },
): Promise<RunHandle> {
  const isFile = /\.(json|[mc]?[jt]s)$/.test(given);
  const { workflow, version } = isFile
    ? await registerFile(workplace.heddle, given, options)
    : { workflow: given, version: options.version };
  try {
    return await workplace.heddle.start(workflow, input, {
      ...pickMembers(options, startMembers),
      ...(version === undefined ? {} : { version }),
    });
  } catch (error) {
    throw await withGuess(error, workplace, workflow);
  }
}
