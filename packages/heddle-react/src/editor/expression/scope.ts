// Scope: the names that an expression can read at its place, with what is known of their members. Plain data: who edits
// a definition makes it (`token-scope.ts`), the field completes and checks by it.

import { type Members, membersAt } from 'heddle/expressions';
import { itemsOf, membersOf, type PlacedSchema, typeWord } from './schema-walk.ts';

/** A name, or a member of one, and what can stand behind it. */
export interface ScopeName {
  readonly name: string;
  /** Where it comes from, for people: `written by "score"`. */
  readonly about?: string;
  /** Of its value. */
  readonly schema?: PlacedSchema;
  /** Members that are known besides those of the schema. */
  readonly members?: readonly ScopeName[];
}

export interface ExpressionScope {
  readonly names: readonly ScopeName[];
}

/** Members of the engine's own names, which are closed. */
export function engineName(name: string, about: string): ScopeName {
  return { name, about, members: fromMembers(membersAt(name, []), 0) };
}

/** `_branch.parent` is a branch again. */
const parentsShown = 2;

function fromMembers(members: Members | null, depth: number): readonly ScopeName[] {
  if (members === null || depth > parentsShown) return [];
  return Object.entries(members).map(([name, below]) => ({ name, members: fromMembers(below, depth + 1) }));
}

/** What can stand behind a name. */
export function membersBelow({ members = [], schema }: ScopeName): readonly ScopeName[] {
  const known = new Map(members.map((member) => [member.name, member]));
  for (const { name, schema: below } of schema === undefined ? [] : membersOf(schema)) {
    const word = typeWord(below);
    if (!known.has(name)) known.set(name, { name, schema: below, ...(word === undefined ? {} : { about: word }) });
  }
  return [...known.values()];
}

/** What an item of it is called, if it is a list. */
export function itemBelow({ schema }: ScopeName, name: string): ScopeName {
  const items = schema === undefined ? null : itemsOf(schema);
  return items === null ? { name } : { name, schema: items };
}

/** What stands at a path: a name and the keys behind it. Undefined where nothing is known. */
export function findName(scope: ExpressionScope, [root, ...keys]: readonly (string | number)[]): ScopeName | undefined {
  let at = scope.names.find(({ name }) => name === root);
  for (const key of keys) {
    if (at === undefined) return undefined;
    at = typeof key === 'number' ? itemBelow(at, String(key)) : membersBelow(at).find(({ name }) => name === key);
  }
  return at;
}

/** A scope of which only the names are known. */
export function plainScope(names: readonly string[]): ExpressionScope {
  return { names: names.map((name) => ({ name })) };
}
