// What a task makes of its input: a short value, another one for every other input, so that the value at the end tells of
// every step on the way there.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Shape, Task } from './program.ts';

/** The value that is written on, and a small number that conditions look at. */
export interface TaskOutput {
  readonly value: Json;
  readonly n: number;
}

export function outputOf({ node, shape }: Pick<Task, 'node' | 'shape'>, input: unknown): TaskOutput {
  const hash = hashOf(input, 0x811c9dc5);
  return { value: shaped(shape, node, `${node}:${hash.toString(36)}`), n: (hash >>> 8) % 4 };
}

function shaped(shape: Shape, node: string, text: string): Json {
  switch (shape) {
    case 'text':
      return text;
    case 'object':
      return { [node]: text, shared: text };
    case 'lists':
      return [[text], [node, [text]]];
  }
}

/** FNV-1a over the value, whatever the order of keys. */
function hashOf(value: unknown, seed: number): number {
  if (typeof value !== 'object' || value === null) return hashText(String(value), seed);
  if (Array.isArray(value)) return value.reduce((hash: number, item) => hashOf(item, hash), hashText('[', seed));
  let sum = 0;
  for (const [key, member] of Object.entries(value)) sum = (sum + hashOf(member, hashText(key, seed))) >>> 0;
  return hashText(`{${sum}`, seed);
}

function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
