// People commands: what comes from outside: answers to prompts, events, triggers.

import type { Command } from 'commander';
import { finish } from './finish.ts';
import { durationMs, input, numberFrom, withPlaceOptions } from './options.ts';

export function addPeopleCommands(program: Command): void {
  withPlaceOptions(program.command('prompts'))
    .description('list open prompts')
    .option('--run <run>', 'only those of this run and its sub-runs')
    .option('--limit <n>', 'at most so many', numberFrom(1, 1_000), 50)
    .option('--after <prompt>', 'continue after this prompt, the last of the previous page')
    .action(async (options) => finish((await import('../prompts-command.ts')).promptsCommand(options)));

  withPlaceOptions(program.command('reply'))
    .description('answer a prompt; on a terminal, field by field')
    .argument('<run-or-prompt>', 'a run with one open prompt, `last`, or a prompt')
    .option('--payload <json>', 'the answer: JSON, @FILE, or @- for what is piped in')
    .option('--reply-key <key>', 'distinguishes a repeated answer from another one')
    .action(async (given, options) => finish((await import('../reply-command.ts')).replyCommand(given, options)));

  withPlaceOptions(program.command('publish'))
    .description('publish an event: runs that wait for it resume, triggers that listen for it start runs')
    .argument('<event>', 'its name')
    .option('--payload <json>', 'what it says: JSON, @FILE, or @- for what is piped in', '{}')
    .option('--id <id>', 'publishing again under the same id is publishing once')
    .option('--correlation <text>', 'only waits with this correlation take it')
    .option('--ttl <time>', 'how long it is kept for waits that begin later: 10m, 2h, 7d', durationMs)
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

  withPlaceOptions(triggers.command('create'))
    .description('create the triggers in a file: one, or a list')
    .argument('<file>', 'JSON')
    .option('--replace', 'replace a trigger that has the same id')
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

  withPlaceOptions(triggers.command('fire'))
    .description('fire a manual trigger; prints the id of the run')
    .argument(...id)
    .option(...input)
    .option('--once <id>', 'fires once for this id')
    .action(async (trigger, options) => finish((await commands()).fireTrigger(trigger, options)));
}
