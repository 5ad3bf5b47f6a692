import { expect, test } from 'vitest';
import { asJson, isJsonArray, type Json, type JsonObject } from './json.ts';

interface Report {
  readonly id: string;
  readonly parts?: readonly { readonly size: number; readonly value: Json }[];
}

test('a value that is made of JSON is JSON: the same reference, and the compiler lets it pass', () => {
  const report: Report = { id: 'a', parts: [{ size: 1, value: null }] };
  const json: JsonObject = asJson(report);
  expect(json).toBe(report);
  const list: readonly Json[] = asJson([report]);
  expect(list[0]).toBe(report);
});

test('what is not made of JSON does not compile', () => {
  const unknownPart: { readonly at: unknown } = { at: 1 };
  // @ts-expect-error A Map has methods.
  asJson({ at: new Map<string, string>() });
  // @ts-expect-error A Date has methods.
  asJson([{ at: new Date(0) }]);
  // @ts-expect-error JSON has no undefined.
  asJson<{ at: string | undefined }>({ at: undefined });
  // @ts-expect-error Nobody knows what it is.
  asJson(unknownPart);
});

test('a list is told from an object', () => {
  expect([[], {}, null, 'a', undefined].map((value) => isJsonArray(value))).toEqual([true, false, false, false, false]);
});
