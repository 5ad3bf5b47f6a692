// Refusals: what an engine answers to whoever asks for what it cannot do any more, or may not do at all.

import { HeddleError } from '../base/heddle-error.ts';

export function closedError(): HeddleError {
  return new HeddleError('ENGINE_CLOSED', 'Expected an open engine, but it was closed');
}

export function readOnlyError(): HeddleError {
  return new HeddleError(
    'ENGINE_READ_ONLY',
    'Expected an engine that may write, but it was opened with readOnly; open it without',
  );
}
