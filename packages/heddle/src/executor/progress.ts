// Progress: how far a task says that it is. Never kept in the journal, so what it may say is short.

import type { Progress } from '../actor/observers.ts';
import { copyToJson } from '../base/check-json.ts';
import { ActionError } from './action-error.ts';

export interface ProgressReport {
  /** From 0 to 1. */
  readonly fraction?: number | undefined;
  readonly message?: string | undefined;
  /** Any JSON, for programs. */
  readonly details?: unknown;
}

const messageLengthMax = 500;
const detailsBytesMax = 4_096;
const detailsDepthMax = 20;

/** EX17: progress is a fraction from 0 to 1, a short message and small details, each or none; else it is refused. */
export function takeProgress({ fraction, message, details }: ProgressReport, at: number): Progress {
  if (fraction !== undefined && !(typeof fraction === 'number' && fraction >= 0 && fraction <= 1))
    throw invalid('a fraction from 0 to 1', `found ${typeof fraction === 'number' ? fraction : typeof fraction}`);
  if (message !== undefined && !(typeof message === 'string' && message.length <= messageLengthMax))
    throw invalid(
      `a message of at most ${messageLengthMax} characters`,
      typeof message === 'string' ? `it has ${message.length}` : `found ${typeof message}`,
    );
  return { at, fraction: fraction ?? null, message: message ?? null, details: takeDetails(details) };
}

function takeDetails(details: unknown): Progress['details'] {
  if (details === undefined) return null;
  const bounds = { bytesMax: detailsBytesMax, depthMax: detailsDepthMax, limitName: 'progress details' };
  const json = copyToJson(details, bounds);
  if (json.ok) return json.value;
  throw invalid(`details as JSON of at most ${detailsBytesMax} bytes`, `at "${json.pointer}": ${json.message}`);
}

function invalid(expected: string, found: string): ActionError {
  return new ActionError(`Expected progress with ${expected}, but ${found}`, {
    code: 'PROGRESS_INVALID',
    retryable: false,
  });
}
