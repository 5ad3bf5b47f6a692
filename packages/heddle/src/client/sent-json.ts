// Sent JSON: what a caller hands in, as the JSON that is sent. What is no JSON is refused here, as an engine does it,
// instead of being changed on its way; how much is too much is the server's to say.

import type { Json } from '../base/json.ts';
import { defaultLimits } from '../definition/limits.ts';
import { takeJson } from '../engine/take-json.ts';

/** So that the server's own limits are the ones that count; deeper nesting could not be written. */
export const sentLimits = {
  ...defaultLimits,
  payloadBytesMax: Number.MAX_SAFE_INTEGER,
  jsonDepthMax: 1_000,
  eventTtlMsMax: Number.MAX_SAFE_INTEGER,
};

const codes = {
  input: 'INPUT_INVALID',
  payload: 'PAYLOAD_INVALID',
  output: 'NOT_JSON',
  instead: 'NOT_JSON',
  state: 'NOT_JSON',
  definition: 'DEFINITION_INVALID',
} as const;

export function sentJson(value: unknown, what: keyof typeof codes): Json {
  return takeJson(value, { limits: sentLimits, what, code: codes[what] });
}
