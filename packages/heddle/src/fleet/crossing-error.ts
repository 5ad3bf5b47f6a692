// Crossing error: an error as data, for another thread, and made anew there: with its name, its code, and all that programs
// and rules look at.

import { StoreError, type StoreErrorCode } from '../actor/store-error.ts';
import { given } from '../base/given.ts';
import { HeddleError, type HeddleErrorDetails } from '../base/heddle-error.ts';

export interface CrossingError extends Omit<HeddleErrorDetails, 'cause'> {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Of an error that programs know. */
  readonly code?: string;
  /** Whether an action that fails with it is worth another attempt. */
  readonly retryable?: boolean;
}

/** What any error may have. */
type Members = Partial<Record<'code' | 'retryable', unknown>>;

export function packError(thrown: unknown): CrossingError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) };
  const { name, message, stack } = thrown;
  const { code, retryable } = thrown as Members; // any error can be asked
  return {
    name,
    message,
    ...given({ stack, code: typeof code === 'string' ? code : undefined }),
    ...given({ retryable: typeof retryable === 'boolean' ? retryable : undefined }),
    ...(thrown instanceof HeddleError ? packDetails(thrown) : {}),
  };
}

const packDetails = ({ pointer, limit, hint, problems, details }: HeddleError): HeddleErrorDetails => ({
  problems,
  ...given({ pointer, limit, hint, details }),
});

export function unpackError({ name, message, stack, code, retryable, ...details }: CrossingError): Error {
  const error = makeError(name, message, code, details);
  if (error.name !== name) error.name = name;
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, given({ retryable }));
}

function makeError(name: string, message: string, code: string | undefined, details: HeddleErrorDetails): Error {
  if (code === undefined) return new Error(message);
  if (name !== 'StoreError') return new HeddleError(code, message, details);
  return new StoreError(code as StoreErrorCode, message); // nothing else has that name
}
