// Locate pointer: from a JSON pointer to the line of the text it points into, so that an editor can jump there.
//
// Always true: the text was accepted by `JSON.parse`; a pointer to what is not there finds the nearest thing around it.

import { listJsonMembers } from 'heddle';

/** Lines count from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export function locatePointer(text: string, pointer: string): number {
  let best = { length: 0, offset: Math.max(0, text.search(/\S/)) };
  for (const { pointer: found, offset } of listJsonMembers(text)) {
    const leadsThere = pointer === found || pointer.startsWith(`${found}/`);
    if (leadsThere && found.length > best.length) best = { length: found.length, offset };
    if (found === pointer) break;
  }
  return lineOf(text, best.offset);
}
