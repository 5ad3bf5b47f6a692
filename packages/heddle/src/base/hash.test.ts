import crypto from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { nativeHashes } from '../hosts/sql/native-hashes.ts';
import { equalTexts, hashWith, hmacSha256, sha256Base64url, sha256Hex, shortHash } from './hash.ts';
import { stableStringify } from './stable-json.ts';

describe('hashes', () => {
  test('SHA-256 of the standard vectors', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('the short hash is the beginning of the base32 text', () => {
    expect(shortHash('abc')).toBe('xj4bnp4pahh6uqkbidpf3lrceo');
    expect(shortHash('abd')).toMatch(/^[a-z2-7]{26}$/);
    expect(shortHash('abd')).not.toBe(shortHash('abc'));
  });

  test('SHA-256 of bytes, and in base64url', () => {
    expect(sha256Hex(new TextEncoder().encode('abc'))).toBe(sha256Hex('abc'));
    for (const text of ['', 'abc', 'ä€😀'])
      expect(sha256Base64url(text)).toBe(Buffer.from(sha256Hex(text), 'hex').toString('base64url'));
  });
});

test('the implementation of Node makes the same hashes', () => {
  const key = new Uint8Array(32).fill(7);
  const hashesOfAll = () =>
    ['', 'abc', 'ä€😀', '\uD800', 'x'.repeat(1_000)].map((text) => [
      sha256Hex(text),
      sha256Hex(new TextEncoder().encode(text)),
      sha256Base64url(text),
      shortHash(text),
      hmacSha256(key, text),
    ]);
  hashWith(null);
  const expected = hashesOfAll();
  const native = nativeHashes(crypto);
  const made = { ...native, base64url: vi.fn(native.base64url) };
  hashWith(made);
  expect(hashesOfAll()).toEqual(expected);
  expect(made.base64url).toHaveBeenCalledTimes(5);
  hashWith(null);
});

describe('secrets', () => {
  test('[SC1] the HMAC of a standard vector, in base64url', () => {
    // RFC 4231, test case 2.
    const hex = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
    const key = new TextEncoder().encode('Jefe');
    expect(hmacSha256(key, 'what do ya want for nothing?')).toBe(Buffer.from(hex, 'hex').toString('base64url'));
  });

  test('[SC1] another key or another text gives another secret', () => {
    const keys = [new Uint8Array(32), new Uint8Array(32).fill(1)];
    const secrets = keys.flatMap((key) => ['run/1', 'run/2', ''].map((text) => hmacSha256(key, text)));
    expect(new Set(secrets).size).toBe(6);
  });

  test.each([
    ['', '', true],
    ['a', '', false],
    ['', 'a', false],
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['abc', 'ab', false],
    ['ab', 'abc', false],
    ['ab\u0000', 'ab', false],
    ['ab', 'ab\u0000', false],
    ['é', 'é', true],
  ])('[SC2] %j equals %j: %j', (given, known, isEqual) => {
    expect(equalTexts(given, known)).toBe(isEqual);
  });
});

describe('stableStringify', () => {
  test('sorts keys at every level', () => {
    expect(stableStringify({ b: [{ d: 1, c: 'é"' }], a: null })).toBe('{"a":null,"b":[{"c":"é\\"","d":1}]}');
  });

  test('gives what JSON.parse reads back', () => {
    const value = { z: 1.5, a: [true, false, { '': 'empty', ' ': 0 }], 10: 'x', 9: 'y' };
    expect(JSON.parse(stableStringify(value))).toEqual(value);
    expect(stableStringify({ x: 1, y: 2 })).toBe(stableStringify({ y: 2, x: 1 }));
  });
});
