// `heddle explain`: why a run did what it did: its decisions, made again from the journal and compared with it; at one
// event, or all of them. With --with by another definition: where would it have decided otherwise?

import type { Explanation, Instead, JsonObject, ReplayDifference, WhatIf } from 'heddle';
import type { RunHandle } from 'heddle/client';
import { CommandError, exitCodes } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { explanationLines } from './draw-explanation.ts';
import { findRun } from './find-run.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { readDocument, readValue } from './read-document.ts';
import { count, output, printable, shortened } from './terminal.ts';

export interface ExplainOptions extends PlaceOptions {
  readonly at?: string;
  readonly with?: string;
  readonly output?: string;
  readonly error?: string;
  readonly input?: string;
  readonly state?: string;
  readonly dialect?: DrawnDialect;
  readonly json?: boolean;
}

export async function explainCommand(given: string, options: ExplainOptions): Promise<number> {
  const whatIf = await readWhatIf(options);
  return withPlace(options, 'look', async (place) => {
    const run = await findRun(place, given);
    if (options.at !== undefined) return explainOne(run, options.at, whatIf, options);
    if (whatIf.instead !== undefined || whatIf.state !== undefined)
      throw new CommandError('OPTION_INVALID', 'Expected --at with another result or state, but it is missing.');
    return explainAll(run, whatIf, options);
  });
}

async function readWhatIf(options: ExplainOptions): Promise<WhatIf> {
  const { with: file, dialect, state } = options;
  const instead = insteadOf(options);
  return {
    ...(file === undefined ? {} : { definition: await readDefinition(file, dialect) }),
    ...(instead === null ? {} : { instead }),
    ...(state === undefined ? {} : { state: readValue('--state', state) as JsonObject }), // what it is, the engine says
  };
}

async function readDefinition(file: string, dialect: DrawnDialect | undefined): Promise<unknown> {
  const { value, problem } = await readDocument(file, dialect);
  if (problem) throw new CommandError(problem.code, `In ${file}: ${problem.message}.`);
  return value;
}

function insteadOf({ output: result, error, input }: ExplainOptions): Instead | null {
  const given = [result, error, input].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new CommandError('OPTION_INVALID', 'Expected one of --output, --error and --input, but found several.');
  if (result !== undefined) return { output: readValue('--output', result) };
  if (input !== undefined) return { input: readValue('--input', input) };
  return error === undefined ? null : { error: { code: error, message: `as if it had failed with ${error}` } };
}

async function explainOne(
  run: RunHandle,
  eventId: string,
  whatIf: WhatIf,
  { json = false }: ExplainOptions,
): Promise<number> {
  const explanation: Explanation = await run.explain(eventId, whatIf);
  if (json) output.line(JSON.stringify(explanation));
  else for (const line of explanationLines(explanation, output.paint)) output.line(line);
  return explanation.difference ? exitCodes.notCompleted : exitCodes.done;
}

async function explainAll(run: RunHandle, whatIf: WhatIf, { json = false }: ExplainOptions): Promise<number> {
  const differences: ReplayDifference[] = [];
  let commits = 0;
  for (let after: string | null | undefined; after !== null; ) {
    const page = await run.replay({ ...whatIf, ...(after === undefined ? {} : { after }) });
    commits += page.commits;
    differences.push(...page.differences);
    after = page.next;
  }
  if (json) output.line(JSON.stringify({ runId: run.id, commits, differences }));
  else printAll(run.id, commits, { differences, isTried: whatIf.definition !== undefined });
  return differences.length > 0 ? exitCodes.notCompleted : exitCodes.done;
}

function printAll(
  runId: string,
  commits: number,
  { differences, isTried }: { readonly differences: readonly ReplayDifference[]; readonly isTried: boolean },
): void {
  for (const { eventId, command, recorded, replayed, pointer, error } of differences) {
    const place = `${eventId.padEnd(8)}  on ${command}`;
    if (error) output.line(`${place}: ${output.paint('yellow', error.code)} ${printable(error.message)}`);
    else {
      output.line(`${place}${pointer === '' ? '' : `, at ${printable(pointer)}`}`);
      output.line(`  recorded  ${shortened(JSON.stringify(recorded), 160)}`);
      output.line(`  ${isTried ? 'would be' : 'now     '}  ${shortened(JSON.stringify(replayed), 160)}`);
    }
  }
  const again = `${count(commits, 'commit')} of run ${runId} decided again`;
  const how = isTried ? 'otherwise with this definition' : 'otherwise than recorded';
  const found = differences.length === 0 ? 'none' : String(differences.length);
  output.line(`${again}, ${found} ${how}.`);
  if (differences.length === 0) output.line('Look at one of its events with --at EVENT; `heddle events` lists them.');
}
