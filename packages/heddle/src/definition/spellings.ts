// Spellings: under which names each field is read. Rule DF6.

import { type ObjectShape, toSnakeCase } from './shape.ts';

const spellingsByShape = new WeakMap<ObjectShape, ReadonlyMap<string, string>>();

/** Every name under which a field of the shape is read, with the field's own. */
export function listSpellings(shape: ObjectShape): ReadonlyMap<string, string> {
  const known = spellingsByShape.get(shape);
  if (known !== undefined) return known;
  const spellings = new Map<string, string>();
  for (const [name, field] of Object.entries(shape.fields)) {
    // DF6: every field is read in camelCase and in snake_case, and under its other names.
    for (const word of [name, ...(field.aliases ?? [])]) spellings.set(word, name).set(toSnakeCase(word), name);
  }
  spellingsByShape.set(shape, spellings);
  return spellings;
}
