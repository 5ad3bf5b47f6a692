// Base64url of bytes that are written as hex: the memory store's hashes are the SQLite store's, to the letter.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Without padding. */
export function hexToBase64url(hex: string): string {
  let letters = '';
  // Three hex digits are twelve bits are two letters.
  for (let at = 0; at < hex.length; at += 3) {
    const bits = Number.parseInt(hex.slice(at, at + 3).padEnd(3, '0'), 16);
    letters += alphabet.charAt(bits >> 6) + alphabet.charAt(bits & 63);
  }
  return letters.slice(0, Math.ceil((hex.length * 4) / 6));
}
