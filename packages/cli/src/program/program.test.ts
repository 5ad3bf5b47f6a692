import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { makeProgram } from './program.ts';

/** Every command with those inside it, by the words that lead to it. */
function pathsOf(command: Command, words: readonly string[] = []): (readonly string[])[] {
  return command.commands.flatMap((inner) => {
    const path = [...words, inner.name()];
    return [path, ...pathsOf(inner, path)];
  });
}

function findCommand(program: Command, words: readonly string[]): Command | undefined {
  let found: Command | undefined = program;
  for (const word of words) found = found?.commands.find((command) => command.name() === word);
  return found;
}

test.each(pathsOf(makeProgram('1.0.0')).map((words) => [words.join(' '), words] as const))(
  'heddle help %s',
  async (_, words) => {
    const program = makeProgram('1.0.0');
    let written = '';
    findCommand(program, words)?.configureOutput({
      writeOut: (text) => {
        written += text;
      },
    });
    await program.parseAsync(['help', ...words], { from: 'user' });
    expect(written).toContain(`Usage: heddle ${words.join(' ')}`);
    // Each says what it does.
    expect(findCommand(program, words)?.description()).not.toBe('');
  },
);

test('the guide shows every command', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/cli.md', import.meta.url), 'utf8');
  // A command of a group is shown with it, or in the lines about the group.
  const isShown = (words: readonly string[]): boolean => {
    const [first = '', second = first] = words;
    const about = second === first ? guide : (guide.split(new RegExp(`^## .*\\b${first}\\b`, 'm'))[1] ?? '');
    return new RegExp(`(heddle |\`|${first} |# |, )${second}\\b`).test(about);
  };
  const hidden = pathsOf(makeProgram('1.0.0')).filter((words) => !isShown(words));
  expect(hidden).toEqual([]);
});
