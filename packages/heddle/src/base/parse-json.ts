// Parsing JSON text that comes from outside, within bounds. Size and depth are checked before `JSON.parse` builds
// anything (it accepts millions of levels, which nothing afterwards can walk).
//
// Always true: a value that is returned keeps all limits; with `duplicateKeys: 'refuse'` it also says what every
// other reader of the same text would see: no key twice, no `__proto__`, no number beyond what JSON numbers can hold.

import { findJsonError } from './find-json-error.ts';
import type { Json } from './json.ts';
import { endOfText, findAmbiguity } from './json-ambiguity.ts';
import type { Problem } from './problem.ts';

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
    const problem = problemOf('INVALID_JSON', `Expected JSON text, but ${finding}`);
    return { problem: hint === undefined ? problem : { ...problem, hint } };
  }
  const ambiguity = options.duplicateKeys === 'refuse' ? findAmbiguity(text) : null;
  return ambiguity ? { problem: ambiguity } : { value };
}

function problemOf(code: string, message: string): Problem {
  return { severity: 'error', code, pointer: '', message };
}

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)];
const [openList, closeList] = ['['.charCodeAt(0), ']'.charCodeAt(0)];
const [openObject, closeObject] = ['{'.charCodeAt(0), '}'.charCodeAt(0)];

const [comma, colon] = [','.charCodeAt(0), ':'.charCodeAt(0)];

/** One pass over the characters: 4.5 MB take about 25 ms, where `JSON.parse` takes 60. */
function checkBounds(text: string, options: ParseOptions): Problem | null {
  const { bytesMax, depthMax, limitName, nodesMax = Infinity, keysMax = Infinity } = options;
  // No character takes less than a byte: what is far too long is not even looked at.
  let bytes = text.length;
  let depth = 0;
  let isInText = false;
  // Behind every comma comes a value, and in every list and object; but for the empty ones.
  let nodes = 1;
  let members = 0;
  for (let index = 0; index < text.length && bytes <= bytesMax && depth <= depthMax && nodes <= nodesMax; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) bytes += code > 0x7ff && !isSurrogate(code) ? 2 : 1;
    else if (isInText) {
      if (code === quote) isInText = false;
      else if (code === backslash) index++;
    } else if (code === quote) isInText = true;
    else if (code === comma) nodes++;
    else if (code === colon) members++;
    else if (code === openList || code === openObject) {
      depth++;
      nodes++;
    } else if (code === closeList || code === closeObject) depth--;
  }
  if (bytes > bytesMax) {
    return problemOf('TOO_LARGE', `Expected at most ${bytesMax} bytes (${limitName}), but found at least ${bytes}`);
  }
  if (depth > depthMax)
    return problemOf('TOO_DEEP', `Expected at most ${depthMax} levels (jsonDepthMax), but found more`);
  // HT22: what costs more to build than it costs to send is refused before it is built.
  if (nodes > nodesMax)
    return problemOf('TOO_MANY_NODES', `Expected at most ${nodesMax} values (jsonNodesMax), but found more`);
  if (members > keysMax && hasMoreKeys(text, keysMax))
    return problemOf('TOO_MANY_KEYS', `Expected at most ${keysMax} different keys (jsonKeysMax), but found more`);
  return null;
}

/** A key is a text with a colon behind it. Looks no further than it must, also in what is no JSON. */
function hasMoreKeys(text: string, keysMax: number): boolean {
  const keys = new Set<string>();
  for (let start = text.indexOf('"'); start !== -1 && keys.size <= keysMax; ) {
    const end = endOfText(text, start);
    if (end === -1) break;
    let next = end;
    while (text.charCodeAt(next) <= space) next++;
    if (text.charCodeAt(next) === colon) keys.add(text.slice(start, end));
    start = text.indexOf('"', end);
  }
  return keys.size > keysMax;
}

const space = ' '.charCodeAt(0);

/** Two surrogates make one character of four bytes. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
