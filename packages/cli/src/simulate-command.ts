// `heddle simulate`: a definition in many worlds that go wrong, and the simplest one in which something happens that must
// not. Nothing of it touches a store.

import type { JsonObject } from 'heddle';
import { allFaults, type Fault, type Simulation, simulate, type Violation } from 'heddle/testing';
import { type CheckedDocument, checkDocument, printProblems } from './check-documents.ts';
import { CommandError, exitCodes } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { loadActions } from './load-actions.ts';
import { quoted } from './quoted.ts';
import { readDocument, readValue } from './read-document.ts';
import { findUnknown, refuseInvalid } from './run-command.ts';
import { count, output, printable, progress } from './terminal.ts';

export interface SimulateCommandOptions {
  readonly invariant?: readonly string[];
  readonly runs: number;
  readonly seed: number;
  readonly input: string;
  readonly actions?: string;
  readonly answer?: readonly string[];
  readonly event?: Readonly<Record<string, string>>;
  readonly faults?: string;
  readonly dialect?: DrawnDialect;
  readonly register?: readonly string[];
  readonly json?: boolean;
}

export async function simulateCommand(file: string, options: SimulateCommandOptions): Promise<number> {
  const actions = await loadActions(options.actions);
  const checked: CheckedDocument[] = [];
  for (const each of [...(options.register ?? []), file])
    checked.push(checkDocument(await readDocument(each, options.dialect), actions));
  for (const { document, problems } of checked) printProblems(progress, document.file, problems);
  if (checked.some(({ isValid }) => !isValid)) return refuseInvalid(checked, options);
  findUnknown(checked, actions, options);
  const { invariant: invariants = [], runs, seed } = options;
  const simulation = await simulate({
    definitions: checked.map(({ document }) => document.value) as [unknown, ...unknown[]], // at least FILE
    input: readInput(options),
    actions,
    reply: answersInTurn(options.answer),
    events: Object.entries(options.event ?? {}).map(([name, text]) => ({ name, payload: readValue('--event', text) })),
    invariants,
    runs,
    seed,
    ...(options.faults === undefined ? {} : { faults: readFaults(options.faults) }),
  });
  if (options.json) output.line(JSON.stringify(simulation));
  else report(simulation, file, options);
  return simulation.violation || simulation.unseen.length > 0 ? exitCodes.notCompleted : exitCodes.done;
}

function readInput({ input }: SimulateCommandOptions) {
  const value = readValue('--input', input);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject; // no list, which the compiler does not see
  throw new CommandError('INPUT_INVALID', `Expected --input to be a JSON object, but found ${JSON.stringify(value)}.`);
}

function answersInTurn(given: readonly string[] = ['{}']) {
  const answers = given.map((text) => readValue('--answer', text));
  let next = 0;
  return () => answers[next++ % answers.length] ?? {};
}

function readFaults(text: string): Fault[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(allFaults as readonly string[]).includes(name)); // names are texts
  if (unknown === undefined) return names as Fault[]; // all of them are
  throw new CommandError(
    'FAULT_UNKNOWN',
    `Expected --faults to name faults, but there is none named "${unknown}"; there are ${allFaults.join(', ')}.`,
  );
}

function report(
  { runs, statuses, faults, unseen, violation }: Simulation,
  file: string,
  options: SimulateCommandOptions,
) {
  const injected = Object.values(faults).reduce((sum, times) => sum + times, 0);
  const ends = Object.entries(statuses).map(([status, times]) => `${times.toLocaleString('en')} ${status}`);
  if (violation) tellViolation(violation, file, options);
  for (const source of unseen)
    output.line(
      `${output.paint('red', 'says nothing')}: ${printable(source)}; what it speaks of was never there, in no run`,
    );
  const claims = count((options.invariant ?? []).length + 1, 'invariant');
  const seen = `${count(runs, 'run')} (${ends.join(', ')}), ${count(injected, 'fault')}`;
  output.line(`${verdictOn({ violation, unseen })} ${claims}, ${seen}`);
}

/** An invariant that speaks of nothing proves nothing: the command fails, and must not say that all of them hold. */
function verdictOn({ violation, unseen }: Pick<Simulation, 'violation' | 'unseen'>): string {
  if (violation) return `${output.paint('red', 'broken')}: one of`;
  if (unseen.length > 0) return `${output.paint('red', 'not shown')}: ${unseen.length} of`;
  return `${output.paint('green', 'holds')}:`;
}

function tellViolation({ invariant, message, seed, text }: Violation, file: string, options: SimulateCommandOptions) {
  output.line(`${output.paint('red', 'broken')}: ${printable(invariant)}`);
  output.line(`  ${printable(message)}`);
  output.line();
  for (const line of text.split('\n')) output.line(printable(line));
  output.line();
  output.line(
    `again: npx heddle simulate ${[file, ...wordsOf(options)].map(quoted).join(' ')} --runs 1 --seed ${seed}`,
  );
}

/** The options that make the world what it is, as they were written. */
function wordsOf(options: SimulateCommandOptions): string[] {
  const { actions, input, dialect, register = [], answer = [], event = {}, faults, invariant = [] } = options;
  const option = (name: string, values: readonly (string | undefined)[]): string[] =>
    values.flatMap((value) => (value === undefined ? [] : [name, value]));
  return [
    ...option('--actions', [actions]),
    ...option('--input', [input === '{}' ? undefined : input]),
    ...option('--dialect', [dialect]),
    ...option('--register', register),
    ...option('--answer', answer),
    ...option(
      '--event',
      Object.entries(event).map(([name, value]) => `${name}=${value}`),
    ),
    ...option('--faults', [faults]),
    ...option('--invariant', invariant),
  ];
}
