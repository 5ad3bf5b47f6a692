import { describe, expect, test } from 'vitest';
import { sha256Hex, shortHash } from './hash.ts';
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
