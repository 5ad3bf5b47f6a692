// Report ending: what a command says about its runs in the end, to people and to programs, and its exit code.

import { type Failure, type Json, type RunResult, type RunStatus, type RunSummary } from 'heddle';
import type { AnswerRefused } from './answers.ts';
import { exitCodes } from './command-error.ts';
import { isOver } from './follow-tree.ts';
import { quoted } from './quoted.ts';
import type { Ending, Session, SessionOptions } from './session.ts';
import { answerOption, describeSuspension, type Suspension, suspensionOf, titleOf } from './suspension.ts';
import { count, output, prettyJson, printable, progress, shortened } from './terminal.ts';

/** As much as is known of a run; what a command itself has against it may stand in place of its error. */
interface ReportedRun {
  readonly runId?: string;
  readonly status?: RunStatus;
  readonly output?: Json | undefined;
  readonly error?: Failure | undefined;
}

/** The last line of `--json`; all four are always there. */
export function jsonLine({ runId, status, output: result, error }: ReportedRun): string {
  return JSON.stringify({ runId: runId ?? null, status: status ?? null, output: result ?? null, error: error ?? null });
}

const runsToldMax = 10;

interface ReportOptions extends SessionOptions {
  readonly runIds: readonly string[];
}

/** Says how it ended, and closes the session. */
export async function reportEnding(session: Session, ending: Ending, options: ReportOptions): Promise<number> {
  if (ending.type === 'ended') {
    await session.close();
    for (const result of ending.results) reportResult(result, options.json ?? false);
    sayUnused(session.answersLeft);
    return ending.results.every(({ status }) => status === 'completed') ? exitCodes.done : exitCodes.notCompleted;
  }
  if (ending.type === 'interrupted') progress.line('Closing; press Ctrl-C again to leave at once.');
  const left = await lookAt(session, options.runIds);
  await session.close();
  const error = ending.type === 'answer refused' ? { error: failureOf(ending.refusal) } : {};
  if (options.json) for (const { summary } of left) output.line(jsonLine({ ...summary, ...error }));
  if (ending.type === 'suspended') reportSuspended(left, options);
  else sayHowToResume(reasonOf(ending), left, { ...options, needsActions: ending.type === 'missing action' });
  if (ending.type === 'suspended') sayUnused(session.answersLeft);
  return exitCodes.notCompleted;
}

/** A run that the command leaves as it is. */
interface LeftRun {
  readonly summary: RunSummary;
  /** Null for a run that has ended, and beyond those that are told one by one. */
  readonly suspension: Suspension | null;
}

/** What they wait for is looked up of those alone that are told one by one. */
async function lookAt({ heddle }: Session, runIds: readonly string[]): Promise<readonly LeftRun[]> {
  const left: LeftRun[] = [];
  for (const runId of runIds) {
    const summary = await heddle.run(runId).summary();
    const isTold = !isOver(summary) && left.filter(({ suspension }) => suspension !== null).length < runsToldMax;
    left.push({ summary, suspension: isTold ? await suspensionOf(heddle, summary) : null });
  }
  return left;
}

function reportResult(result: RunResult | RunSummary, json: boolean): void {
  const { runId, status, error } = result;
  if (json) return output.line(jsonLine(result));
  if (status === 'completed') return output.line(prettyJson(result.output));
  const why = error ? `: ${error.code}: ${printable(error.message)}` : '';
  progress.line(`${progress.paint('red', status)}: run ${runId} did not complete${why}`);
}

function sayUnused(answers: number): void {
  if (answers > 0) progress.line(`${count(answers, 'answer was', 'answers were')} not asked for.`);
}

/** Those that have ended are told as ever; each of the others with what it waits for. */
function reportSuspended(left: readonly LeftRun[], options: ReportOptions): void {
  for (const run of left) {
    const { summary, suspension } = run;
    if (isOver(summary) && !options.json) reportResult(summary, false);
    if (suspension)
      sayHowToResume(`Run ${summary.runId} is suspended: ${describeSuspension(suspension)}`, [run], options);
  }
  const others = left.filter(({ summary, suspension }) => !isOver(summary) && suspension === null).length;
  if (others > 0)
    progress.line(
      `${count(others, 'more run is', 'more runs are')} suspended; list them with: npx heddle runs --status suspended`,
    );
}

function reasonOf(ending: Exclude<Ending, { type: 'ended' | 'suspended' }>): string {
  switch (ending.type) {
    case 'interrupted':
      return 'Interrupted';
    case 'missing action':
      return `Expected an action named "${ending.action}", but it was not given`;
    case 'answer refused': {
      const { prompt, answer, report } = ending.refusal;
      const { problems = [] } = report;
      const why = problems.map(({ message: each }) => each).join('; ') || report.message;
      const found = shortened(JSON.stringify(answer), 100);
      return `Expected an answer that fits ${titleOf(prompt)}, but ${found} does not: ${printable(why)}`;
    }
  }
}

function failureOf({ report: { code, message, problems } }: AnswerRefused) {
  return { code, message, ...(problems ? { details: problems.map((problem) => ({ ...problem })) } : {}) };
}

function sayHowToResume(
  why: string,
  left: readonly LeftRun[],
  options: ReportOptions & { readonly needsActions?: boolean },
): void {
  const [only, ...others] = left;
  const suspension = only && others.length === 0 ? only.suspension : null;
  const [prompt] = suspension?.prompts ?? [];
  const answer = prompt && answerOption(prompt);
  const { store, needsActions = false } = options;
  if (store === undefined) {
    const next = needsActions ? 'pass it with --actions MODULE' : nextInMemory(answer);
    progress.line(`${why}; the run was kept in memory only and is gone; ${next}.`);
    return;
  }
  const actions = options.actions ?? (needsActions ? 'MODULE' : undefined);
  const command = [
    'npx heddle resume',
    ...(only && others.length === 0 ? [only.summary.runId] : []),
    `--store ${quoted(store)}`,
    ...(actions ? [`--actions ${quoted(actions)}`] : []),
    ...(answer && !needsActions ? [answer] : []),
  ];
  const when = suspension?.events[0] ? 'When your program has published it, resume' : 'Resume';
  progress.line(`${why}; nothing is lost. ${when} with: ${command.join(' ')}`);
}

function nextInMemory(answer: string | undefined): string {
  return answer === undefined
    ? 'with --store FILE it could be resumed later'
    : `give ${answer}, or keep it with --store FILE`;
}
