// Tokens: source text as words and marks, so that a piece of code is found however it is laid out.
//
// Always true: white space, comments, the kind of quotes and the comma before a closing bracket make no difference.

const pattern = /[\p{L}\p{N}_$]+|\.\.\.|=>|[=!]==?|(?:&&|\|\||\?\?|\*\*)=?|\?\.|\+\+|--|[-+*/%&|^<>]=|\S/gu;
const opening = '([{';
const closing = ')]}';

/** What stands for all that is left inside a bracket: `release(…)` is a call with any arguments. */
const anything = '…';

/** The tokens of a text, each with its place. Texts between quotes are tokens like all others. */
export function tokensOf(text, comments = []) {
  const tokens = [];
  for (const found of blank(text, comments).matchAll(pattern)) {
    const [word] = found;
    if (closing.includes(word) && tokens.at(-1)?.word === ',') tokens.pop();
    tokens.push({ word: word === '"' ? "'" : word, start: found.index, end: found.index + word.length });
  }
  return tokens;
}

/** Spaces in place of comments, so that all places stay. */
function blank(text, comments) {
  let rest = text;
  for (const { start, end } of comments)
    rest = rest.slice(0, start) + rest.slice(start, end).replaceAll(/\S/g, ' ') + rest.slice(end);
  return rest;
}

/** Where `wanted` (the tokens of a piece of code) stands in `tokens`, with the spans that each `…` stands for. */
export function findTokens(tokens, wanted) {
  return tokens.flatMap((_, at) => matchAt(tokens, at, wanted) ?? []);
}

function matchAt(tokens, at, wanted) {
  const left = [];
  let next = at;
  for (const { word } of wanted) {
    if (word === anything) {
      const first = next;
      next = endOfBracket(tokens, first);
      if (next === tokens.length) return null;
      const { start } = tokens[first];
      left.push({ start, end: next > first ? tokens[next - 1].end : start });
    } else if (tokens[next]?.word === word) next += 1;
    else return null;
  }
  return { start: tokens[at].start, end: tokens[next - 1].end, left };
}

/** The place of the bracket that closes what `from` stands in. */
function endOfBracket(tokens, from) {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    if (opening.includes(tokens[at].word)) depth += 1;
    else if (closing.includes(tokens[at].word) && depth-- === 0) return at;
  }
  return tokens.length;
}

/** The text with another in place of what was found; a `…` of it stands for what it stands for in what was found. */
export function replaceFound(text, found, replacement) {
  const left = found.left.values();
  const written = replacement.replaceAll(anything, () => {
    const { start, end } = left.next().value;
    return text.slice(start, end);
  });
  return text.slice(0, found.start) + written + text.slice(found.end);
}

/** The stretch of `tokens` that shares most words with `wanted`, those in the same order above all. */
export function findNearest(tokens, wanted) {
  const words = new Set(wanted.map(({ word }) => word));
  let nearest = { shared: 0 };
  for (const [at, { word, start }] of tokens.entries()) {
    if (!words.has(word)) continue;
    const stretch = tokens.slice(at, at + wanted.length);
    const inOrder = stretch.filter((token, place) => token.word === wanted[place].word).length;
    const known = stretch.filter((token) => words.has(token.word));
    const shared = inOrder + new Set(known.map((token) => token.word)).size;
    if (shared > nearest.shared) nearest = { shared, start, end: known.at(-1).end };
  }
  return nearest;
}
