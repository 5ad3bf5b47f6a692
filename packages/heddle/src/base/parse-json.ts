// Parsing JSON text that comes from outside, within bounds. Size and depth are checked before `JSON.parse` builds
// anything (it accepts millions of levels, which nothing afterwards can walk).
//
// Always true: a value that is returned keeps both limits; with `duplicateKeys: 'refuse'` it also says what every
// other reader of the same text would see: no key twice, no `__proto__`, no number beyond what JSON numbers can hold.

import { findJsonError } from './find-json-error.ts';
import type { Json } from './json.ts';
import { findAmbiguity } from './json-ambiguity.ts';
import type { Problem } from './problem.ts';

export interface ParseOptions {
  /** In UTF-8. */
  readonly bytesMax: number;
  readonly depthMax: number;
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
    value = JSON.parse(text) as Json;
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

/** One pass over the characters: 4.5 MB take about 25 ms, where `JSON.parse` takes 60. */
function checkBounds(text: string, { bytesMax, depthMax, limitName }: ParseOptions): Problem | null {
  // No character takes less than a byte: what is far too long is not even looked at.
  let bytes = text.length;
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length && bytes <= bytesMax && depth <= depthMax; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) bytes += code > 0x7ff && !isSurrogate(code) ? 2 : 1;
    else if (isInText) {
      if (code === quote) isInText = false;
      else if (code === backslash) index++;
    } else if (code === quote) isInText = true;
    else if (code === openList || code === openObject) depth++;
    else if (code === closeList || code === closeObject) depth--;
  }
  if (bytes > bytesMax) {
    return problemOf('TOO_LARGE', `Expected at most ${bytesMax} bytes (${limitName}), but found at least ${bytes}`);
  }
  if (depth <= depthMax) return null;
  return problemOf('TOO_DEEP', `Expected at most ${depthMax} levels (jsonDepthMax), but found more`);
}

/** Two surrogates make one character of four bytes. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
