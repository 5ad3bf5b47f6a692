// Complete: what may be typed next in an expression, by what is in scope. Reads the text before the cursor alone: an
// expression that is being typed rarely parses.

import { functions, macros } from './functions.ts';
import { type ExpressionScope, findName, itemBelow, membersBelow, type ScopeName } from './scope.ts';

export interface Suggestion {
  readonly label: string;
  readonly kind: 'name' | 'member' | 'function' | 'macro';
  readonly about?: string;
  /** What is typed for it, where that is more than the label; the cursor comes to `|`. */
  readonly insert?: string;
}

export interface Suggestions {
  /** Where the word begins that they complete. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

const word = '[A-Za-z_]\\w*';
const pathBefore = new RegExp(`(${word}(?:\\.\\??${word}|\\[\\d+\\])*)\\.\\??(\\w*)$`);
const wordBefore = new RegExp(`(?:^|[^\\w."'])(${word})?$`);
/** Also behind a call, of which nothing is known. */
const binding = new RegExp(
  `(${word}(?:\\.\\??${word}|\\[\\d+\\])*|\\))\\.(?:all|exists|exists_one|filter|map)\\(\\s*(${word})\\s*,`,
  'g',
);

/** Null where nothing can be suggested: inside a text, behind a number. */
export function complete(source: string, position: number, scope: ExpressionScope): Suggestions | null {
  const before = source.slice(0, position);
  if (isInText(before)) return null;
  const wide = withBindings(before, scope);
  const path = pathBefore.exec(before);
  if (path !== null) {
    const [, owner = '', typed = ''] = path;
    return { from: position - typed.length, options: suggestMembers(findName(wide, keysOf(owner))) };
  }
  const found = wordBefore.exec(before);
  if (found === null) return null;
  const [, typed = ''] = found;
  return { from: position - typed.length, options: suggestNames(wide) };
}

function suggestNames({ names }: ExpressionScope): readonly Suggestion[] {
  return [
    ...names.map((name): Suggestion => ({ label: name.name, kind: 'name', ...aboutOf(name) })),
    ...functions.map(
      ({ name, call, gives }): Suggestion => ({
        label: name,
        kind: 'function',
        about: `${call}: ${gives}`,
        insert: `${name}(|)`,
      }),
    ),
  ];
}

function suggestMembers(owner: ScopeName | undefined): readonly Suggestion[] {
  const members = owner === undefined ? [] : membersBelow(owner);
  return [
    ...members.map((member): Suggestion => ({ label: member.name, kind: 'member', ...aboutOf(member) })),
    ...macros.map(
      ({ name, call, gives }): Suggestion => ({
        label: name,
        kind: 'macro',
        about: `${call}: ${gives}`,
        insert: `${name}(x, |)`,
      }),
    ),
  ];
}

const aboutOf = ({ about }: ScopeName): { readonly about?: string } => (about === undefined ? {} : { about });

/** The variables of macros that are open: `state.papers.filter(p, p.` knows what `p` is. */
function withBindings(before: string, scope: ExpressionScope): ExpressionScope {
  let wide = scope;
  for (const [, list = '', variable = ''] of before.matchAll(binding)) {
    const owner = findName(wide, keysOf(list));
    const item = owner === undefined ? { name: variable } : itemBelow(owner, variable);
    const about = owner === undefined ? 'an item' : `an item of ${list}`;
    wide = { names: [{ ...item, about }, ...wide.names.filter(({ name }) => name !== variable)] };
  }
  return wide;
}

/** `state.?list[0].name` */
function keysOf(path: string): readonly (string | number)[] {
  const parts = path.match(/[A-Za-z_]\w*|\[\d+\]/g) ?? [];
  return parts.map((part) => (part.startsWith('[') ? Number(part.slice(1, -1)) : part));
}

function isInText(before: string): boolean {
  let quote: string | null = null;
  for (let at = 0; at < before.length; at += 1) {
    const character = before.charAt(at);
    if (quote === null) quote = character === '"' || character === "'" ? character : null;
    else if (character === '\\') at += 1;
    else if (character === quote) quote = null;
  }
  return quote !== null;
}
