// A copy of a JSON value that shares nothing with it: for values that leave the engine.

import type { MadeOfJson } from './json.ts';

export function copyJson<Data>(value: Data & MadeOfJson<Data>): Data {
  return JSON.parse(JSON.stringify(value)) as Data; // JSON in, the same JSON out
}
