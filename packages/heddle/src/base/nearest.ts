// Nearest: the known word that a mistyped one was probably meant to be.

/** The candidate within two slips (a letter added, lost, changed) of `word`; undefined if none is that near. */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  const slipsMax = word.length <= 3 ? 1 : 2;
  let nearest: string | undefined;
  let fewest = slipsMax + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const slips = countSlips(word.toLowerCase(), candidate.toLowerCase());
    if (slips < fewest) [nearest, fewest] = [candidate, slips];
  }
  return nearest;
}

/** The same as a sentence. */
export function nearestHint(word: string, candidates: Iterable<string>): string | undefined {
  const nearest = findNearest(word, candidates);
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

/** Levenshtein distance; both words are short (the caller compares lengths first). */
function countSlips(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
