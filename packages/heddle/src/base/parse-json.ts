// Parsing JSON text that comes from outside, within bounds. Size and depth are checked before `JSON.parse` builds
// anything (it accepts millions of levels, which nothing afterwards can walk).
//
// Always true: a value that is returned keeps all limits; with `duplicateKeys: 'refuse'` it also says what every
// other reader of the same text would see: no key twice, no `__proto__`, no number beyond what JSON numbers can hold.

import { findJsonError } from './find-json-error.ts';
import type { Json } from './json.ts';
import type { Problem } from './problem.ts';
import { JsonScanner, jsonSign } from './scan-json.ts';

export interface ParseOptions {
  /** In UTF-8. */
  readonly bytesMax: number;
  readonly depthMax: number;
  /** Values, lists and objects among them. Absent: as many as the bytes allow. */
  readonly nodesMax?: number;
  /** Different keys. */
  readonly keysMax?: number;
  /** The limit on bytes, by its name in `limits.ts`, such as `payloadBytesMax`. */
  readonly limitName: string;
  readonly duplicateKeys?: 'refuse' | 'last-wins';
}

export type Parsed = { readonly value: Json } | { readonly problem: Problem };

/** Finding the place takes twenty times as long as parsing: about 20 ms for this many characters. */
const explainedMax = 100_000;
const tooLongToExplain = { finding: 'it is none', hint: undefined };

export function parseJson(text: string, options: ParseOptions): Parsed {
  const excess = checkBounds(text, options);
  if (excess) return { problem: excess };
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // that is what it makes
  } catch {
    // What the runtime says is another sentence with each version of it, and begins with `Expected` too.
    const { finding, hint } = text.length <= explainedMax ? findJsonError(text) : tooLongToExplain;
    const problem = makeProblem('INVALID_JSON', `Expected JSON text, but ${finding}`);
    return { problem: hint === undefined ? problem : { ...problem, hint } };
  }
  const ambiguity = options.duplicateKeys === 'refuse' ? findAmbiguity(text) : null;
  return ambiguity ? { problem: ambiguity } : { value };
}

function makeProblem(code: string, message: string): Problem {
  return { severity: 'error', code, pointer: '', message };
}

/** One pass over the text, before anything is built: 5 MB take about 20 ms, where `JSON.parse` takes 20 to 90. */
function checkBounds(text: string, options: ParseOptions): Problem | null {
  const { bytesMax, depthMax, limitName, nodesMax = Infinity, keysMax = Infinity } = options;
  const scanner = new JsonScanner(text, bytesMax - text.length);
  let depth = 0;
  // Behind every comma comes a value, and in every list and object; but for the empty ones.
  let nodes = 1;
  let members = 0;
  // No character takes less than a byte: what is far too long is not even looked at.
  while (scanner.extraBytes <= scanner.extraBytesMax && depth <= depthMax && nodes <= nodesMax) {
    const code = scanner.next();
    if (code === jsonSign.end) break;
    if (code === jsonSign.comma) nodes++;
    else if (code === jsonSign.colon) members++;
    else if (code === jsonSign.openList || code === jsonSign.openObject) {
      depth++;
      nodes++;
    } else if (code === jsonSign.closeList || code === jsonSign.closeObject) depth--;
  }
  const bytes = text.length + scanner.extraBytes;
  if (bytes > bytesMax)
    return makeProblem('TOO_LARGE', `Expected at most ${bytesMax} bytes (${limitName}), but found at least ${bytes}`);
  if (depth > depthMax)
    return makeProblem('TOO_DEEP', `Expected at most ${depthMax} levels (jsonDepthMax), but found more`);
  // HT22: what costs more to build than it costs to send is refused before it is built.
  if (nodes > nodesMax)
    return makeProblem('TOO_MANY_NODES', `Expected at most ${nodesMax} values (jsonNodesMax), but found more`);
  if (members > keysMax && hasMoreKeys(text, keysMax))
    return makeProblem('TOO_MANY_KEYS', `Expected at most ${keysMax} different keys (jsonKeysMax), but found more`);
  return null;
}

/** A key is a text with a colon behind it. Looks no further than it must, also in what is no JSON. */
function hasMoreKeys(text: string, keysMax: number): boolean {
  const scanner = new JsonScanner(text);
  const keys = new Set<string>();
  for (let quote = text.indexOf('"'); quote !== -1 && keys.size <= keysMax; quote = text.indexOf('"', scanner.end)) {
    scanner.end = quote;
    scanner.next();
    const key = scanner.written;
    if (scanner.next() === jsonSign.colon) keys.add(key);
    else scanner.end = scanner.start; // it may be a text itself
  }
  return keys.size > keysMax;
}

interface Container {
  /** Null in a list. */
  readonly keys: Set<string> | null;
  /** Where the pass is: the key, or the index. */
  at: string | number;
}

/**
 * What readers may understand differently: a key twice in one object, the key `__proto__`, a number that no double can hold.
 * The first in a text that `JSON.parse` has accepted, of bounded depth; null if there is none.
 */
function findAmbiguity(text: string): Problem | null {
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
