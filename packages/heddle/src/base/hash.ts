// Hashes: SHA-256 over bytes or a text's UTF-8, synchronous and the same in every runtime; and secrets made with it.

import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** A faster implementation of the same: a runtime may have one. */
export interface Hashes {
  readonly hex: (content: string | Uint8Array) => string;
  readonly base64url: (text: string) => string;
  readonly bytes: (text: string) => Uint8Array;
  /** HMAC, in base64url. */
  readonly hmac: (key: Uint8Array, text: string) => string;
}

const portable: Hashes = {
  hex: (content) => bytesToHex(digest(content)),
  base64url: (text) => toBase64url(digest(text)),
  bytes: digest,
  hmac: (key, text) => {
    const begun = begunWith.get(key) ?? hmac.create(sha256, key);
    begunWith.set(key, begun);
    return toBase64url(begun.clone().update(utf8ToBytes(text)).digest());
  },
};

let hashes = portable;

/** From now on hashes are made by this; null: by what every runtime has. Which one it is changes nothing but the time. */
export function hashWith(faster: Hashes | null): void {
  hashes = faster ?? portable;
}

export function sha256Hex(content: string | Uint8Array): string {
  return hashes.hex(content);
}

export function sha256Base64url(text: string): string {
  return hashes.base64url(text);
}

function digest(content: string | Uint8Array): Uint8Array {
  return sha256(typeof content === 'string' ? utf8ToBytes(content) : content);
}

/** SC1: a secret is made again from the key and what it names, whenever it is asked for; it is never stored. */
export function hmacSha256(key: Uint8Array, text: string): string {
  return hashes.hmac(key, text);
}

/**
 * Two of the four blocks are the key's: taken in once, a secret takes half the time. A pure cache: it says nothing that the
 * key does not, and goes with it.
 */
const begunWith = new WeakMap<Uint8Array, ReturnType<typeof hmac.create>>();

/** SC2: whether two texts are equal, in a time that tells nothing of where they differ. */
export function equalTexts(given: string, known: string): boolean {
  let difference = given.length ^ known.length;
  for (let at = 0; at < given.length; at += 1) difference |= given.charCodeAt(at) ^ known.charCodeAt(at);
  return difference === 0;
}

/** 26 letters and digits (RFC 4648 base32 in lower case): the first 130 bits of the SHA-256. For ids. */
export function shortHash(text: string): string {
  return spell(hashes.bytes(text), base32).slice(0, 26);
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Without padding. */
function toBase64url(bytes: Uint8Array): string {
  return spell(bytes, base64url);
}

/** The bytes as a row of letters: of an alphabet of 2ⁿ letters, each stands for n bits. */
function spell(bytes: Uint8Array, alphabet: string): string {
  const bitsEach = Math.log2(alphabet.length);
  let letters = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= bitsEach) {
      bits -= bitsEach;
      letters += alphabet.charAt(held >> bits);
      held &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? letters : letters + alphabet.charAt(held << (bitsEach - bits));
}
