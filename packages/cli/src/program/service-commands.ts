// Service commands: an engine over HTTP, and who may use it.

import { type Command, Option } from 'commander';
import { actions, finish, json, withPlaceOptions } from './options.ts';
import { collect, collectList, numberFrom } from './parsers.ts';
import { withFlags } from './request-flags.ts';

export function addServiceCommands(program: Command): void {
  withListening(program.command('serve'))
    .description('serve an engine over HTTP')
    .option(
      '--store <path>',
      'the SQLite file, created if it does not exist, the folder of a fleet, `memory`, or a database that several servers share: postgres://… (or HEDDLE_STORE, which keeps its password out of the process list; default: ./heddle.db)',
    )
    .option(
      '--shards <n>',
      'make a fleet of so many SQLite files in the folder that --store names, or of so many shards in its database',
      numberFrom(1),
    )
    .option(actions[0], `${actions[1]}; may be given again`, collect)
    .option('--definitions <folder>', 'register every definition in this folder; may be given again', collect)
    .option(
      '--trust-snapshots <file>',
      'restore snapshots of other stores too: a file with their keys (`heddle db snapshot-key`), one per line',
    )
    .action(async (options) => finish((await import('../serve-command.ts')).serveCommand(options)));

  withListening(program.command('dev'))
    .description('serve a folder of definitions and actions, and reload what changes')
    .argument('<folder>', 'with *.json, *.workflow.mjs and actions.mjs')
    .option('--store <path>', 'the SQLite file (default: .heddle/dev.db in the folder)')
    .action(async (folder, options) => finish((await import('../dev-command.ts')).devCommand(folder, options)));

  withPlaceOptions(program.command('actions'))
    .description('the actions that nodes can name, here and with workers')
    .option('--actions <module>', 'those of this module')
    .action(async (options) => finish((await import('../actions-command.ts')).actionsCommand(options)));

  addKeys(program);
  addSecrets(program);
}

function withListening(command: Command): Command {
  return command
    .option('--host <address>', 'where to listen: any but this machine needs a key (default: 127.0.0.1)')
    .option('--port <n>', 'default: 4100; 0 picks a free one', numberFrom(0, 65_535))
    .option('--origin <origin>', 'allow requests from web pages of this origin; may be given again', collect)
    .option('--behind-proxy', 'a proxy that terminates TLS stands in front: believe its X-Forwarded-Proto')
    .option('--rate <n>', 'requests per second that one key may make', numberFrom(1))
    .addOption(
      new Option(
        '--allow-private <hosts>',
        'hosts, addresses or blocks (10.1.0.0/16) of your own network that workflows may send requests to, with commas between; may be given again (default: public addresses only)',
      )
        .env('HEDDLE_ALLOW_PRIVATE')
        .argParser(collectList),
    )
    .addOption(
      new Option('--log-level <level>', 'lines of JSON on standard error, from this level on')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('warn'),
    )
    .option(...json);
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys of a server');
  const commands = () => import('../keys-command.ts');
  const id = ['<key>', 'its id'] as const;

  withFlags(withPlaceOptions(keys.command('create')), 'createKey', ['scopes', 'tenant', 'expiresAt'])
    .description('create a key and print it; it is shown only once')
    .argument('[name]', 'what it is for', 'made on the command line')
    .action(async (name, options) => finish((await commands()).createKey(name, options)));

  withFlags(withPlaceOptions(keys.command('list')), 'listKeys', ['limit', 'after'], { limit: 100 })
    .description('all keys, without their texts')
    .action(async (options) => finish((await commands()).listKeys(options)));

  withFlags(withPlaceOptions(keys.command('rotate')), 'rotateKey', ['graceMs'])
    .description('create a new key with the same rights; the old one expires after a while')
    .argument(...id)
    .action(async (key, options) => finish((await commands()).rotateKey(key, options)));

  withPlaceOptions(keys.command('revoke'))
    .description('revoke a key now')
    .argument(...id)
    .action(async (key, options) => finish((await commands()).revokeKey(key, options)));
}

function addSecrets(program: Command): void {
  const secrets = program.command('secrets').description('values that actions may send but nobody can read back');
  const commands = () => import('../secrets-command.ts');
  const name = ['<name>', 'how actions name it'] as const;

  withFlags(withPlaceOptions(secrets.command('set')), 'setSecret', ['hosts'])
    .description('store a value, encrypted: piped in, or typed without echo')
    .argument(...name)
    .action(async (secret, options) => finish((await commands()).setSecret(secret, options)));

  withPlaceOptions(secrets.command('list'))
    .description('all secrets, without their values')
    .action(async (options) => finish((await commands()).listSecrets(options)));

  withPlaceOptions(secrets.command('remove'))
    .description('remove one')
    .argument(...name)
    .action(async (secret, options) => finish((await commands()).removeSecret(secret, options)));
}
