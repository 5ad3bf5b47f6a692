// Corpus: sound definitions to damage: those of the examples, those of the engine's own tests, and random ones; their
// fields in any of the spellings that are read.

import { readdirSync, readFileSync } from 'node:fs';
import type { Json } from '../../../packages/heddle/src/base/json.ts';
import { accepted } from '../../../packages/heddle/src/definition/definitions.testsuite.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { type Dialect, tables } from './dialect-tables.ts';
import { makeDataflow, makeHandle, makeThread, makeTrigger } from './make-dialects.ts';
import { makeToken } from './make-token.ts';
import { type Path, sitesOf } from './sites.ts';
import { isObject } from './takes.ts';

export interface Sound {
  readonly dialect: Dialect;
  readonly source: Json;
}

/** Read once; the program runs at the root of the repository. */
const examples: readonly Sound[] = readExamples();

function readExamples(): readonly Sound[] {
  const folders = readdirSync('examples', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.flatMap(({ name }) =>
    readdirSync(`examples/${name}`).map((file) => `examples/${name}/${file}`),
  );
  const texts = files.filter((file) => file.endsWith('.json')).map((file) => readFileSync(file, 'utf8'));
  return texts
    .map((text) => JSON.parse(text) as Json)
    .flatMap((source): Sound[] =>
      isObject(source) && 'nodes' in source && !isDrawn(source)
        ? [{ dialect: dialectOf(source['dialect']), source }]
        : [],
    );
}

/** A drawn graph in parallel mode has fields of its editor: that a field is unknown is no mistake there. */
function isDrawn(source: { readonly [name: string]: Json }): boolean {
  return 'edges' in source && !('dialect' in source);
}

function dialectOf(written: Json | undefined): Dialect {
  return written === 'dataflow' || written === 'thread' || written === 'handle' ? written : 'token';
}

const kept: readonly Sound[] = [
  ...examples,
  ...accepted.map(({ definition }): Sound => ({ dialect: 'token', source: definition as unknown as Json })), // plain JSON
];

const makers: readonly [Dialect, (dice: Dice) => Json][] = [
  ['token', makeToken],
  ['dataflow', makeDataflow],
  ['thread', makeThread],
  ['handle', makeHandle],
  ['trigger', makeTrigger],
];

export function drawSound(dice: Dice): Sound {
  if (dice.chance(1, 5)) return dice.pick(kept) ?? makeSound(dice);
  return makeSound(dice);
}

function makeSound(dice: Dice): Sound {
  const [dialect, make] = makers[[0, 0, 0, 1, 1, 2, 2, 3, 4][dice.draw(9)] ?? 0] ?? ['token', makeToken];
  const source = make(dice);
  return { dialect, source: dice.chance(1, 4) ? respelled(source, dialect, dice) : source };
}

/** One field in ten under another of its names. */
function respelled(source: Json, dialect: Dialect, dice: Dice): Json {
  const renamed = new Map<string, string>();
  for (const { path, field } of sitesOf(tables[dialect], source)) {
    if (field === null || !dice.chance(1, 10)) continue;
    // What says which dialect or kind it is keeps its name, and what an editor draws is all in its words or not.
    const others = field.spellings.filter((name) => !/^(source|target|edges|connections|type|dialect)/.test(name));
    const name = dice.pick(others);
    if (name !== undefined && others.includes(String(path.at(-1)))) renamed.set(keyOf(path), name);
  }
  return rename(source, [], renamed);
}

const keyOf = (path: Path): string => path.join('\n');

function rename(value: Json, path: Path, renamed: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((member: Json, index) => rename(member, [...path, index], renamed));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, Json] => {
    const place = [...path, key];
    return [renamed.get(keyOf(place)) ?? key, rename(member, place, renamed)];
  });
  return Object.fromEntries(members);
}
