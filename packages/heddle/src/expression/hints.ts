// Hints: what the author of a refused expression probably meant. Only asked once there is a problem; a hint may be
// absent, and never changes what is refused.

import { findNearest } from '../base/nearest.ts';

/** Habits from other languages, by how they look outside of texts; the first that fits is told. */
const habits: readonly (readonly [RegExp, string])[] = [
  [/\$\{|\{\{|#\{/, 'Write the path as it is, such as state.x; there is no ${…} or {{…}}.'],
  [/\$\.{0,2}[A-Za-z_[]/, 'Write the path without the $: input.x, state.list[0].name.'],
  [/=>/, 'There are no arrows; write list.map(x, x.y) and list.filter(x, x.y > 3).'],
  [/[=!]==/, 'Write == and !=; both compare kind and value.'],
  [/(?<![.\w])(?:and|or|not)(?!\w)/i, 'Write && for and, || for or, ! for not.'],
  [/\?\?/, 'For a default write state.?x.orValue(0).'],
  [/\?\.(?!\d)/, 'The question mark comes behind the dot: state.?x.orValue(0).'],
  [/(?<![=!<>])=(?!=)|<>/, 'Expressions assign nothing; write == to compare, != for its opposite.'],
  [/(?<!&)&(?!&)|(?<!\|)\|(?!\|)/, 'Write && for and, || for or.'],
  [/`/, "A text is written in single or double quotes: 'abc'; join texts with +."],
  [/(?<![.\w])(?:if|return|function|let|const|var|for|while)(?!\w)/, 'Choose with a ? b : c; there are no statements.'],
  [/\+\+|--|\*\*/, 'Write + 1, - 1 and x * x.'],
];

/** For what does not parse. */
export function syntaxHint(source: string, names: ReadonlySet<string>): string | undefined {
  if (isLikelyText(source, names)) return textHint(source);
  const withoutTexts = source.replace(/'[^']*'|"[^"]*"/g, "''");
  return habits.find(([pattern]) => pattern.test(withoutTexts))?.[1] ?? openHint(withoutTexts);
}

/** An address, or words that neither read anything nor compute. */
function isLikelyText(source: string, names: ReadonlySet<string>): boolean {
  const text = source.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return true;
  if (!/^[\p{L}\p{N}/]/u.test(text) || /['"`=<>&|?*+%{}$()[\]]/.test(text)) return false;
  return !text.split(/[^\w]+/).some((word) => names.has(word) || knownRoots.has(word));
}

function textHint(source: string): string {
  const text = source.trim();
  return `A text is written in quotes of its own: '${text.length > 60 ? '…' : text.replaceAll("'", "\\'")}'.`;
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

function openHint(withoutTexts: string): string | undefined {
  if (/['"]/.test(withoutTexts.replaceAll("''", ''))) return 'A quote is not closed.';
  const open: string[] = [];
  for (const character of withoutTexts) {
    if (character in closing) open.push(character);
    else if (')]}'.includes(character)) open.pop();
  }
  const last = open.at(-1);
  return last === undefined ? undefined : `A ${last} is not closed; write ${closing[last]} where it ends.`;
}

/** Names that are in scope somewhere: one that is not in scope here is no text and no slip. */
const knownRoots: ReadonlySet<string> = new Set(['input', 'state', 'output', 'result', '_branch', '_trigger']);

/** Among more names than that a slip is not looked for: a definition may have as many expressions. */
const namesMax = 100;

/** For a name that cannot be in scope. */
export function nameHint(name: string, source: string, names: ReadonlySet<string>): string | undefined {
  if (knownRoots.has(name)) return undefined;
  const nearest = names.size <= namesMax ? findNearest(name, names) : undefined;
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  return /^\p{L}[\w-]*$/u.test(source.trim()) ? textHint(source) : undefined;
}

/** What other languages call the functions of this one. */
const synonyms: Readonly<Record<string, string>> = {
  length: 'size',
  len: 'size',
  count: 'size',
  touppercase: 'upper',
  ucase: 'upper',
  tolowercase: 'lower',
  lcase: 'lower',
  includes: 'contains',
  has_key: 'has',
  strip: 'trim',
  substr: 'substring',
  concat: '+',
  average: 'avg',
  mean: 'avg',
  some: 'exists',
  any: 'exists',
  every: 'all',
  find: 'filter',
  parseint: 'int',
  number: 'double',
  tostring: 'string',
  str: 'string',
  typeof: 'type',
  distinct: 'unique',
  uniq: 'unique',
  flat: 'flatten',
  foreach: 'map',
};

/** For a call of a function that is not there. */
export function functionHint(name: string, known: readonly string[]): string {
  const lowered = name.toLowerCase();
  const synonym = Object.hasOwn(synonyms, lowered) ? synonyms[lowered] : undefined;
  if (synonym !== undefined) return `Did you mean ${synonym}?`;
  const alike = known.filter((other) => {
    return other.toLowerCase().includes(lowered) || lowered.includes(other.toLowerCase());
  });
  if (alike.length > 0) return `Did you mean ${alike.slice(0, 3).join(' or ')}?`;
  const nearest = findNearest(name, known);
  return nearest === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
}
