// Describe throw: whatever an action threw, as a failure. Anything can be thrown: errors, texts, `undefined`, objects
// whose getters throw.
//
// Always true: it never throws; the message has at most `messageLengthMax` characters; code and details are such that
// they can be journaled.

import { toJson } from '../base/check-json.ts';
import { type Failure, isErrorCode } from '../base/failure.ts';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';
import { copyData } from './copy-data.ts';
import { describeThrown, shorten } from './describe-thrown.ts';
import { readMember } from './read-member.ts';
import { readRetryAfter } from './retry-after.ts';

export interface Described {
  readonly failure: Failure;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
}

/** Longer ones are cut: a failure is kept in the journal and shown in lists. */
const messageLengthMax = 4_000;
/** Details above it are dropped. */
const detailsBytesMax = 65_536;

// EX9: what an action throws becomes a failure with the error's own code, or ACTION_FAILED.
export function describeThrow(error: unknown, { now, limits }: { now: number; limits: Limits }): Described {
  const code = readMember(error, 'code');
  const details = readDetails(error, limits);
  const thrown = describeThrown(error);
  const failure: Failure = {
    code: isErrorCode(code) ? code : 'ACTION_FAILED',
    message: shortenMessage(readMessage(error)),
    ...given({ details, thrown }),
  };
  return { failure, retryable: readMember(error, 'retryable') !== false, retryAfterMs: readRetryAfter(error, now) };
}

export function shortenMessage(message: string): string {
  return shorten(message, messageLengthMax);
}

function readMessage(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error;
  const message = readMember(error, 'message');
  if (typeof message === 'string' && message !== '') return message;
  const name = readMember(error, 'name');
  const found = typeof name === 'string' && name !== '' ? `${name} without one` : describeKind(error);
  return `Expected the action to throw an error with a message, but it threw ${found}`;
}

function describeKind(error: unknown): string {
  if (error === null) return 'null';
  if (error === '') return 'an empty text';
  if (typeof error === 'object') return 'an object without one';
  if (typeof error === 'number' || typeof error === 'boolean' || typeof error === 'bigint') return `${error}`;
  return typeof error === 'undefined' ? 'undefined' : `a ${typeof error}`;
}

function readDetails(error: unknown, limits: Limits): Json | undefined {
  const details = readMember(error, 'details');
  if (details === undefined) return undefined;
  const bytesMax = Math.min(detailsBytesMax, limits.payloadBytesMax);
  try {
    const copy = copyData(details, { depthMax: limits.jsonDepthMax, membersMax: bytesMax });
    const json = toJson(copy, { bytesMax, depthMax: limits.jsonDepthMax, limitName: 'payloadBytesMax' });
    return json.ok ? json.value : undefined;
  } catch {
    // A proxy in the details: no details.
    return undefined;
  }
}
