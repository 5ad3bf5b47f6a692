// `heddle show`: one run: what it is, its tokens as a tree with their times, and its journal if asked for.

import type { Json, RunEvent, RunSummary, Thrown, TokenInfo } from 'heddle';
import type { RunHandle } from 'heddle/client';
import { exitCodes } from './command-error.ts';
import { drawThrown } from './draw-thrown.ts';
import { drawTokens } from './draw-tokens.ts';
import { findRun } from './find-run.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { paintStatus } from './runs-command.ts';
import { describeEvent, type Suspension, suspensionOf, titleOf } from './suspension.ts';
import { table } from './table.ts';
import { cut, duration, output, prettyJson, printable, progress, shortened, timeOf } from './terminal.ts';
import { describeLacks, findEngineLack } from './who-works.ts';

export interface ShowOptions extends PlaceOptions {
  readonly events?: boolean;
  readonly json?: boolean;
}

export function showCommand(runId: string, options: ShowOptions): Promise<number> {
  return withPlace(options, 'look', async (place) => {
    const run = await findRun(place, runId);
    const summary = await run.summary();
    const tokens = await run.tokens();
    const events = options.events ? await readAll(run) : [];
    const suspension = summary.endedAt === null ? await suspensionOf(place.heddle, summary) : nothing;
    if (options.json) {
      const { prompts } = suspension;
      output.line(JSON.stringify({ ...summary, tokens, prompts, ...(options.events ? { events } : {}) }));
      return exitCodes.done;
    }
    const lacks = summary.endedAt === null ? describeLacks(await run.waits()) : [];
    const others = lacks.map((words) => ['waits', words.replace(/^waits /, '')] as const);
    printSummary(summary, [...waitsOf(suspension), ...others], tokens.length > 0);
    printTokens(summary, tokens);
    if (options.events) printEvents(events);
    const lack = await findEngineLack(place, summary);
    if (lack !== null) progress.line(lack);
    return exitCodes.done;
  });
}

const nothing: Suspension = { prompts: [], events: [] };

async function readAll(run: RunHandle): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  return events;
}

type Fact = readonly [name: string, value: string];

function printSummary(summary: RunSummary, waits: readonly Fact[], hasBegun: boolean): void {
  const { createdAt, endedAt, workflow, version } = summary;
  const took = endedAt === null ? '' : `  in ${duration(endedAt - createdAt)}`;
  output.line(`${output.paint('bold', `${workflow} v${version}`)}  ${paintStatus(summary)}${took}`);
  const facts = [...factsOf(summary, hasBegun), ...waits];
  const rows = facts.flatMap(([name, value]) => (value === null ? [] : [[output.paint('dim', name), value]]));
  for (const line of table(rows, '  ')) output.line(line);
  if (summary.output !== undefined) printOutput(summary.output);
  if (summary.error?.thrown !== undefined && summary.quarantine === null) printThrown(summary.error.thrown);
}

/** What is longer is for programs. */
const lengthMax = 2_000;

/** What there is to say about a run; null for what does not apply. */
function factsOf(summary: RunSummary, hasBegun: boolean) {
  const { runId, createdAt, parentRunId, tags, nextTimerAt, quarantine, error } = summary;
  const tagged = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return [
    ['run', runId],
    [hasBegun || nextTimerAt === null ? 'started' : 'asked for', timeOf(createdAt)],
    ['called by', parentRunId],
    ['tags', tagged.length === 0 ? null : cut(printable(tagged.join('  ')), lengthMax)],
    [hasBegun ? 'wakes' : 'begins', nextTimerAt === null ? null : timeOf(nextTimerAt)],
    ['set aside', quarantine === null ? null : cut(printable(quarantine), lengthMax)],
    [
      'error',
      error === undefined || quarantine !== null ? null : `${error.code}: ${cut(printable(error.message), lengthMax)}`,
    ],
  ] as const;
}

const waitsShownMax = 5;

function waitsOf({ prompts, events }: Suspension): Fact[] {
  const asked = prompts.map((prompt): Fact => {
    const until = prompt.deadline === null ? '' : `  until ${timeOf(prompt.deadline)}`;
    return ['asks', `${titleOf(prompt)}${until}`];
  });
  const awaited = events.map((event): Fact => ['waits', `for the event ${describeEvent(event)}`]);
  const all = [...asked, ...awaited];
  const rest = all.length - waitsShownMax;
  return [...all.slice(0, waitsShownMax), ...(rest > 0 ? [['', `… and ${rest} more`] as const] : [])];
}

function printThrown(thrown: Thrown): void {
  for (const line of drawThrown(thrown)) output.line(output.paint('dim', `           ${line}`));
}

function printOutput(value: Json): void {
  const [first, ...rest] = cut(prettyJson(value, output.columns - 12), lengthMax).split('\n');
  output.line(`  ${output.paint('dim', 'output')}   ${first}`);
  for (const line of rest) output.line(`           ${line}`);
}

function printTokens({ createdAt, endedAt }: RunSummary, tokens: readonly TokenInfo[]): void {
  const span = { from: tokens[0]?.createdAt ?? createdAt, until: endedAt ?? Date.now() };
  output.line();
  for (const line of drawTokens(output, tokens, span)) output.line(line);
}

function printEvents(events: readonly RunEvent[]): void {
  const dim = (text: string) => output.paint('dim', text);
  const startedAt = events[0]?.at ?? 0;
  const rows = events.map(({ id, at, type, runId: _, seq: __, ...rest }) => {
    return [dim(id), dim(`+${duration(at - startedAt)}`), type, dim(shortened(JSON.stringify(rest), 160))];
  });
  output.line();
  for (const line of table(rows, '  ')) output.line(line);
}
