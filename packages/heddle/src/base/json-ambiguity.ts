// What JSON text may say that readers understand differently: a key twice in one object, the key `__proto__`, a
// number that no double can hold. One pass over text that `JSON.parse` has accepted already, of bounded depth
// (4.5 MB of small objects: about 90 ms).

import type { Problem } from './problem.ts';

interface Container {
  /** Null in a list. */
  readonly keys: Set<string> | null;
  /** Where the pass is: the key, or the index. */
  at: string | number;
}

/** The first ambiguity; null if there is none. */
export function findAmbiguity(text: string): Problem | null {
  const trail: Container[] = [];
  let inner: Container | undefined;
  let expectsKey = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') {
      const end = endOfText(text, index);
      const problem = expectsKey && inner?.keys ? noteKey(text.slice(index, end), inner, inner.keys, trail) : null;
      if (problem) return problem;
      expectsKey = false;
      index = end - 1;
    } else if (character === '{' || character === '[') {
      inner = { keys: character === '{' ? new Set() : null, at: 0 };
      trail.push(inner);
      expectsKey = character === '{';
    } else if (character === '}' || character === ']') {
      trail.pop();
      inner = trail.at(-1);
    } else if (character === ',') {
      if (inner?.keys) expectsKey = true;
      else if (typeof inner?.at === 'number') inner.at++;
    } else if (character >= '0' && character <= '9') {
      const end = endOfNumber(text, index);
      if (!Number.isFinite(Number(text.slice(index, end)))) return notFinite(text.slice(index, end), trail);
      index = end - 1;
    }
  }
  return null;
}

/** Behind the closing quote; -1 if there is none. */
export function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text[slashes - 1] === '\\') slashes--;
    if ((end - slashes) % 2 === 0) return end + 1;
  }
  return -1;
}

function endOfNumber(text: string, start: number): number {
  let end = start;
  while (end < text.length && '0123456789.eE+-'.includes(text.charAt(end))) end++;
  return end;
}

function noteKey(token: string, inner: Container, keys: Set<string>, trail: readonly Container[]): Problem | null {
  const key = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1); // a text in quotes
  inner.at = key;
  if (key === '__proto__') {
    return problemAt(trail, 'FORBIDDEN_KEY', 'Expected a key other than __proto__, but found it');
  }
  if (keys.has(key)) return problemAt(trail, 'DUPLICATE_KEY', `Expected each key once, but found ${token} again`);
  keys.add(key);
  return null;
}

function notFinite(token: string, trail: readonly Container[]): Problem {
  return problemAt(trail, 'NOT_FINITE', `Expected a number that JSON can hold, but found ${token.slice(0, 40)}`);
}

function problemAt(trail: readonly Container[], code: string, message: string): Problem {
  const pointer = trail.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { severity: 'error', code, pointer, message };
}
