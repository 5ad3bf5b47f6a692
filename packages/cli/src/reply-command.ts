// `heddle reply`: answers what a run asks: with --payload, or in a conversation on a terminal, field by field.
//
// Always true: an answer that does not fit changes nothing; on a terminal it is asked for again.

import type { Json, Prompt, PromptReply } from 'heddle';
import { askValue } from './ask-value.ts';
import { CommandError, exitCodes, reportOf } from './command-error.ts';
import { findRun } from './find-run.ts';
import { LineReader } from './line-reader.ts';
import { type Place, type PlaceOptions, placeOf, withPlace } from './place.ts';
import { readValue } from './read-document.ts';
import { answerOption, describeSuspension, suspensionOf, titleOf } from './suspension.ts';
import { count, output, printable, progress } from './terminal.ts';
import { findEngineLack } from './who-works.ts';

export interface ReplyOptions extends PlaceOptions {
  readonly payload?: string;
  /** The key of the answer, not of the server. */
  readonly replyKey?: string;
  readonly json?: boolean;
}

export async function replyCommand(given: string, options: ReplyOptions): Promise<number> {
  const payload = options.payload === undefined ? undefined : readValue('--payload', options.payload);
  const { rootRunId } = await withPlace(options, 'change', (place) => answerPrompt(place, given, payload, options));
  // OP24: what is true of a run in a file is looked up when the engine that took the answer has closed.
  if (!options.json && 'store' in placeOf(options))
    await withPlace(options, 'look', async (place) => progress.line(await describeStanding(place, rootRunId)));
  return exitCodes.done;
}

async function answerPrompt(
  place: Place,
  given: string,
  payload: Json | undefined,
  { replyKey, json }: ReplyOptions,
): Promise<Prompt> {
  const prompt = await findPrompt(place, given);
  if (payload === undefined && !process.stdin.isTTY) throw payloadMissing(prompt);
  const answer = (value: Json): Promise<PromptReply> => {
    const key = replyKey === undefined ? {} : { key: replyKey };
    return place.heddle.run(prompt.runId).reply(prompt.correlationId, value, key);
  };
  const reply = payload === undefined ? await converse(prompt, answer) : await answer(payload);
  if (json) output.line(JSON.stringify({ ...reply, correlationId: prompt.correlationId, runId: prompt.runId }));
  else
    output.line(reply.applied ? `Answered ${titleOf(prompt)}.` : 'Nothing changed: the same answer was given before.');
  return prompt;
}

/** The engine that takes an answer does what needs no action of the user's: the run may have ended with it. */
async function describeStanding(place: Place, runId: string): Promise<string> {
  const summary = await place.heddle.run(runId).summary();
  const { status, error } = summary;
  if (status === 'completed') return `Run ${runId} has completed; see: npx heddle show ${runId} ${place.flag}`;
  if (error) return `Run ${runId} is ${status}: ${error.code}: ${printable(error.message)}`;
  if (status === 'suspended')
    return `Run ${runId} is suspended: ${describeSuspension(await suspensionOf(place.heddle, summary))}`;
  return (await findEngineLack(place, summary)) ?? `Run ${runId} is ${status}.`;
}

/** By its own id, or the only one that a run asks. */
async function findPrompt(place: Place, given: string): Promise<Prompt> {
  const asked = await promptsOfRun(place, given);
  if (asked === null) return findById(place, given);
  const [only, ...others] = asked;
  if (only && others.length === 0) return only;
  if (!only) {
    const message = `Expected run ${await nameRun(place, given)} to ask something, but it asks nothing now`;
    throw new CommandError('PROMPT_NOT_FOUND', `${message}; list what is asked with: npx heddle prompts ${place.flag}`);
  }
  const list = asked.map((prompt) => `${prompt.correlationId} (${titleOf(prompt)})`).join(', ');
  const message = `Expected one prompt of run ${await nameRun(place, given)}, but it asks ${asked.length}: ${list}`;
  throw new CommandError('PROMPT_AMBIGUOUS', `${message}; name one: npx heddle reply PROMPT.`);
}

/** Whoever wrote `last` is told which that is. */
async function nameRun(place: Place, given: string): Promise<string> {
  return given === 'last' ? `${(await findRun(place, given)).id}, the last one,` : given;
}

/** Null if there is no such run. */
async function promptsOfRun(place: Place, given: string): Promise<readonly Prompt[] | null> {
  try {
    return await (await findRun(place, given)).prompts();
  } catch (error) {
    if (reportOf(error).code !== 'RUN_NOT_FOUND' || given === 'last') throw error;
    return null;
  }
}

const pageSize = 1_000;
const pagesMax = 100;

async function findById({ heddle, flag }: Place, correlationId: string): Promise<Prompt> {
  let after: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await heddle.prompts({ limit: pageSize, ...(after === undefined ? {} : { after }) });
    const found = page.find((prompt) => prompt.correlationId === correlationId);
    if (found) return found;
    if (page.length < pageSize) break;
    after = page.at(-1)?.correlationId;
  }
  const message = `Expected a run or an open prompt ${correlationId}, but there is none`;
  throw new CommandError('PROMPT_NOT_FOUND', `${message}; list them with: npx heddle prompts ${flag}`);
}

async function converse(prompt: Prompt, answer: (value: Json) => Promise<PromptReply>): Promise<PromptReply> {
  const reader = new LineReader();
  const ask = (question: string): Promise<string> => reader.ask(question);
  progress.line(progress.paint('bold', titleOf(prompt)));
  if (prompt.description !== null) progress.line(printable(prompt.description));
  try {
    for (;;) {
      const value = await askValue(progress, prompt.schema, ask);
      try {
        return await answer(value);
      } catch (error) {
        const { code, problems = [] } = reportOf(error);
        if (code !== 'PAYLOAD_INVALID') throw error;
        progress.line(progress.paint('red', `That does not fit: ${count(problems.length, 'problem')}.`));
        for (const { pointer, message } of problems) progress.line(`  ${printable(`${pointer} ${message}`)}`);
      }
    }
  } finally {
    reader.close();
  }
}

function payloadMissing(prompt: Prompt): CommandError {
  const option = answerOption(prompt).replace('--answer', '--payload');
  return new CommandError(
    'PAYLOAD_MISSING',
    `Expected an answer to ${titleOf(prompt)}, but there is no --payload and no terminal to ask at; give ${option}.`,
  );
}
