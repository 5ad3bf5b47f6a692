import { describe, expect, expectTypeOf, it } from 'vitest';
import { given } from './given.ts';

describe('given', () => {
  it('leaves out members that are undefined, and keeps the order of the others', () => {
    const members = given({ hint: undefined, after: 'a', limit: 1 });
    expect(Object.keys(members)).toEqual(['after', 'limit']);
    expect(members).toEqual({ after: 'a', limit: 1 });
  });

  it('keeps every other value, also those that are false in a condition', () => {
    expect(given({ nothing: null, no: false, zero: 0, empty: '' })).toEqual({
      nothing: null,
      no: false,
      zero: 0,
      empty: '',
    });
  });

  it('makes each member optional, never undefined', () => {
    const hint = ((): string | undefined => undefined)();
    expectTypeOf(given({ hint })).toEqualTypeOf<{ hint?: string }>();
    const exact: { readonly id: number; readonly hint?: string } = { id: 1, ...given({ hint }) };
    expect(Object.keys(exact)).toEqual(['id']);
  });
});
