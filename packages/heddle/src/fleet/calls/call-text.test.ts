import { expect, test } from 'vitest';
import { readCall, writeCall } from './call-text.ts';

test('[OW6] data crosses as it is, with bytes, whatever keys its objects have', () => {
  const bytes = Uint8Array.of(0, 1, 127, 128, 255);
  const data = { text: 'a\u2028b\u0000', list: [1, null, { 'bytes:base64': 'AAE=' }] };
  expect(readCall(writeCall(data))).toEqual(data);
  expect(readCall(writeCall([{ bytes }, Buffer.from(bytes)]))).toEqual([{ bytes }, bytes]);
  expect(readCall(writeCall({ value: undefined }))).toEqual({});
});
