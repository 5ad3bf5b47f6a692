// Plant bug: the source file of a mutant, with its bug in it. The sources are never touched.
//
// Always true: a mutant whose code is not in its place exactly once is an error, which names what comes nearest, so that
// a list that the sources have left behind is noticed and soon mended.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeAt, placesOf } from './sources.mjs';
import { findNearest, findTokens, replaceFound, tokensOf } from './tokens.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const namedMost = 3;
const shownLengthMost = 120;

/** The file that the bug is in, and the text that it has with it. */
export function plantBug(mutant, sources) {
  const wanted = tokensOf(mutant.find);
  const places = placesOf(sources, mutant.in);
  const found = findIn(places, wanted);
  if (found.length !== 1) {
    const instead = found.length > 1 ? `found it as ${show(found)}` : sayWhatIsNearest(sources, places, wanted);
    throw new Error(`Expected \`${mutant.find}\` of mutant ${mutant.id} once in ${mutant.in}, but ${instead}`);
  }
  const [{ source, ...span }] = found;
  return { file: source.file, text: replaceFound(source.text, span, mutant.replace ?? '') };
}

/** The same code elsewhere, or what in its place comes nearest to it, or what in all sources does. */
function sayWhatIsNearest(sources, places, wanted) {
  const missing = places.length === 0 ? 'there is no such place' : 'it is not there';
  const everywhere = sources.map((source) => ({ source, tokens: source.look().tokens }));
  const moved = findIn(everywhere, wanted);
  if (moved.length > 0) return `${missing}; it is in ${show(moved)}`;
  const similar = (places.length === 0 ? everywhere : places)
    .map(({ source, tokens }) => ({ source, ...findNearest(tokens, wanted) }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared);
  return `${missing}; nearest is ${show(similar)}`;
}

/** Each once: places may lie in one another. */
function findIn(places, wanted) {
  const found = new Map();
  for (const { source, tokens } of places)
    for (const span of findTokens(tokens, wanted)) found.set(`${source.file} ${span.start}`, { source, ...span });
  return [...found.values()];
}

/** The lines that each is in, and where they are. */
function show(found) {
  const shown = found.slice(0, namedMost).map(({ source, start, end }) => {
    const { text } = source;
    const lines = text.slice(text.lastIndexOf('\n', start) + 1, text.indexOf('\n', end));
    return `${placeAt(source, start)}: \`${lines.trim().replaceAll(/\s+/g, ' ').slice(0, shownLengthMost)}\``;
  });
  return shown.join(', ');
}
