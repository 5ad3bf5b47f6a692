// Operation commands: whether what is stored is sound, and the file that it is in.

import type { Command } from 'commander';
import { finish, json, store, withPlaceOptions } from './options.ts';
import { numberFrom } from './parsers.ts';

export function addOperationCommands(program: Command): void {
  withPlaceOptions(program.command('audit'))
    .description('check that every journal is intact and replays to the stored state')
    .action(async (options) => finish((await import('../audit-command.ts')).auditCommand(options)));

  program
    .command('copy')
    .description('copy a store that nobody has open into a new one with more shards; runs keep their ids')
    .argument('<from>', 'a SQLite file, or the folder of a fleet')
    .argument('<to>', 'a file that does not exist yet; with --shards, a folder')
    .option('--shards <n>', 'make a fleet of so many SQLite files', numberFrom(1))
    .option(...json)
    .action(async (from, to, options) => finish((await import('../copy-command.ts')).copyCommand(from, to, options)));

  const db = program.command('db').description('the file: size, backup, vacuum');
  const commands = () => import('../db-command.ts');

  withPlaceOptions(db.command('stats'))
    .description('number of runs and size of the file')
    .action(async (options) => finish((await commands()).statsCommand(options)));

  withPlaceOptions(db.command('backup'))
    .description('copy it while it is in use; the copy can be opened as a store')
    .argument('[path]', 'a file that does not exist yet; a server chooses the path, on its own machine')
    .action(async (path, options) => finish((await commands()).backupCommand(path, options)));

  withPlaceOptions(db.command('vacuum'))
    .description('rewrite it to its smallest size')
    .action(async (options) => finish((await commands()).vacuumCommand(options)));

  db.command('accept-missing-log')
    .description('accept a file whose log is missing, with what the file itself holds')
    .option(...store)
    .option(...json)
    .action(async (options) => finish((await commands()).acceptMissingLogCommand(options)));

  db.command('snapshot-key')
    .description('print the key that this store seals snapshots with, for `serve --trust-snapshots`; keep it secret')
    .option(...store)
    .option(...json)
    .action(async (options) => finish((await commands()).snapshotKeyCommand(options)));
}
