// JSON ambiguity: what JSON text may say that readers understand differently: a key twice in one object, the key
// `__proto__`, a number that no double can hold. One pass over text that `JSON.parse` has accepted already, of bounded
// depth.

import type { Problem } from './problem.ts';
import { JsonScanner, jsonSign } from './scan-json.ts';

interface Container {
  /** Null in a list. */
  readonly keys: Set<string> | null;
  /** Where the pass is: the key, or the index. */
  at: string | number;
}

/** The first ambiguity; null if there is none. */
export function findAmbiguity(text: string): Problem | null {
  const scanner = new JsonScanner(text);
  const trail: Container[] = [];
  let inner: Container | undefined;
  let expectsKey = false;
  for (let code = scanner.next(); code !== jsonSign.end; code = scanner.next()) {
    switch (code) {
      case jsonSign.quote: {
        const problem = expectsKey && inner?.keys ? noteKey(scanner.written, inner, inner.keys, trail) : null;
        if (problem) return problem;
        expectsKey = false;
        break;
      }
      case jsonSign.openObject:
      case jsonSign.openList:
        inner = { keys: code === jsonSign.openObject ? new Set() : null, at: 0 };
        trail.push(inner);
        expectsKey = code === jsonSign.openObject;
        break;
      case jsonSign.closeObject:
      case jsonSign.closeList:
        trail.pop();
        inner = trail.at(-1);
        break;
      case jsonSign.comma:
        if (inner?.keys) expectsKey = true;
        else if (typeof inner?.at === 'number') inner.at++;
        break;
      case jsonSign.colon:
        break;
      default: {
        const problem = checkWord(scanner.written, trail);
        if (problem) return problem;
      }
    }
  }
  return null;
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

/** Only a number with an exponent, or one of hundreds of digits, can be beyond what a double holds. */
function checkWord(word: string, trail: readonly Container[]): Problem | null {
  const isNumber = word.charAt(0) <= '9'; // or a sign; words have letters
  if (!isNumber || Number.isFinite(Number(word))) return null;
  const digits = word.replace('-', '').slice(0, 40);
  return problemAt(trail, 'NOT_FINITE', `Expected a number that JSON can hold, but found ${digits}`);
}

function problemAt(trail: readonly Container[], code: string, message: string): Problem {
  const pointer = trail.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { severity: 'error', code, pointer, message };
}
