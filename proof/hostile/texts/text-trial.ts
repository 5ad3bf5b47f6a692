// Text trial: JSON text that readers understand differently, or that is none. What comes out is what every reader sees, or a
// problem at its place. Attack A25.

import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../packages/heddle/src/base/json.ts';
import { type Parsed, parseJson } from '../../../packages/heddle/src/base/parse-json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { drawSound } from '../definitions/corpus.ts';
import { type Path, pointerOf } from '../definitions/sites.ts';
import { isObject } from '../definitions/takes.ts';
import { mutate } from '../expressions/make-source.ts';
import { show, type Trial } from '../trial.ts';

const options = { bytesMax: 100_000, depthMax: 60, limitName: 'definitionBytesMax', duplicateKeys: 'refuse' } as const;

export function makeTextTrial(dice: Dice): Trial {
  const { source } = drawSound(dice);
  return dice.pick([makeAmbiguousTrial, makeMutatedTrial, makeLargeTrial])(source, dice);
}

/** What is put into the text at some place, and how it must be refused. */
interface Flaw {
  readonly path: Path;
  readonly write: (value: Json, plain: string) => string;
  readonly code: string;
  readonly pointer: string;
}

function makeAmbiguousTrial(source: Json, dice: Dice): Trial {
  const flaw = dice.pick([drawTwin, drawPrototype, drawInfinite])(source, dice);
  const text = flaw === null ? JSON.stringify(source) : write(source, [], flaw);
  const check = (): string | null => {
    const parsed = parseJson(text, options);
    if (flaw === null) return isRight(parsed, source) ? null : 'Refused a sound text';
    if ('value' in parsed) return `Expected ${flaw.code} at ${flaw.pointer}, but it was taken`;
    const { code, pointer, message } = parsed.problem;
    const isTold = code === flaw.code && pointer === flaw.pointer && message.startsWith('Expected ');
    return isTold ? null : `Expected ${flaw.code} at ${flaw.pointer}, but found ${code} at ${pointer}: ${message}`;
  };
  return { input: () => `text ${show(text)}`, check };
}

const isRight = (parsed: Parsed, source: Json): boolean => 'value' in parsed && isDeepStrictEqual(parsed.value, source);

function drawPath(source: Json, dice: Dice, wanted: (value: Json) => boolean): Path | null {
  const found: Path[] = [];
  const queue: { value: Json; path: Path }[] = [{ value: source, path: [] }];
  for (const { value, path } of queue) {
    if (wanted(value)) found.push(path);
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value))
      queue.push({ value: member, path: [...path, isList ? Number(key) : key] });
  }
  return dice.pick(found) ?? null;
}

const readAt = (source: Json, path: Path): Json =>
  path.reduce<Json>((value, key) => (value as Readonly<Record<string | number, Json>>)[key] ?? null, source);

/** A key again, as it is or with its first letter escaped. */
function drawTwin(source: Json, dice: Dice): Flaw | null {
  const path = drawPath(source, dice, (value) => isObject(value) && Object.keys(value).length > 0);
  const value = path === null ? null : readAt(source, path);
  const key = isObject(value ?? undefined) ? dice.pick(Object.keys(value as object)) : undefined;
  if (path === null || key === undefined) return null;
  const isEscaped = dice.chance(1, 2) && key !== '';
  const written = isEscaped
    ? `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(key.slice(1)).slice(1)}`
    : JSON.stringify(key);
  const again = dice.pick(['null', '{}', '[1,{"a":2}]', '"}"']);
  return {
    path,
    write: (_, plain) => `${plain.slice(0, -1)}, ${written} : ${again}}`,
    code: 'DUPLICATE_KEY',
    pointer: pointerOf([...path, key]),
  };
}

function drawPrototype(source: Json, dice: Dice): Flaw | null {
  const path = drawPath(source, dice, isObject);
  if (path === null) return null;
  const written = dice.pick(['"__proto__"', '"\\u005f_proto__"', '"__proto\\u005f_"']);
  return {
    path,
    write: (value, plain) =>
      `{${written}:{"polluted":true}${Object.keys(value as object).length > 0 ? ',' : ''}${plain.slice(1)}`,
    code: 'FORBIDDEN_KEY',
    pointer: pointerOf([...path, '__proto__']),
  };
}

function drawInfinite(source: Json, dice: Dice): Flaw | null {
  const path = drawPath(source, dice, (value) => typeof value !== 'object' || value === null);
  if (path === null) return null;
  const number = dice.pick(['1e999', '-1e400', `1${'0'.repeat(400)}`, '123456789.0E+12345']);
  return { path, write: () => number, code: 'NOT_FINITE', pointer: pointerOf(path) };
}

/** As `JSON.stringify` writes it, with the flaw at its place. */
function write(value: Json, path: Path, flaw: Flaw): string {
  const plain = writePlain(value, path, flaw);
  return pointerOf(path) === pointerOf(flaw.path) ? flaw.write(value, plain) : plain;
}

function writePlain(value: Json, path: Path, flaw: Flaw): string {
  if (Array.isArray(value))
    return `[${value.map((member: Json, index) => write(member, [...path, index], flaw)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${write(member, [...path, key], flaw)}`,
  );
  return `{${members.join(',')}}`;
}

/** What `JSON.parse` takes comes out equal, or has a flaw; what it refuses is refused. */
function makeMutatedTrial(source: Json, dice: Dice): Trial {
  const text = mutate(JSON.stringify(source), dice);
  const check = (): string | null => {
    const parsed = parseJson(text, options);
    let value: Json | undefined;
    try {
      value = JSON.parse(text) as Json;
    } catch {
      value = undefined;
    }
    if ('value' in parsed)
      return value !== undefined && isDeepStrictEqual(parsed.value, value)
        ? null
        : 'Took what is no JSON, or as something else';
    if (!parsed.problem.message.startsWith('Expected ')) return `Unclear: ${parsed.problem.message}`;
    const isSyntax = parsed.problem.code === 'INVALID_JSON';
    return isSyntax === (value === undefined)
      ? null
      : `Expected to say whether it is JSON, but found ${parsed.problem.code}`;
  };
  return { input: () => `text ${show(text)}`, check };
}

/** Too long or too deep: refused before anything is built. */
function makeLargeTrial(source: Json, dice: Dice): Trial {
  const depth = dice.between(1, 120);
  const length = dice.between(1, 120_000);
  const isDeep = dice.chance(1, 2);
  const letter = dice.pick(['x', 'é', '€', '💥', '\\u0000']);
  const long = `"${letter.repeat(Math.ceil(length / letter.length))}"`;
  const text = isDeep ? `${'[{"a":'.repeat(depth / 2)}${JSON.stringify(source)}${'}]'.repeat(depth / 2)}` : `[${long}]`;
  const check = (): string | null => {
    const parsed = parseJson(text, options);
    const isTooLarge = Buffer.byteLength(text) > options.bytesMax;
    const isTooDeep = depthOf(JSON.parse(text) as Json) > options.depthMax;
    if ('value' in parsed) return isTooLarge || isTooDeep ? 'Took what is beyond its limits' : null;
    const { code, pointer, message } = parsed.problem;
    const isTold = (code === 'TOO_LARGE' && isTooLarge) || (code === 'TOO_DEEP' && isTooDeep);
    return isTold && pointer === '' && message.includes('Max')
      ? null
      : `Refused with ${code} at ${pointer}: ${message}`;
  };
  return { input: () => `text of ${text.length} characters, ${isDeep ? depth : 1} levels of ${letter}`, check };
}

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member)));
}
