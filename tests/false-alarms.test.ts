// No false alarm: what is right is registered without a word from the checks that look at what can be there. Examples,
// the definitions of the guides, and some hundred worlds of the simulator, whose programs have an oracle and so are right.
// The acceptance suites watch their own definitions (`acceptance/hosts.testsuite.ts`).

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../packages/heddle/src/definition/limits.ts';
import { parseDefinition } from '../packages/heddle/src/dialects/parse.ts';
import { workflow } from '../packages/heddle/src/engine/builder.ts';
import { Dice } from '../packages/heddle/src/simulation/dice.ts';
import { kinds } from '../simulator/kinds.ts';
import { alarmsAmong } from './alarms.testsuite.ts';

const root = path.join(import.meta.dirname, '..');

const alarmsOf = (definition: unknown): string[] =>
  alarmsAmong(parseDefinition(definition, { limits: defaultLimits }).problems);

const isDefinition = (value: unknown): boolean => typeof value === 'object' && value !== null && 'nodes' in value;

function jsonFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ parentPath, name }) => path.join(parentPath, name));
}

function blocksOf(language: string): string[] {
  const guides = readdirSync(path.join(root, 'docs/guide')).map((name) => path.join('docs/guide', name));
  const block = new RegExp(`^\`\`\`${language}\\n(?<code>.*?)^\`\`\``, 'gms');
  return [...guides, 'README.md', 'packages/heddle/README.md'].flatMap((page) =>
    [...readFileSync(path.join(root, page), 'utf8').matchAll(block)].map(({ groups }) => groups?.['code'] ?? ''),
  );
}

/** The objects with nodes that stand in a program, and what its builders build, as far as they need nothing around them. */
function definitionsIn(program: string): unknown[] {
  const written = [...program.matchAll(/\bnodes: \[/g)].map(({ index }) => objectAround(program, index));
  const built = [...program.matchAll(/\bworkflow\('.*?\.build\(\)/gs)].map(([call]) => call);
  return [...written, ...built].flatMap((expression) => {
    try {
      return [runInNewContext(`(${expression})`, { workflow, actions: {} })];
    } catch {
      return [];
    }
  });
}

/** Braces in texts are those of expressions, and balanced too. */
function objectAround(program: string, place: number): string {
  let start = place;
  for (let open = 0; open < 1 && start > 0; open += step(program[start])) start -= 1;
  let end = start;
  for (let open = 0; (open > 0 || end === start) && end < program.length; end += 1) open += step(program[end]);
  return program.slice(start, end);
}

const step = (character: string | undefined): number => (character === '{' ? 1 : character === '}' ? -1 : 0);

describe('[DF66][DF67] no false alarm', () => {
  test('on the examples', () => {
    const definitions = jsonFilesIn(path.join(root, 'examples'))
      .map((file) => JSON.parse(readFileSync(file, 'utf8')) as unknown)
      .filter(isDefinition);
    expect(definitions.length).toBeGreaterThan(15);
    expect(definitions.flatMap(alarmsOf)).toEqual([]);
  });

  test('on the definitions of the guides', () => {
    const definitions = blocksOf('json')
      .filter((block) => block.includes('"nodes"'))
      .map((block) => JSON.parse(block) as unknown);
    expect(definitions.length).toBeGreaterThan(2);
    expect(definitions.flatMap(alarmsOf)).toEqual([]);
  });

  test('on the definitions in programs of the guides', () => {
    const definitions = blocksOf('ts( fragment)?').flatMap(definitionsIn);
    expect(definitions.length).toBeGreaterThan(8);
    expect(definitions.flatMap(alarmsOf)).toEqual([]);
  });

  const tokenKinds = new Set(['token', 'windows']);

  // Programs read on purpose what is not there: tokens anywhere (`simulator/reads.test.ts` shows that it is not), threads
  // `context.nowhere`.
  test.each(Object.keys(kinds).filter((kind) => kind !== 'wild'))('on what the simulator makes: %s', (kind) => {
    const seeds = Array.from({ length: 300 }, (_, seed) => seed);
    const told = seeds.flatMap((seed) => {
      const { definitions, isSound } = kinds[kind]!(new Dice(seed));
      return isSound ? definitions.flatMap(alarmsOf).map((alarm) => `seed ${seed}: ${alarm}`) : [];
    });
    const isMeant = (alarm: string): boolean =>
      alarm.includes(': warning READS_NOTHING') && (tokenKinds.has(kind) || alarm.includes(' context.nowhere '));
    expect(told.filter((alarm) => !isMeant(alarm))).toEqual([]);
  });
});
