// Sources: the places of the engine's code that a mutant can name. A place is what a name stands for (a function, a
// method as `Class.method`, a constant), or what the mark of a rule (`// SY6: …`) stands before, in whatever file.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, visitorKeys } from 'oxc-parser';
import { tokensOf } from './tokens.mjs';

const rulesOfComment = /^[\s*]*([A-Z]{2,3}\d+(?:, [A-Z]{2,3}\d+)*):/gm;
const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression']);

/** Every source file of the packages below `root`. */
export function readSources(root) {
  return listFiles(root, ['packages'])
    .filter((name) => /^packages\/[^/]+\/src\/.*\.ts$/.test(name) && !/\.test(suite)?\.ts$/.test(name))
    .map((name) => makeSource(path.join(root, name), readFileSync(path.join(root, name), 'utf8')));
}

/** The files of tests whose path ends so. */
export function findTests(root, ending) {
  return listFiles(root, ['packages', 'tests', 'simulator', 'proof'])
    .filter((name) => name.endsWith('.test.ts') && `/${name}`.endsWith(`/${ending}`))
    .map((name) => path.join(root, name));
}

function listFiles(root, folders) {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)),
    )
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => !/(^|\/)(node_modules|dist)\//.test(name))
    .toSorted();
}

/** A source file; it is parsed when somebody looks into it. */
export function makeSource(file, text) {
  let seen;
  const look = () => {
    seen ??= lookInto(file, text);
    return seen;
  };
  return { file, text, look };
}

function lookInto(file, text) {
  const parsed = parseSync(file, text);
  const names = [...namesIn(parsed.program, [])];
  return { names, places: [...names, ...rulesIn(text, parsed)], tokens: tokensOf(text, parsed.comments) };
}

/** What `name` stands for, with the tokens of it. */
export function placesOf(sources, name) {
  const isMeant = (place) => place.name === name || place.name.endsWith(`.${name}`);
  const mentioning = sources.filter(({ text }) => text.includes(name.split('.').at(-1)));
  return mentioning.flatMap((source) => {
    const { places, tokens } = source.look();
    const inside = ({ start, end }) => tokens.filter((token) => token.start >= start && token.end <= end);
    return places.filter(isMeant).map((place) => ({ source, tokens: inside(place) }));
  });
}

/** Where a position is, in words: the innermost name around it, and its line. */
export function placeAt({ file, text, look }, position) {
  const around = look().names.filter(({ start, end }) => start <= position && position < end);
  const line = text.slice(0, position).split('\n').length;
  return `${around.at(-1)?.name ?? 'no name'} (${path.basename(file)}:${line})`;
}

/** From the outside to the inside, each with the names around it: `Class.method`. */
function* namesIn(node, around) {
  const name = nameOf(node, around.length > 0);
  const names = name === null ? around : [...around, name];
  if (name !== null) yield { name: names.join('.'), start: node.start, end: node.end };
  for (const child of childrenOf(node)) yield* namesIn(child, names);
}

function childrenOf(node) {
  return (visitorKeys[node.type] ?? []).flatMap((key) => node[key] ?? []).filter(Boolean);
}

function nameOf({ type, id, key, value, declarations }, isInside) {
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') return id?.name ?? null;
  if (type === 'MethodDefinition' || type === 'PropertyDefinition') return key.name ?? null;
  if (type === 'Property') return functions.has(value.type) ? (key.name ?? key.value ?? null) : null;
  if (type !== 'VariableDeclaration') return null;
  const [{ id: first, init }] = declarations;
  return isInside && !functions.has(init?.type) ? null : (first.name ?? null);
}

/** What each mark of a rule stands before, or behind on the same line. */
function* rulesIn(text, { program, comments }) {
  const ends = new Map();
  noteEnds(program, ends);
  for (const comment of comments) {
    const start = markedBy(text, comment, comments);
    if (!ends.has(start)) continue;
    for (const [, names] of comment.value.matchAll(rulesOfComment))
      for (const name of names.split(', ')) yield { name, start, end: ends.get(start) };
  }
}

/** Where the largest piece of syntax ends that begins at a position. */
function noteEnds(node, ends) {
  for (const child of childrenOf(node)) {
    if (!ends.has(child.start)) ends.set(child.start, child.end);
    noteEnds(child, ends);
  }
}

function markedBy(text, comment, comments) {
  const line = text.lastIndexOf('\n', comment.start) + 1;
  const before = text.slice(line, comment.start);
  if (before.trim() !== '') return line + before.search(/\S/);
  let at = comment.end;
  for (const next of comments) if (next.start >= at && text.slice(at, next.start).trim() === '') at = next.end;
  return at + text.slice(at).search(/\S/);
}
