// Scrubber: takes the values of secrets out of what an action gives back, in every form that servers and libraries are
// likely to repeat them in. Rules SK5 and SK6.
//
// Always true: what has been scrubbed holds no known form of a secret, in no text, no key and no bytes.

import { isJsonArray, type Json } from '../base/json.ts';
import { toBase64 } from './cipher.ts';
import { secretLengthMin } from './secret.ts';

interface Form extends Spelling {
  readonly bytes: Uint8Array;
  readonly mark: string;
}

/** One way to write a secret, and the letters beside it that hold some of its bits, if one of these is there. */
interface Spelling {
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

export class Scrubber {
  /** The longest first: a form may lie inside another. */
  #forms: readonly Form[] = [];

  get isEmpty(): boolean {
    return this.#forms.length === 0;
  }

  add(name: string, value: string): void {
    const mark = `[secret ${name}]`;
    const isNew = (spelling: Spelling): boolean => !this.#forms.some((form) => isSame(form, spelling));
    const made = listForms(value)
      .filter(isNew)
      .map((spelling) => ({ ...spelling, bytes: new TextEncoder().encode(spelling.text), mark }));
    this.#forms = [...this.#forms, ...made].toSorted((a, b) => b.text.length - a.text.length);
  }

  /** SK5: every occurrence of a secret that an action was given is replaced before anything leaves it. */
  text(text: string): string {
    let clean = text;
    for (const form of this.#forms) clean = replaceText(clean, form);
    return this.#endsInside(clean);
  }

  /** A message that was cut may end inside a secret. */
  #endsInside(text: string): string {
    if (!text.endsWith('…')) return text;
    const cut = text.slice(0, -1);
    for (const { text: form, mark } of this.#forms) {
      for (let length = form.length - 1; length >= 4; length -= 1) {
        if (cut.endsWith(form.slice(0, length))) return `${cut.slice(0, -length)}${mark}…`;
      }
    }
    return text;
  }

  /** A copy, unless there is nothing to take out. */
  json(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isJsonArray(value)) return value.map((item) => this.json(item));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.json(item)]));
  }

  bytes(bytes: Uint8Array): Uint8Array {
    let clean = bytes;
    for (const form of this.#forms) clean = replaceBytes(clean, form);
    return clean;
  }
}

/** As it is, as in JSON, HTML, a URL, a form, in hex, in base64 wherever it stands in what was encoded. */
function listForms(value: string): readonly Spelling[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((offset) => base64Inside(bytes, offset));
  const plain = [value, ...inJson(value), ...inHtml(value), ...inUrls(value), hex, hex.toUpperCase()];
  const all = [
    ...[...new Set(plain)].map((text) => ({ text, before: '', after: '' })),
    ...base64,
    ...base64.map(inUrlAlphabet),
  ];
  return all.filter(
    (one, index) => one.text.length >= secretLengthMin && all.findIndex((other) => isSame(one, other)) === index,
  );
}

const isSame = (one: Spelling, other: Spelling): boolean =>
  one.text === other.text && one.before === other.before && one.after === other.after;

/** A query is sent as a form is, which escapes more than `encodeURIComponent` does: `!'()~`. */
function inUrls(value: string): readonly string[] {
  const url = encodeURIComponent(value);
  const form = new URLSearchParams({ '': value }).toString().slice(1);
  return [url, form, url.replaceAll('%20', '+'), form.replaceAll('+', '%20')].flatMap((text) => [
    text,
    lowerEscapes(text),
  ]);
}

/** Servers differ in what they escape: nothing more than they must, what is not ASCII, slashes, what HTML may not have. */
function inJson(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replaceAll(/[^ -~]/g, unicodeEscape);
  const strict = value.replaceAll('\\', '\\\\').replaceAll(/[^ -~]|["'&<>+`]/g, unicodeEscape);
  return [
    json,
    ascii,
    ascii.replaceAll('/', '\\/'),
    json.replaceAll(/[<>&]/g, unicodeEscape),
    strict.replaceAll(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`),
  ];
}

const unicodeEscape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

function inHtml(value: string): readonly string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = text.replaceAll('"', '&quot;');
  return [text, quoted, quoted.replaceAll("'", '&#39;'), quoted.replaceAll("'", '&#x27;')];
}

const lowerEscapes = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());

const toUrlAlphabet = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

const inUrlAlphabet = ({ text, before, after }: Spelling): Spelling => ({
  text: toUrlAlphabet(text),
  before: toUrlAlphabet(before),
  after: toUrlAlphabet(after),
});

const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * What base64 is sure to hold where the value begins `offset` bytes after a group of three.
 *
 * SK6: the letter before and the one after hold some bits of the value and some of its neighbours': those that they may
 * be, with these bits.
 */
function base64Inside(bytes: Uint8Array, offset: number): Spelling {
  const shifted = new Uint8Array(offset + bytes.length);
  shifted.set(bytes, offset);
  const letters = toBase64(shifted);
  const from = offset === 0 ? 0 : offset + 1;
  const whole = Math.floor((shifted.length * 8) / 6);
  const bitsAfter = (shifted.length * 8) % 6;
  const lowBits = offset === 0 ? 0 : 6 - 2 * offset;
  return {
    text: letters.slice(from, whole),
    before: lowBits === 0 ? '' : sharing(letters.charAt(from - 1), (1 << lowBits) - 1),
    after: bitsAfter === 0 ? '' : sharing(letters.charAt(whole), 63 ^ ((1 << (6 - bitsAfter)) - 1)),
  };
}

/** The letters that have the same bits under a mask. */
function sharing(letter: string, mask: number): string {
  const bits = base64Letters.indexOf(letter) & mask;
  return Array.from(base64Letters)
    .filter((_, index) => (index & mask) === bits)
    .join('');
}

function replaceText(text: string, { text: form, before, after, mark }: Form): string {
  if (before === '' && after === '') return text.replaceAll(form, mark);
  let clean = '';
  let from = 0;
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, from)) {
    const start = at > from && before.includes(text.charAt(at - 1)) ? at - 1 : at;
    clean += text.slice(from, start) + mark;
    from = at + form.length;
    if (from < text.length && after.includes(text.charAt(from))) from += 1;
    // What is filled up to whole groups tells how long it is.
    if (after !== '') for (let count = 0; count < 2 && text.charAt(from) === '='; count += 1) from += 1;
  }
  return clean + text.slice(from);
}

function replaceBytes(bytes: Uint8Array, { bytes: form, before, after, mark }: Form): Uint8Array {
  const isOneOf = (letters: string, at: number): boolean =>
    bytes[at] !== undefined && letters.includes(String.fromCharCode(bytes[at]));
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = indexOf(bytes, form, 0); at >= 0; at = indexOf(bytes, form, from)) {
    const start = at > from && isOneOf(before, at - 1) ? at - 1 : at;
    parts.push(bytes.subarray(from, start), new TextEncoder().encode(mark));
    from = at + form.length;
    if (isOneOf(after, from)) from += 1;
    if (after !== '') for (let count = 0; count < 2 && isOneOf('=', from); count += 1) from += 1;
  }
  if (parts.length === 0) return bytes;
  parts.push(bytes.subarray(from));
  const clean = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let to = 0;
  for (const part of parts) {
    clean.set(part, to);
    to += part.length;
  }
  return clean;
}

function indexOf(bytes: Uint8Array, form: Uint8Array, from: number): number {
  const [first = 0] = form;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (form.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
