// Cut text: where a text may be divided.

// JN6: at `end` or just before: a character of two units is not cut in two, for as a text of a store neither half could be
// read again.
export function cutBefore(text: string, end: number): number {
  const last = end < text.length ? text.charCodeAt(end - 1) : 0;
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : Math.min(end, text.length);
}
