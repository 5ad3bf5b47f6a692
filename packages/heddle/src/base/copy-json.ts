// A copy of a JSON value that shares nothing with it: for values that leave the engine.

import type { Json } from './json.ts';

export function copyJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // JSON in, the same JSON out
}
