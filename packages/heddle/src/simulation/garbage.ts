// Garbage: what a broken worker answers in place of a result.

const cyclic: unknown[] = [];
cyclic.push(cyclic);

/** In a list: as a member of an object it would become an artifact. */
const large = 'x'.repeat(5_000_000);

export const garbage: readonly [() => unknown, ...(() => unknown)[]] = [
  () => undefined,
  () => null,
  () => 'text where an object is due',
  () => Number.NaN,
  () => cyclic,
  () => ({ a: () => 1 }),
  () => ({ when: new Date(0) }),
  () => JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
  () => [large],
  () => {
    // eslint-disable-next-line typescript/only-throw-error -- that is the point
    throw 'no error at all';
  },
];
