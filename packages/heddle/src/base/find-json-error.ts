// Find JSON error: where a text stops being JSON, in lines and columns, and what its author probably meant. `JSON.parse`
// says it in the words of its engine, and not always where.

import { given } from './given.ts';
import { JsonScanner, jsonSign } from './scan-json.ts';

export interface JsonError {
  /** What was found, for `Expected JSON text, but …`. */
  readonly finding: string;
  readonly line: number;
  readonly hint?: string;
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
const piece = /[\w$.-]+|./suy;

function read(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? '';
}

/** The next token, as far as it is one of JSON; empty where none begins. */
function readToken(scanner: JsonScanner): string {
  const code = scanner.next();
  if (code === jsonSign.quote) return isText(scanner.written) ? scanner.written : '';
  if ('{}[],:'.includes(scanner.written)) return scanner.written;
  const found = read(word, scanner.text, scanner.start);
  scanner.end = scanner.start + found.length;
  return found;
}

/** Escapes and control characters are judged by the one that knows. */
function isText(quoted: string): boolean {
  try {
    return typeof JSON.parse(quoted) === 'string';
  } catch {
    return false;
  }
}

/** Of a text that `JSON.parse` has refused. */
export function findJsonError(text: string): JsonError {
  const scanner = new JsonScanner(text);
  const open: string[] = [];
  let expected: Expected | null = 'value';
  let before = '';
  for (;;) {
    const found = readToken(scanner);
    const next: Expected | null = found === '' ? null : expectAfter(expected, found, open);
    if (next === null) return describe(text, scanner.start, { expected, before });
    [expected, before] = [next, found];
  }
}

/** Null: it does not belong there. */
function expectAfter(expected: Expected, found: string, open: string[]): Expected | null {
  const sign = found.charAt(0);
  switch (expected) {
    case 'value':
    case 'value or end':
      if (sign === '{' || sign === '[') {
        open.push(sign);
        return sign === '{' ? 'key or end' : 'value or end';
      }
      if (expected === 'value or end' && sign === ']') return close(sign, open);
      return '}],:'.includes(sign) ? null : 'comma or end';
    case 'key':
    case 'key or end':
      if (expected === 'key or end' && sign === '}') return close(sign, open);
      return sign === '"' ? 'colon' : null;
    case 'colon':
      return sign === ':' ? 'value' : null;
    case 'comma or end':
      if (sign !== ',') return close(sign, open);
      if (open.length === 0) return null;
      return open.at(-1) === '{' ? 'key' : 'value';
  }
}

function close(sign: string, open: string[]): Expected | null {
  if (sign !== (open.at(-1) === '{' ? '}' : ']')) return null;
  return open.pop() === undefined ? null : 'comma or end';
}

interface Situation {
  readonly expected: Expected;
  /** The token before. */
  readonly before: string;
}

function describe(text: string, offset: number, situation: Situation): JsonError {
  const lines = text.slice(0, offset).split('\n');
  const line = lines.length;
  if (text.trim() === '') return { finding: 'it is empty', line };
  if (offset >= text.length) return { finding: `it ends too early, at line ${line}`, line };
  const found = read(piece, text, offset).slice(0, 40);
  const finding = `found ${JSON.stringify(found)} at line ${line}, column ${(lines.at(-1) ?? '').length + 1}`;
  const hint = hintFor(found, situation);
  return { finding, line, ...given({ hint }) };
}

function hintFor(found: string, { expected, before }: Situation): string | undefined {
  if (before === ',' && (found === '}' || found === ']')) return 'Remove the comma before it.';
  if (found === '/' || found === '#') return 'JSON has no comments.';
  if (found === "'") return 'Write double quotes.';
  if (found === '"' && expected !== 'comma or end') return 'A text ends on its line, and a \\ in it is written \\\\.';
  if (expected === 'key' || expected === 'key or end')
    return /^[\w$]/.test(found) ? 'Write it in double quotes.' : undefined;
  if (expected === 'colon') return 'Write a colon before it.';
  if (expected === 'comma or end') return /^[\w"{[]/.test(found) ? 'Write a comma before it.' : undefined;
  return /^[a-zA-Z]/.test(found) ? 'Write a text in double quotes.' : undefined;
}
