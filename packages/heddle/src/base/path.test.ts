import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from './json.ts';
import { changePaths, isJsonObject, type Path, writePath } from './path.ts';

/** One at a time, by hand: what is written or removed, and nothing inside lists is removed. */
function change(root: Json, path: Path, value: Json | undefined): Json {
  if (value !== undefined) return writePath(root, path, value);
  const [key = '', ...rest] = path;
  if (!isJsonObject(root) || !Object.hasOwn(root, key)) return root;
  if (rest.length > 0) return { ...root, [key]: change(root[key] as Json, rest, undefined) };
  return Object.fromEntries(Object.entries(root).filter(([name]) => name !== key));
}

const key = fc.constantFrom('a', 'b', '0');
const json: fc.Arbitrary<Json> = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(1, 'x', null),
    fc.array(tie('tree'), { maxLength: 2 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
  ),
})).tree;
const path = fc.array(key, { minLength: 1, maxLength: 3 });
const changes = fc.array(fc.tuple(path, fc.option(json, { nil: undefined })), { maxLength: 6 });

test('many changes at once come to the same as one after another, and alter nothing that was there', () => {
  fc.assert(
    fc.property(fc.dictionary(key, json, { maxKeys: 3 }), changes, (root, list) => {
      const before = JSON.stringify(root);
      const expected = list.reduce<Json>((changed, [at, value]) => change(changed, at, value), root);
      expect(changePaths(root as JsonObject, list)).toEqual(expected);
      expect(JSON.stringify(root)).toBe(before);
    }),
    { numRuns: 500 },
  );
});

test('nothing is removed inside lists', () => {
  const root = { items: [1, 2, 3], people: [{ name: 'x' }, { name: 'y', age: 2 }] };
  expect(
    changePaths(root, [
      [['items', '0'], undefined],
      [['people', '1', 'name'], undefined],
    ]),
  ).toEqual(root);
});
