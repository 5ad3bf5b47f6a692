// People commands: what comes from outside: answers to prompts, events, triggers.

import type { Command } from 'commander';
import { finish, input, withPlaceOptions } from './options.ts';
import { withFlags } from './request-flags.ts';

export function addPeopleCommands(program: Command): void {
  withFlags(withPlaceOptions(program.command('prompts')), 'listPrompts', ['runId', 'limit', 'after'], { limit: 50 })
    .description('list open prompts')
    .action(async (options) => finish((await import('../prompts-command.ts')).promptsCommand(options)));

  withFlags(withPlaceOptions(program.command('reply')), 'replyToPrompt', ['key'])
    .description('answer a prompt; on a terminal, field by field')
    .argument('<run-or-prompt>', 'a run with one open prompt, `last`, or a prompt')
    .option('--payload <json>', 'the answer: JSON, @FILE, or @- for what is piped in')
    .action(async (given, options) => finish((await import('../reply-command.ts')).replyCommand(given, options)));

  withFlags(withPlaceOptions(program.command('publish')), 'publishEvent', ['id', 'correlation', 'ttlMs'])
    .description('publish an event: runs that wait for it resume, triggers that listen for it start runs')
    .argument('<event>', 'its name')
    .option('--payload <json>', 'what it says: JSON, @FILE, or @- for what is piped in', '{}')
    .action(async (name, options) => finish((await import('../publish-command.ts')).publishCommand(name, options)));

  addTriggers(program);
}

function addTriggers(program: Command): void {
  const triggers = program
    .command('triggers')
    .description('what starts runs automatically: events, schedules, webhooks');
  const commands = () => import('../triggers-command.ts');
  const id = ['<trigger>', 'its id'] as const;

  withPlaceOptions(triggers.command('list'))
    .description('all triggers')
    .action(async (options) => finish((await commands()).listTriggers(options)));

  withFlags(withPlaceOptions(triggers.command('create')), 'createTrigger', ['replace'])
    .description('create the triggers in a file: one, or a list')
    .argument('<file>', 'JSON')
    .action(async (file, options) => finish((await commands()).createTriggers(file, options)));

  withPlaceOptions(triggers.command('show'))
    .description('one trigger')
    .argument(...id)
    .action(async (trigger, options) => finish((await commands()).showTrigger(trigger, options)));

  withPlaceOptions(triggers.command('enable'))
    .description('enable one')
    .argument(...id)
    .action(async (trigger, options) => finish((await commands()).switchTrigger(trigger, true, options)));

  withPlaceOptions(triggers.command('disable'))
    .description('disable one until it is enabled again')
    .argument(...id)
    .action(async (trigger, options) => finish((await commands()).switchTrigger(trigger, false, options)));

  withPlaceOptions(triggers.command('remove'))
    .description('remove one; runs that it has started continue')
    .argument(...id)
    .action(async (trigger, options) => finish((await commands()).removeTrigger(trigger, options)));

  withFlags(withPlaceOptions(triggers.command('fire')), 'fireTrigger', ['id'])
    .description('fire a manual trigger; prints the id of the run')
    .argument(...id)
    .option(...input)
    .action(async (trigger, options) => finish((await commands()).fireTrigger(trigger, options)));
}
