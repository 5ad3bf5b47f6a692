// Thread result: what an action puts out in a thread program: a value that tells of its input, in one of several shapes,
// and another that is there only sometimes.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import { digest } from './values.ts';

export function resultOf(node: string, input: Json): JsonObject {
  const number = digest(input, digest(node));
  const text = `${node}/${number}`;
  const shapes: readonly Json[] = [text, [text, number], { k: text }, { m: { x: number } }, null, {}];
  const value = shapes[number % 8] ?? text;
  return number % 3 === 0 ? { value } : { value, more: { of: node } };
}
