// Refusals: the errors for requests that an engine cannot serve any more, or may not serve at all.

import { HeddleError } from '../base/heddle-error.ts';

export function closedError(): HeddleError {
  return new HeddleError('ENGINE_CLOSED', 'Expected an open engine, but it was closed');
}

/** Nobody was asked, for an engine closes or a shard moves: whoever asks again finds the next owner. */
export const isMoving = (error: unknown): boolean =>
  error instanceof HeddleError && (error.code === 'ENGINE_CLOSED' || error.code === 'SHARD_ELSEWHERE');

/** The platform could not ask whoever was to be asked, or lost the answer. */
export const isUnreached = (error: unknown): error is HeddleError =>
  error instanceof HeddleError && error.code === 'OBJECT_UNREACHED';

/** OP21: whatever would change something is refused first of all, whether it could be done or not. */
export function readOnlyError(): HeddleError {
  return new HeddleError(
    'ENGINE_READ_ONLY',
    'Expected an engine that may write, but it was opened with readOnly; open it without',
  );
}

export function quarantinedError(runId: string, reason: string): HeddleError {
  return new HeddleError('RUN_QUARANTINED', `Expected a healthy run, but ${runId} is in quarantine: ${reason}`);
}

export function mailboxFull(runId: string, mailboxMax: number): HeddleError {
  const message = `Expected at most ${mailboxMax} commands to wait for run ${runId} by the limit mailboxMax, but there are as many`;
  return new HeddleError('LIMIT_EXCEEDED', message, { limit: 'mailboxMax' });
}
