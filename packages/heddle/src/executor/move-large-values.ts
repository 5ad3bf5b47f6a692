// Move large values: what a task puts out that is too much for the journal goes to artifacts, and references into its
// place. Rule AR9.
//
// Always true: what is left is JSON that every reader of the journal understands; nothing is lost, and replaying reads
// no artifact.

import type { Json, JsonObject } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';

export type PutArtifact = (data: string, mimeType: string) => Promise<ObjectReference>;

/** Members of more bytes than `inlineBytesMax`, or a text as a whole, become references. */
export async function moveLargeValues(output: Json, inlineBytesMax: number, put: PutArtifact): Promise<Json> {
  if (typeof output === 'string') return move(output, inlineBytesMax, put);
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return output;
  const members: [string, Json][] = [];
  for (const [name, value] of Object.entries(output as JsonObject))
    members.push([name, await move(value, inlineBytesMax, put)]);
  return Object.fromEntries(members);
}

async function move(value: Json, inlineBytesMax: number, put: PutArtifact): Promise<Json> {
  if (!isLarger(value, inlineBytesMax)) return value;
  if (typeof value === 'string') return put(value, 'text/plain; charset=utf-8');
  return put(JSON.stringify(value), 'application/json');
}

function isLarger(value: Json, bytesMax: number): boolean {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return false;
  const text = JSON.stringify(value);
  // A unit of UTF-16 is three bytes of UTF-8 at most.
  if (text.length * 3 <= bytesMax) return false;
  return text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax;
}
