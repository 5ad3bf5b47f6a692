// Take JSON: what callers hand in (an input, an answer, the payload of an event) becomes JSON of our own. Rule KY3.

import { copyToJson } from '../base/check-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';

export interface TakeOptions {
  readonly limits: Limits;
  /** What it is, for people: `input`. */
  readonly what: string;
  /** What is thrown if it is no JSON. */
  readonly code: string;
}

/** KY3: what is handed in is JSON within the limits, or nothing starts. */
export function takeJson(value: unknown, { limits, what, code }: TakeOptions): Json {
  const { payloadBytesMax, jsonDepthMax } = limits;
  const bounds = { bytesMax: payloadBytesMax, depthMax: jsonDepthMax, limitName: 'payloadBytesMax' };
  const checked = copyToJson(value, bounds); // whoever handed it in may change theirs
  if (checked.ok) return checked.value;
  const limit =
    checked.code === 'TOO_LARGE' ? 'payloadBytesMax' : checked.code === 'TOO_DEEP' ? 'jsonDepthMax' : undefined;
  throw new HeddleError(limit === undefined ? code : 'LIMIT_EXCEEDED', `In the ${what}: ${checked.message}`, {
    pointer: checked.pointer,
    ...(limit ? { limit } : {}),
  });
}
