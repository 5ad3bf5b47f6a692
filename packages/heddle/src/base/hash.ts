// Hashes of texts: SHA-256 over UTF-8, synchronous and the same in every runtime.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** 26 letters and digits (RFC 4648 base32 in lower case): the first 130 bits of the SHA-256. For ids. */
export function shortHash(text: string): string {
  const bytes = sha256(utf8ToBytes(text));
  let letters = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && letters.length < 26) {
      bits -= 5;
      letters += alphabet.charAt((held >> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return letters;
}
