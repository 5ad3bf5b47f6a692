import { crc32 as native } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from './crc32.ts';

test('is the checksum that files have, of any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => crc32(text) === native(text)));
  expect(crc32('')).toBe(0);
});
