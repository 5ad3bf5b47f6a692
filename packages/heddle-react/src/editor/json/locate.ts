// Locate: where in a JSON text the value of a pointer stands.

import { readPointer } from '../model/places.ts';

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** By pointer; a value that is not there is where the nearest around it stands. For text that parses. */
export function locate(text: string, pointers: readonly string[]): ReadonlyMap<string, TextRange> {
  const found = rangesOf(text);
  const nearest = (pointer: string): TextRange => {
    const path = readPointer(pointer);
    for (let length = path.length; length > 0; length -= 1) {
      const range = found.get(JSON.stringify(path.slice(0, length)));
      if (range !== undefined) return range;
    }
    return { from: 0, to: Math.min(1, text.length) };
  };
  return new Map(pointers.map((pointer) => [pointer, nearest(pointer)]));
}

interface Open {
  readonly path: readonly string[];
  readonly isList: boolean;
  readonly from: number;
  index: number;
  key: string | null;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** One pass over the tokens; the open objects and lists are a stack. */
function rangesOf(text: string): ReadonlyMap<string, TextRange> {
  const ranges = new Map<string, TextRange>();
  const stack: Open[] = [];
  const pathHere = (): readonly string[] => {
    const top = stack.at(-1);
    if (top === undefined) return [];
    return [...top.path, top.isList ? String(top.index) : (top.key ?? '')];
  };
  for (const { 0: token, index: from } of text.matchAll(tokens)) {
    const to = from + token.length;
    const top = stack.at(-1);
    if (token === '{' || token === '[')
      stack.push({ path: pathHere(), isList: token === '[', from, index: 0, key: null });
    else if (token === '}' || token === ']') {
      const closed = stack.pop();
      if (closed !== undefined) ranges.set(JSON.stringify(closed.path), { from: closed.from, to });
    } else if (token === ',' && top !== undefined) {
      top.index += 1;
      top.key = null;
    } else if (token === ':' || token === ',') continue;
    else if (top !== undefined && !top.isList && top.key === null)
      top.key = JSON.parse(token) as string; // a name
    else ranges.set(JSON.stringify(pathHere()), { from, to });
  }
  return ranges;
}
