// Values: JSON as the oracles of the dialects look at it: whether two are the same, and a number that tells them apart.
// Nothing of the engine is used here.
//
// Always true: the order of keys never matters, that of lists always does.

import type { Json } from '../../packages/heddle/src/base/json.ts';

export type Bag = Readonly<Record<string, Json>>;

export const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => isSame(item, right[at]));
  if (!isBag(left) || !isBag(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]));
}

/** A number below 2^31 that a value almost surely has for itself. */
export function digest(value: Json | undefined, seed = 17): number {
  if (Array.isArray(value)) {
    let mixed = mix(seed, 3);
    for (const item of value as readonly Json[]) mixed = digest(item, mixed);
    return mixed;
  }
  if (isBag(value)) {
    let sum = 5;
    for (const key in value) if (Object.hasOwn(value, key)) sum = (sum + digest(value[key], digestText(key, 7))) | 0;
    return mix(seed, sum);
  }
  return digestText(typeof value === 'string' ? `"${value}` : `${value as number | boolean | null | undefined}`, seed);
}

function digestText(text: string, seed: number): number {
  let mixed = seed;
  for (let at = 0; at < text.length; at++) mixed = (Math.imul(mixed, 31) + text.charCodeAt(at)) | 0;
  return mix(mixed, text.length);
}

function mix(left: number, right: number): number {
  const mixed = Math.imul(left ^ (right >>> 15) ^ right, 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & 0x7fffffff;
}

/** Short, for findings. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
