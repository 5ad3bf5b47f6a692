// Sent JSON: what a caller hands in, as the JSON that is sent. What is no JSON is refused here, as an engine does it,
// instead of being changed on its way; how much is too much is the server's to say.

import type { Json } from '../base/json.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { takeJson } from '../operations/check-value.ts';
import type { AnySchema } from '../operations/schema.ts';

const unlimited = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, Number.MAX_SAFE_INTEGER]));

/** So that the server's own limits are the ones that count; deeper nesting could not be written. */
export const sentLimits: Limits = { ...defaultLimits, ...unlimited, jsonDepthMax: 1_000 };

const codes: Readonly<Record<string, string>> = {
  input: 'INPUT_INVALID',
  trigger: 'INPUT_INVALID',
  payload: 'PAYLOAD_INVALID',
  definition: 'DEFINITION_INVALID',
  snapshot: 'SNAPSHOT_INVALID',
};

/** A request with every member that may be any JSON as a copy that is. */
export function toSent({ kind }: AnySchema, value: unknown, name = 'request'): unknown {
  if (value === undefined) return undefined;
  if (kind.type === 'json') return sentJson(value, name);
  if (kind.type === 'list') return (value as readonly unknown[]).map((item) => toSent(kind.of, item, name)); // it was checked
  if (kind.type !== 'object') return value;
  const members = Object.entries(value as object).filter(([, inside]) => inside !== undefined); // it was checked
  return Object.fromEntries(
    members.map(([member, inside]) => {
      const schema = kind.members.get(member)?.schema;
      return [member, schema === undefined ? sentJson(inside, member) : toSent(schema, inside, member)];
    }),
  );
}

function sentJson(value: unknown, what: string): Json {
  return takeJson(value, { limits: sentLimits, what, code: codes[what] ?? 'NOT_JSON' });
}
