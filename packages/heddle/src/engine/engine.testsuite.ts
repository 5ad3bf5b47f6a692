// What the tests of the public API share.

import { createTestEngine, type TestEngineOptions } from '../testing/test-engine.ts';

/** A test engine whose functions can be taken out of it. */
export async function openEngine(options: TestEngineOptions = {}) {
  const test = await createTestEngine(options);
  return { ...test, settle: () => test.settle(), advance: (ms: number) => test.advance(ms) };
}

/** Everything that comes, until nothing more does. */
export async function allOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
}
