// Searching a text for a part in linear time. `String.indexOf` is fast for short parts but quadratic for long ones
// ('ab' + 50,000 'a' in two million 'a': 53 s in V8); from 33 characters on, this file searches with Knuth, Morris
// and Pratt's algorithm instead (the same: 35 ms).

const nativeLengthMax = 32;

/** What a search costs, in characters: the slowest take 8 ns for each and 5 ns. */
export function searchLength(text: string, part: string): number {
  return (text.length + part.length) * (part.length > nativeLengthMax ? 10 : 3);
}

/** The positions of `part` in `text`, in order, without overlap; at most `countMax` of them. */
export function findAll(text: string, part: string, countMax: number): number[] {
  const table = part.length > nativeLengthMax ? fallbacks(part) : null;
  const found: number[] = [];
  let from = 0;
  while (found.length < countMax) {
    const at = table ? indexOfLong(text, part, table, from) : text.indexOf(part, from);
    if (at < 0) break;
    found.push(at);
    from = at + Math.max(part.length, 1);
    if (from > text.length) break;
  }
  return found;
}

export function indexOfText(text: string, part: string): number {
  return findAll(text, part, 1)[0] ?? -1;
}

/** For each length of a match so far: how much of it still matches if the next character does not. */
function fallbacks(part: string): Int32Array {
  const table = new Int32Array(part.length);
  let matched = 0;
  for (let index = 1; index < part.length; index++) {
    const code = part.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = table[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched++;
    table[index] = matched;
  }
  return table;
}

function indexOfLong(text: string, part: string, table: Int32Array, from: number): number {
  let matched = 0;
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = table[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched === part.length) return index - matched + 1;
  }
  return -1;
}
