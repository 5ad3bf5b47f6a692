// No false alarm: what is right is registered without a word from the checks that look at what can be there. Examples,
// the definitions of the guides, and some hundred worlds of the simulator, whose programs have an oracle and so are right.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../packages/heddle/src/definition/limits.ts';
import { parseDefinition } from '../packages/heddle/src/definition/parse.ts';
import { Dice } from '../packages/heddle/src/simulation/dice.ts';
import { kinds } from '../simulator/kinds.ts';

const root = path.join(import.meta.dirname, '..');

/** What the checks say that look at reads, joins and calls. */
const alarms = new Set([
  'READS_NOTHING',
  'FIELD_NOT_IN_SCHEMA',
  'INPUT_MISSING',
  'INPUT_WRONG_KIND',
  'OUTPUT_DISCARDED',
  'UNKNOWN_ACTION',
  'NEVER_MATCHES',
  'CALLS_ITSELF',
  'JOIN_NEVER_MET',
  'QUORUM_ABOVE_TOTAL',
]);

const alarmsOf = (definition: unknown): string[] =>
  parseDefinition(definition, { limits: defaultLimits })
    .problems.filter(({ code }) => alarms.has(code))
    .map(({ severity, code, pointer, message }) => `${severity} ${code} ${pointer}: ${message}`);

const isDefinition = (value: unknown): boolean => typeof value === 'object' && value !== null && 'nodes' in value;

function jsonFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ parentPath, name }) => path.join(parentPath, name));
}

describe('[DF66][DF67] no false alarm', () => {
  test('on the examples', () => {
    const definitions = jsonFilesIn(path.join(root, 'examples'))
      .map((file) => JSON.parse(readFileSync(file, 'utf8')) as unknown)
      .filter(isDefinition);
    expect(definitions.length).toBeGreaterThan(15);
    expect(definitions.flatMap(alarmsOf)).toEqual([]);
  });

  test('on the definitions of the guides', () => {
    const pages = readdirSync(path.join(root, 'docs/guide')).map((name) => path.join(root, 'docs/guide', name));
    const blocks = [...pages, path.join(root, 'README.md')].flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/^```json\n(.*?)^```/gms)].map(([, block = '']) => block),
    );
    const definitions = blocks
      .filter((block) => block.includes('"nodes"'))
      .map((block) => JSON.parse(block) as unknown);
    expect(definitions.length).toBeGreaterThan(2);
    expect(definitions.flatMap(alarmsOf)).toEqual([]);
  });

  // Programs read on purpose what is not there: tokens anywhere (`simulator/reads.test.ts` shows that it is not), threads
  // `context.nowhere`.
  test.each(Object.keys(kinds).filter((kind) => kind !== 'wild'))('on what the simulator makes: %s', (kind) => {
    const seeds = Array.from({ length: 300 }, (_, seed) => seed);
    const told = seeds.flatMap((seed) => {
      const { definitions, isSound } = kinds[kind]!(new Dice(seed));
      return isSound ? definitions.flatMap(alarmsOf).map((alarm) => `seed ${seed}: ${alarm}`) : [];
    });
    const isMeant = (alarm: string): boolean =>
      alarm.includes(': warning READS_NOTHING') && (kind === 'token' || alarm.includes(' context.nowhere '));
    expect(told.filter((alarm) => !isMeant(alarm))).toEqual([]);
  });
});
