// Run commands: runs in a file or with a server: start, look, watch, and what is done to them.

import type { Command } from 'commander';
import { filterMembers, startMembers } from '../request-members.ts';
import { actions, answer, dialect, finish, input, quiet, withPlaceOptions } from './options.ts';
import { collect, numberFrom } from './parsers.ts';
import { withFlags } from './request-flags.ts';

const run = ['<run>', 'its id, or `last`'] as const;

export function addRunCommands(program: Command): void {
  addStart(program);
  addLooks(program);
  addExplain(program);
  addControls(program);
}

function addStart(program: Command): void {
  withFlags(withPlaceOptions(program.command('start')), 'startRun', startMembers)
    .description('start a run and print its id')
    .argument('<workflow>', 'a workflow that is registered, or a file with a definition')
    .option(...input)
    .option('--wait', 'show it and print its output')
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
  withFlags(withFilter(program.command('runs')), 'listRuns', ['parentRunId', 'subRuns'])
    .description('list runs, newest first')
    // Of as many pages as that takes: more than one request may ask for.
    .option('--limit <n>', 'at most so many', numberFrom(1, 10_000), 20)
    .option('--after <cursor>', 'continue where the previous page ended, or after a run')
    .option('--all', 'all of them')
    .action(async (options) => finish((await import('../runs-command.ts')).runsCommand(options)));

  withPlaceOptions(program.command('show'))
    .description('show one run: status, tokens, times')
    .argument(...run)
    .option('--events', 'its journal too')
    .action(async (runId, options) => finish((await import('../show-command.ts')).showCommand(runId, options)));

  withPlaceOptions(program.command('export'))
    .description('a run as one HTML file that opens offline, with its graph, timeline and state at every moment')
    .argument(...run)
    .option('--redact <path>', 'take out what has this name, and every copy of it; may be given again', collect)
    .option('-o, --output <file>', 'where to write it; otherwise beside you, named for the run')
    .action(async (runId, options) => finish((await import('../export-command.ts')).exportCommand(runId, options)));

  withPlaceOptions(program.command('watch'))
    .description('show a run live until it has ended')
    .argument(...run)
    .option(...quiet)
    .action(async (runId, options) => finish((await import('../watch-command.ts')).watchCommand(runId, options)));

  const events = withFlags(withPlaceOptions(program.command('events')), 'streamEvents', ['workflow']);
  withFlags(events, 'streamRunEvents', ['after'])
    .description('print the journal of a run, or of all runs in commit order; with --json one line per event')
    .argument('[run]', 'its id, or `last`')
    .option('--all', 'of all runs')
    .option('--follow', 'and then new events as they are committed')
    .action(async (runId, options) => finish((await import('../events-command.ts')).eventsCommand(runId, options)));

  withFlags(withPlaceOptions(program.command('trace')), 'streamRunTrace', ['after'])
    .description(
      'how the decisions about a run came about, if it was started with --trace; with --json a line of JSON each',
    )
    .argument(...run)
    .option('--follow', 'and then what comes')
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

/** Where the runs are, and which of them. */
function withFilter(command: Command): Command {
  return withFlags(withPlaceOptions(command), 'listRuns', filterMembers);
}

function addControls(program: Command): void {
  const several = ['[runs...]', 'their ids, or `last`; or say which with the options'] as const;
  const control = async () => (await import('../control-commands.ts')).controlCommand;

  withFlags(withFilter(program.command('cancel')), 'cancelRun', ['reason'])
    .description('cancel runs and their sub-runs')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('cancel', runs, options)));

  withFilter(program.command('pause'))
    .description('start no further tasks of these runs until they are resumed')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('pause', runs, options)));

  withFlags(withFilter(program.command('retry')), 'retryRun', ['keepKeys', 'idempotencyKey'])
    .description('start new runs that resume just before the failure of these; prints the new ids')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('retry', runs, options)));

  withFilter(program.command('release'))
    .description('resume runs that were set aside because their stored data could not be used')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('release', runs, options)));

  withFilter(program.command('delete'))
    .description('delete runs that have ended, and their sub-runs')
    .argument(...several)
    .action(async (runs, options) => finish((await control())('delete', runs, options)));
}
