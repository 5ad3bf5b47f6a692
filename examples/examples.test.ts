// Runs the command of every example's README, as it is written there, and compares its last line with `expected.json`.
// Most are runs of the command line; those that need a program (somebody must answer, time must pass) are scripts of Node.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { heddle, root } from '../tests/cli/command.testsuite.ts';

const folder = path.join(root, 'examples');
const examples = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();

const read = (...parts: string[]) => readFileSync(path.join(folder, ...parts), 'utf8');

/** The commands in a README's shell blocks, as lists of words. */
function commandsOf(readme: string): string[][] {
  return [...readme.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.trim().split('\n').map(wordsOf),
  );
}

/** Splits like a shell: at spaces, but for what is in single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

test('they are numbered from 01 on, and the index lists them in order', () => {
  const numbers = examples.map((_, index) => `${String(index + 1).padStart(2, '0')}-`);
  expect(examples.map((name) => name.slice(0, 3))).toEqual(numbers);
  const listed = [...read('README.md').matchAll(/\]\(([^)/]+)\/README\.md\)/g)].map(([, name]) => name);
  expect(listed).toEqual(examples);
});

describe.each(examples)('%s', (name) => {
  const readme = read(name, 'README.md');
  const [command = [], ...others] = commandsOf(readme);
  const expected = JSON.parse(read(name, 'expected.json')) as { readonly output: unknown };

  const isProgram = command[0] === 'node';

  test('its README shows one command and what that prints', () => {
    const [program, ...words] = isProgram ? ['node'] : ['npx', 'heddle', 'run'];
    expect([command.slice(0, words.length + 1), others]).toEqual([[program, ...words], []]);
    const printed = /^```json\n(.*?)^```/ms.exec(readme)?.[1] ?? '';
    expect(JSON.parse(printed)).toEqual(expected.output);
  });

  test.runIf(isProgram)('the program prints what is expected', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, command.slice(1), { cwd: root });
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(expected.output);
  });

  test.skipIf(isProgram)('the command gives what is expected', async () => {
    const { exitCode, json } = await heddle([...command.slice(2), '--json']);
    const { runId, ...rest } = json as { readonly runId: string };
    expect(rest).toEqual(expected);
    expect(runId).toMatch(/^[0-9A-Z]{26}$/);
    expect(exitCode).toBe(0);
  });
});

test('their definitions are valid, without a warning', async () => {
  const isDefinition = (file: string) =>
    /^(?!expected|input|actions|answer|node-types|program|server|triggers|worker).*\.(json|mjs)$/.test(file);
  const files = examples.flatMap((name) =>
    readdirSync(path.join(folder, name))
      .filter(isDefinition)
      .map((file) => `examples/${name}/${file}`),
  );
  const { json } = await heddle(['validate', ...files, '--json']);
  expect(json).toEqual({ valid: true, files: files.map((file) => ({ file, valid: true, problems: [] })) });
});
