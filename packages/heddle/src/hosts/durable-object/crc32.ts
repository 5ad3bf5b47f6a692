// Crc32: the checksum of a text's UTF-8, as `zlib` has it, without native code.

const polynomial = 0xedb88320;
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? polynomial ^ (sum >>> 1) : sum >>> 1;
  return sum;
});
const encoder = new TextEncoder();

export function crc32(text: string): number {
  let sum = 0xffffffff;
  for (const byte of encoder.encode(text)) sum = (table[(sum ^ byte) & 0xff] as number) ^ (sum >>> 8); // one of 256
  return (sum ^ 0xffffffff) >>> 0;
}
