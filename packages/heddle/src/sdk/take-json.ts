// Take JSON: what callers hand in (an input, an answer, the payload of an event) becomes JSON of our own. Rule KY3.

import { toJson } from '../base/check-json.ts';
import { copyJson } from '../base/copy-json.ts';
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
  const checked = toJson(value, { bytesMax: payloadBytesMax, depthMax: jsonDepthMax, limitName: 'payloadBytesMax' });
  if (checked.ok) return copyJson(checked.value); // whoever handed it in may change theirs
  const limit =
    checked.code === 'TOO_LARGE' ? 'payloadBytesMax' : checked.code === 'TOO_DEEP' ? 'jsonDepthMax' : undefined;
  throw new HeddleError(limit === undefined ? code : 'LIMIT_EXCEEDED', `In the ${what}: ${checked.message}`, {
    pointer: checked.pointer,
    ...(limit ? { limit } : {}),
  });
}
