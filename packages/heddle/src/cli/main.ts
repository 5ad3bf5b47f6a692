#!/usr/bin/env node
// Main: the command `heddle`. Reads the command line, loads what the command needs and nothing else, and turns whatever
// goes wrong into one sentence and an exit code.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { exitCodes, reportOf } from './command-error.ts';

const program = new Command('heddle')
  .description('Runs graph workflows durably.')
  .version(versionOf(), '-v, --version')
  .showHelpAfterError('Type heddle --help, or heddle help COMMAND.')
  .helpCommand(false)
  .exitOverride();

const storeToRead = ['--store <path>', 'the SQLite file to look into', './heddle.db'] as const;
const json = ['--json', 'for programs: the last line is JSON'] as const;
const actions = ['--actions <module>', 'a module that exports actions: functions, or objects with a run'] as const;
const answer = ['--answer <json>', 'the answer to the next prompt: JSON, or @FILE; may be given again'] as const;
const quiet = ['--quiet', 'no progress'] as const;
const dialect = new Option(
  '--dialect <dialect>',
  'how to read a graph that does not say it, as editors save them',
).choices(['dataflow', 'handle']);

program
  .command('validate')
  .description('say everything that is wrong with definitions, at once')
  .argument('<file...>', 'JSON, or a module that exports one definition')
  .option(...actions)
  .addOption(dialect)
  .option(...json)
  .action(async (files, options) => finish((await import('./validate-command.ts')).validateCommand(files, options)));

program
  .command('convert')
  .description('show what a definition of any dialect compiles to')
  .argument('<file>', 'JSON, or a module that exports one definition')
  .addOption(new Option('--to <dialect>', 'what to show it as').choices(['token']).default('token'))
  .option(...actions)
  .addOption(dialect)
  .option('--json', 'for programs: on one line')
  .action(async (file, options) => finish((await import('./convert-command.ts')).convertCommand(file, options)));

program
  .command('run')
  .description('start a run, show it, answer with its output')
  .argument('<file>', 'the definition: JSON, or a module that exports one')
  .option('--input <json>', 'the input: JSON, @FILE, or @- for what is piped in', '{}')
  .option(...actions)
  .option(...answer, collect)
  .addOption(dialect)
  .option('--store <path>', 'keep the run in this SQLite file, so that it can go on after a crash (default: in memory)')
  .option('--register <file>', 'a definition that the run calls; may be given again', collect)
  .option('--idempotency-key <key>', 'starting again with the same key gives the same run')
  .option('--tag <key=value>', 'a mark to find the run by; may be given again', collectTag)
  .option(...quiet)
  .option(...json)
  .action(async (file, options) => finish((await import('./run-command.ts')).runCommand(file, options)));

program
  .command('resume')
  .description('go on with what an earlier process left unfinished')
  .argument('[run]', 'one run (default: all)')
  .option('--store <path>', 'the SQLite file', './heddle.db')
  .option(...actions)
  .option(...answer, collect)
  .option(...quiet)
  .option(...json)
  .action(async (run, options) => finish((await import('./resume-command.ts')).resumeCommand(run, options)));

program
  .command('runs')
  .description('list runs, newest first')
  .option(...storeToRead)
  .option('--status <status>', 'only those with this status')
  .option('--workflow <id>', 'only those of this workflow')
  .option('--tag <key=value>', 'only those with this tag; may be given again', collectTag)
  .option('--limit <n>', 'at most so many', wholeNumber, 20)
  .option(...json)
  .action(async (options) => finish((await import('./runs-command.ts')).runsCommand(options)));

program
  .command('show')
  .description('one run: what it is, its tokens, its times')
  .argument('<run>', 'its id, or `last`')
  .option(...storeToRead)
  .option('--events', 'its journal too')
  .option(...json)
  .action(async (run, options) => finish((await import('./show-command.ts')).showCommand(run, options)));

program
  .command('audit')
  .description('check that every journal is whole and gives the stored state')
  .option(...storeToRead)
  .option(...json)
  .action(async (options) => finish((await import('./audit-command.ts')).auditCommand(options)));

program
  .command('simulate')
  .description('run a definition a thousand times, in worlds that go wrong, and look for what must not happen')
  .argument('<file>', 'the definition: JSON, or a module that exports one')
  .option('--invariant <expression>', 'what must hold after every step; may be given again', collect)
  .option('--runs <n>', 'how many runs', positiveNumber, 1_000)
  .option('--seed <n>', 'the first seed', wholeSeed, 1)
  .option('--input <json>', 'the input: JSON, @FILE, or @- for what is piped in', '{}')
  .option(...actions)
  .option('--answer <json>', 'what people answer to prompts: JSON, or @FILE; several take turns', collect)
  .option('--event <name=json>', 'an event that is published from outside; may be given again', collectTag)
  .option('--faults <names>', 'only these, with commas between them; `none` for none')
  .addOption(dialect)
  .option('--register <file>', 'a definition that the run calls; may be given again', collect)
  .option(...json)
  .action(async (file, options) => finish((await import('./simulate-command.ts')).simulateCommand(file, options)));

program
  .command('demo')
  .description('a run that is killed in the middle and goes on')
  .action(async () => finish((await import('./demo-command.ts')).demoCommand()));

program
  .command('help')
  .description('what a command does and takes')
  .argument('[command]')
  .action((name?: string) => {
    const about = name === undefined ? program : program.commands.find((command) => command.name() === name);
    if (!about) return program.error(`error: Expected a command, but there is none named "${name}"`);
    about.outputHelp();
  });

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function collectTag(value: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    throw new InvalidArgumentError('Write a number from 1 to 10000.');
  return number;
}

function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Write a number from 1 on.');
  return number;
}

function wholeSeed(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('Write a whole number from 0 on.');
  return number;
}

function versionOf(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

async function finish(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}

/** One sentence; a stack trace only for whoever asks for it. */
function complain(error: unknown): number {
  const { code, message, problems } = reportOf(error);
  const isJson = process.argv.includes('--json');
  if (isJson && ['run', 'resume'].includes(process.argv[2] ?? '')) {
    console.log(
      JSON.stringify({
        runId: null,
        status: null,
        output: null,
        error: { code, message, ...(problems ? { details: problems } : {}) },
      }),
    );
  } else if (isJson)
    console.log(JSON.stringify({ error: { code, message, ...(problems ? { details: problems } : {}) } }));
  console.error(`heddle: ${code}: ${message}`);
  if (process.env['HEDDLE_DEBUG']) console.error(error);
  else if (code === 'FAILED') console.error('heddle: This should not happen; HEDDLE_DEBUG=1 tells more, for a report.');
  const { exitCode } = error as { readonly exitCode?: unknown };
  return typeof exitCode === 'number' ? exitCode : exitCodes.refused;
}

/** Actions may leave timers and sockets behind; what is written must be out before the process ends. */
async function leave(exitCode: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  process.exit(exitCode);
}

// Whoever reads a part only (`heddle runs | head -1`) has had enough.
process.stdout.on('error', ({ code }: { readonly code?: string }) => process.exit(code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  // Commander has said what is wrong with the command line already.
  if (!(error instanceof CommanderError)) process.exitCode = complain(error);
  else process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.refused;
}
await leave(Number(process.exitCode ?? 0));
