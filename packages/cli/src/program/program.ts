// Program: all commands, with what they take. Each loads what it needs when it is called, and nothing else.

import { Command } from 'commander';
import { addDefinitionCommands } from './definition-commands.ts';
import { addOperationCommands } from './operation-commands.ts';
import { finish } from './options.ts';
import { addPeopleCommands } from './people-commands.ts';
import { makeFlags } from './request-flags.ts';
import { addRunCommands } from './run-commands.ts';
import { addServiceCommands } from './service-commands.ts';

export function makeProgram(version: string): Command {
  const program = new Command('heddle')
    .description('Runs graph workflows durably.')
    .version(version, '-v, --version')
    .showHelpAfterError('Type heddle --help, or heddle help COMMAND.')
    .helpCommand(false)
    .hook('preSubcommand', (_, command) => makeFlags(command))
    .exitOverride();
  addDefinitionCommands(program.commandsGroup('Definitions in files:'), version);
  addRunCommands(program.commandsGroup('Runs, in a file or with a server:'));
  addPeopleCommands(program.commandsGroup('People, events, triggers:'));
  addServiceCommands(program.commandsGroup('Serving:'));
  addOperationCommands(program.commandsGroup('What is stored:'));
  addHelp(program.commandsGroup('Help:'));
  return program;
}

function addHelp(program: Command): void {
  program
    .command('completion')
    .description('what a shell needs to complete command lines: source <(heddle completion bash)')
    .addArgument(program.createArgument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      await makeFlags(program);
      return finish((await import('../completion-command.ts')).completionCommand(program, shell));
    });

  program
    .command('help')
    .description('what a command does and takes')
    .argument('[command...]')
    .action(async (names: readonly string[]) => {
      let about: Command | undefined = program;
      for (const name of names) about = about?.commands.find((command) => command.name() === name);
      if (!about) return program.error(`error: Expected a command, but there is none named "${names.join(' ')}"`);
      await makeFlags(about);
      about.outputHelp();
    });
}
