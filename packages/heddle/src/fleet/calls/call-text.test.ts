import { expect, test } from 'vitest';
import { fitting, readCall, writeCall } from './call-text.ts';

test('[OW6] data crosses as it is, with bytes, whatever keys its objects have', () => {
  const bytes = Uint8Array.of(0, 1, 127, 128, 255);
  const data = { text: 'a\u2028b\u0000', list: [1, null, { 'bytes:base64': 'AAE=' }] };
  expect(readCall(writeCall(data))).toEqual(data);
  expect(readCall(writeCall([{ bytes }, Buffer.from(bytes)]))).toEqual([{ bytes }, bytes]);
  expect(readCall(writeCall({ value: undefined }))).toEqual({});
});

test('[OW8] as many go at once as fit, and one that is longer goes alone', () => {
  const texts = ['a'.repeat(10_000_000), 'b'.repeat(6_000_000), 'c', 'd'.repeat(20_000_000), 'e'];
  const initials = (all: readonly string[]): string =>
    fitting(all, (text) => text)
      .map(([letter]) => letter)
      .join('');
  expect([0, 2, 3, 4].map((from) => initials(texts.slice(from)))).toEqual(['ab', 'c', 'd', 'e']);
});
