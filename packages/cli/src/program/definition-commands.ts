// Definition commands: what works on definitions in files, and needs no store.

import { type Command, Option } from 'commander';
import { actions, answer, dialect, finish, input, json, quiet } from './options.ts';
import { collect, collectPair, numberFrom } from './parsers.ts';
import { withFlags } from './request-flags.ts';

const definition = 'the definition: JSON, or a module that exports one';

export function addDefinitionCommands(program: Command, version: string): void {
  program
    .command('init')
    .description('create a project folder: a workflow, an action, and a test that passes')
    .argument('<folder>', 'a folder that does not exist yet, or is empty')
    .option('--cloudflare', 'for Durable Objects of Cloudflare, tried and tested on this machine by wrangler')
    .option(...json)
    .action(async (folder, options) =>
      finish((await import('../init-command.ts')).initCommand(folder, { ...options, version })),
    );

  program
    .command('validate')
    .description('report all problems of definitions')
    .argument('<file...>', 'JSON, or a module that exports one definition')
    .option(...actions)
    .addOption(dialect)
    .option(...json)
    .action(async (files, options) => finish((await import('../validate-command.ts')).validateCommand(files, options)));

  program
    .command('convert')
    .description('show what a definition of any dialect compiles to')
    .argument('<file>', 'JSON, or a module that exports one definition')
    .addOption(new Option('--to <dialect>', 'what to show it as').choices(['token']).default('token'))
    .option(...actions)
    .addOption(dialect)
    .option('--json', 'for programs: on one line')
    .action(async (file, options) => finish((await import('../convert-command.ts')).convertCommand(file, options)));

  addRun(program);
  addSimulate(program);

  program
    .command('demo')
    .description('a run that is killed midway and resumes')
    .action(async () => finish((await import('../demo-command.ts')).demoCommand()));
}

function addRun(program: Command): void {
  const command = program
    .command('run')
    .description('start a run, show it, and print its output')
    .argument('<file>', definition)
    .option(...input)
    .option(...actions)
    .option(...answer, collect)
    .addOption(dialect)
    .option(
      '--store <path>',
      'keep the run in this SQLite file, so that it can resume after a crash (default: in memory)',
    )
    .option('--register <file>', 'a definition that the run calls; may be given again', collect);
  withFlags(command, 'startRun', ['idempotencyKey', 'tags', 'trace'])
    .option(...quiet)
    .option(...json)
    .action(async (file, options) => finish((await import('../run-command.ts')).runCommand(file, options)));
}

function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description('run a definition a thousand times under simulated faults and check invariants')
    .argument('<file>', definition)
    .option('--invariant <expression>', 'what must hold after every step; may be given again', collect)
    .option('--runs <n>', 'how many runs', numberFrom(1), 1_000)
    .option('--seed <n>', 'the first seed', numberFrom(0), 1)
    .option(...input)
    .option(...actions)
    .option('--answer <json>', 'what people answer to prompts: JSON, or @FILE; several take turns', collect)
    .option('--event <name=json>', 'an event that is published from outside; may be given again', collectPair)
    .option('--faults <names>', 'only these, with commas between them; `none` for none')
    .addOption(dialect)
    .option('--register <file>', 'a definition that the run calls; may be given again', collect)
    .option(...json)
    .action(async (file, options) => finish((await import('../simulate-command.ts')).simulateCommand(file, options)));
}
