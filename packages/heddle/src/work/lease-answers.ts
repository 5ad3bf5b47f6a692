// Lease answers: what a worker hears of a lease that it shows, in values, never thrown: one that is wrong does not spoil
// the others of its call.

import { HeddleError } from '../base/heddle-error.ts';

export interface LeaseRefusal {
  readonly code: string;
  readonly message: string;
}

export function leaseUnknown(): LeaseRefusal {
  return { code: 'LEASE_UNKNOWN', message: 'Expected a lease that this engine gave, but it never gave this one' };
}

export function leaseLost(why: string): LeaseRefusal {
  return { code: 'LEASE_LOST', message: `Expected a lease that is alive, but ${why}; drop the task` };
}

/** What went wrong in the engine or its store: the worker may ask again. */
export function describeRefusal(error: unknown): LeaseRefusal {
  const message = error instanceof Error ? error.message : String(error);
  return { code: codeOf(error), message };
}

function codeOf(error: unknown): string {
  if (error instanceof HeddleError) return error.code;
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : 'INTERNAL_ERROR';
}
