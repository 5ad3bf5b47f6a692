// Check callback: what an author wrote, as a callback. Rule CB10.

import { given } from '../../base/given.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { type TerminalStatus, terminalStatuses } from '../../core/views/status.ts';
import { ActionError } from '../../executor/action-error.ts';
import { refuseSecretName } from '../../secrets/secret.ts';
import type { Policy } from '../policy.ts';
import { type CallbackDefinition, type CallbackEvent, callbackEvents } from './callback.ts';

export interface NewCallback {
  /** Absent: one is made. */
  readonly id?: string;
  readonly url: string;
  readonly on: readonly CallbackEvent[];
  readonly workflow?: string;
  readonly statuses?: readonly TerminalStatus[];
  /** The name of a secret. Absent: one is made, and told once. */
  readonly secret?: string;
}

const idPattern = /^[A-Za-z][\w.-]{0,99}$/;

/** CB10: a callback has a URL that may be called, and says what it is to be told of. */
export function checkCallback(callback: NewCallback, policy: Policy): Omit<CallbackDefinition, 'id' | 'secret'> {
  const { id, url, on, workflow, statuses, secret } = callback;
  if (id !== undefined && (typeof id !== 'string' || !idPattern.test(id)))
    throw invalid('/id', 'an id of a letter and at most 99 letters, digits, "_", "-" or "."', id);
  checkUrl(url, policy);
  checkWords('/on', on, callbackEvents);
  if (statuses !== undefined) checkWords('/statuses', statuses, terminalStatuses);
  if (statuses !== undefined && !on.includes('run.ended'))
    throw invalid('/statuses', '"statuses" with "run.ended" alone', on);
  if (workflow !== undefined && (typeof workflow !== 'string' || workflow === '' || workflow.length > 1_000))
    throw invalid('/workflow', 'the id of a workflow', workflow);
  if (secret !== undefined) refuseSecretName(secret);
  return {
    url,
    on: [...new Set(on)],
    ...given({ workflow, statuses: statuses && [...new Set(statuses)] }),
  };
}

function checkUrl(url: unknown, policy: Policy): void {
  if (typeof url !== 'string' || url.length > 4_096) throw invalid('/url', 'a URL', url);
  try {
    policy.readUrl(url);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    throw new HeddleError('CALLBACK_INVALID', error.message, { pointer: '/url' });
  }
}

function checkWords(pointer: string, words: unknown, known: readonly string[]): void {
  const isList = Array.isArray(words) && words.length > 0;
  const unknown = isList ? Array.from<unknown>(words).find((word) => !known.some((one) => one === word)) : words;
  if (!isList || unknown !== undefined) throw invalid(pointer, `a list of ${known.join(', ')}`, unknown);
}

function invalid(pointer: string, expected: string, found: unknown): HeddleError {
  const shown =
    typeof found === 'string' ? JSON.stringify(found.slice(0, 80)) : Array.isArray(found) ? 'a list' : typeof found;
  return new HeddleError('CALLBACK_INVALID', `Expected ${expected}, but found ${shown}`, { pointer });
}
