// Scrubber: takes the values of secrets out of what an action gives back, in every form that servers and libraries are
// likely to repeat them in. Rule SK5.
//
// Always true: what has been scrubbed holds no known form of a secret, in no text, no key and no bytes.

import type { Json } from '../base/json.ts';
import { toBase64 } from './cipher.ts';
import { secretLengthMin } from './secret.ts';

interface Form {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly mark: string;
}

export class Scrubber {
  /** The longest first: a form may lie inside another. */
  #forms: readonly Form[] = [];

  get isEmpty(): boolean {
    return this.#forms.length === 0;
  }

  add(name: string, value: string): void {
    const mark = `[secret ${name}]`;
    const texts = formsOf(value).filter((text) => !this.#forms.some((form) => form.text === text));
    const made = texts.map((text) => ({ text, bytes: new TextEncoder().encode(text), mark }));
    this.#forms = [...this.#forms, ...made].toSorted((a, b) => b.text.length - a.text.length);
  }

  /** SK5: every occurrence of a secret that an action was given is replaced before anything leaves it. */
  text(text: string): string {
    let clean = text;
    for (const form of this.#forms) clean = clean.replaceAll(form.text, form.mark);
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
    if (Array.isArray(value)) return value.map((item) => this.json(item as Json));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.json(item)]));
  }

  bytes(bytes: Uint8Array): Uint8Array {
    let clean = bytes;
    for (const { bytes: form, mark } of this.#forms) clean = replaceBytes(clean, form, new TextEncoder().encode(mark));
    return clean;
  }
}

/** As it is, as in JSON, HTML, a URL, a form, in hex, in base64 wherever it stands in what was encoded. */
function formsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((offset) => base64Inside(bytes, offset));
  const plain = [value, ...inJson(value), ...inHtml(value), ...inUrls(value)];
  const all = [...plain, hex, hex.toUpperCase(), ...base64, ...base64.map(toUrlAlphabet)];
  return [...new Set(all)].filter((form) => form.length >= secretLengthMin);
}

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

/** What base64 is sure to hold where the value begins `offset` bytes after a group of three: whole letters only. */
function base64Inside(bytes: Uint8Array, offset: number): string {
  const shifted = new Uint8Array(offset + bytes.length);
  shifted.set(bytes, offset);
  const whole = Math.floor((shifted.length * 8) / 6);
  return toBase64(shifted).slice(offset === 0 ? 0 : offset + 1, whole);
}

function replaceBytes(bytes: Uint8Array, form: Uint8Array, mark: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = indexOf(bytes, form, 0); at >= 0; at = indexOf(bytes, form, from)) {
    parts.push(bytes.subarray(from, at), mark);
    from = at + form.length;
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
