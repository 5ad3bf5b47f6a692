// Retry-After: the delay that an error asks for, in any of the shapes that HTTP libraries give it.
//
// Always true: a delay is a whole number of milliseconds, at least 0 and at most `retryAfterMsMax`; what cannot be
// read is no request.

import { readMember } from './read-member.ts';

/** Seven days. A server that asks for more is mistaken, and would park the run for good. */
export const retryAfterMsMax = 604_800_000;

/** Null if the error asks for nothing. */
export function readRetryAfter(error: unknown, now: number): number | null {
  const ms = readMember(error, 'retryAfterMs');
  if (typeof ms === 'number') return toDelay(ms);
  return (
    parseRetryAfter(readMember(error, 'retryAfter'), now) ??
    parseRetryAfter(readHeader(readMember(error, 'headers')), now) ??
    parseRetryAfter(readHeader(readMember(readMember(error, 'response'), 'headers')), now)
  );
}

/** As the header has it: seconds, or an HTTP date. */
function parseRetryAfter(value: unknown, now: number): number | null {
  if (typeof value === 'number') return toDelay(value * 1000);
  if (typeof value !== 'string' || value.length > 100) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return toDelay(Number(value) * 1000);
  const at = /[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return toDelay(at - now);
}

function toDelay(ms: number): number | null {
  return Number.isNaN(ms) ? null : Math.ceil(Math.min(Math.max(ms, 0), retryAfterMsMax));
}

/** `headers` is a `Headers` object, or a plain one with names in lower case. */
function readHeader(headers: unknown): unknown {
  const get = readMember(headers, 'get');
  if (typeof get !== 'function') return readMember(headers, 'retry-after');
  try {
    return Reflect.apply(get, headers, ['retry-after']);
  } catch {
    return undefined;
  }
}
