// Run commands: runs in a file or with a server: start, look, watch, and what is done to them.

import { type Command, Option } from 'commander';
import { finish } from './finish.ts';
import {
  actions,
  answer,
  collect,
  collectTag,
  dialect,
  durationMs,
  input,
  numberFrom,
  quiet,
  trace,
  withFilterOptions,
  withPlaceOptions,
} from './options.ts';

const run = ['<run>', 'its id, or `last`'] as const;

export function addRunCommands(program: Command): void {
  addStart(program);
  addLooks(program);
  addExplain(program);
  addControls(program);
}

function addStart(program: Command): void {
  withPlaceOptions(program.command('start'))
    .description('start a run and print its id')
    .argument('<workflow>', 'a workflow that is registered, or a file with a definition')
    .option(...input)
    .option('--wait', 'show it and print its output')
    .option('--tag <key=value>', 'a mark to find the run by; may be given again', collectTag)
    .option('--idempotency-key <key>', 'starting again with the same key gives the same run')
    .addOption(
      new Option('--if-failed <choice>', 'with the key of a run that failed (default: return)').choices([
        'return',
        'retry',
        'restart',
      ]),
    )
    .option('--delay <time>', 'start later: 90s, 10m, 2h', durationMs)
    .option('--workflow-version <n>', 'a version of the workflow (default: the latest)', numberFrom(1))
    .option('--organization <id>', 'whose credits pay for it')
    .option(...trace)
    .option(...actions)
    .option(...answer, collect)
    .addOption(dialect)
    .option(...quiet)
    .action(async (workflow, options) => finish((await import('../start-command.ts')).startCommand(workflow, options)));

  withPlaceOptions(program.command('resume'))
    .description('resume a paused run; on a file, resume what an earlier process left unfinished')
    .argument('[run]', 'one run (default, on a file: all that are unfinished)')
    .option(...actions)
    .option(...answer, collect)
    .option(...quiet)
    .action(async (runId, options) => finish((await import('../resume-command.ts')).resumeCommand(runId, options)));
}

function addLooks(program: Command): void {
  withFilterOptions(withPlaceOptions(program.command('runs')))
    .description('list runs, newest first')
    .option('--parent <run>', 'only those that this run called')
    .option('--sub-runs', 'sub-runs too')
    .option('--limit <n>', 'at most so many', numberFrom(1, 10_000), 20)
    .option('--after <cursor>', 'continue where the previous page ended, or after a run')
    .option('--all', 'all of them')
    .action(async (options) => finish((await import('../runs-command.ts')).runsCommand(options)));

  withPlaceOptions(program.command('show'))
    .description('show one run: status, tokens, times')
    .argument(...run)
    .option('--events', 'its journal too')
    .action(async (runId, options) => finish((await import('../show-command.ts')).showCommand(runId, options)));

  withPlaceOptions(program.command('watch'))
    .description('show a run live until it has ended')
    .argument(...run)
    .option(...quiet)
    .action(async (runId, options) => finish((await import('../watch-command.ts')).watchCommand(runId, options)));

  withPlaceOptions(program.command('events'))
    .description('print the journal of a run, or of all runs in commit order; with --json one line per event')
    .argument('[run]', 'its id, or `last`')
    .option('--all', 'of all runs')
    .option('--workflow <id>', 'with --all: only of runs of this workflow')
    .option('--follow', 'and then new events as they are committed')
    .option('--after <id>', 'only what came after this event')
    .action(async (runId, options) => finish((await import('../events-command.ts')).eventsCommand(runId, options)));

  withPlaceOptions(program.command('trace'))
    .description(
      'how the decisions about a run came about, if it was started with --trace; with --json a line of JSON each',
    )
    .argument(...run)
    .option('--follow', 'and then what comes')
    .option('--after <id>', 'only what came after this trace event')
    .action(async (runId, options) => finish((await import('../trace-command.ts')).traceCommand(runId, options)));
}

function addExplain(program: Command): void {
  withPlaceOptions(program.command('explain'))
    .description('why a run did what it did: its decisions, made again and compared with its journal')
    .argument(...run)
    .option('--at <event>', 'an event, such as 12.0 (default: all of the run)')
    .option('--with <file>', 'decide by this definition instead; it is not stored')
    .option('--output <json>', 'with --at: as if the result, the answer or the event had been this')
    .option('--error <code>', 'with --at: as if the task or the sub-run had failed so')
    .option('--input <json>', 'with --at: as if the run had been started with this')
    .option('--state <json>', 'with --at: as if these keys of its state had been so')
    .addOption(dialect)
    .action(async (runId, options) => finish((await import('../explain-command.ts')).explainCommand(runId, options)));
}

function addControls(program: Command): void {
  const several = ['[runs...]', 'their ids, or `last`; or say which with the options'] as const;
  const control = async () => (await import('../control-commands.ts')).controlCommand;

  withFilterOptions(withPlaceOptions(program.command('cancel')))
    .description('cancel runs and their sub-runs')
    .argument(...several)
    .option('--reason <text>', 'why')
    .action(async (runs, options) => finish((await control())('cancel', runs, options)));

  withFilterOptions(withPlaceOptions(program.command('pause')))
    .description('start no further tasks of these runs until they are resumed')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('pause', runs, options)));

  withFilterOptions(withPlaceOptions(program.command('retry')))
    .description('start new runs that resume just before the failure of these; prints the new ids')
    .argument(...several)
    .option('--keep-keys', 'keep the idempotency keys of their tasks')
    .option('--idempotency-key <key>', 'retrying again with the same key gives the same run')
    .action(async (runs, options) => finish((await control())('retry', runs, options)));

  withFilterOptions(withPlaceOptions(program.command('release')))
    .description('resume runs that were set aside because their stored data could not be used')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('release', runs, options)));

  withFilterOptions(withPlaceOptions(program.command('delete')))
    .description('delete runs that have ended, and their sub-runs')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('delete', runs, options)));
}
