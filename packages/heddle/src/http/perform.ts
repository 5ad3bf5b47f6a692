// Perform: an operation of the engine, for a request that came over HTTP and was checked. Rules AC….

import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import { refuseLost } from './access.ts';
import type { RequestContext } from './handlers/handler.ts';
import { RequestError } from './problem-document.ts';

export async function perform<Name extends OperationName>(
  name: Name,
  request: RequestOf<Name>,
  context: RequestContext,
  bytes?: Uint8Array,
): Promise<AnswerOf<Name>> {
  const { engine, access, header } = context;
  const call = { tenant: access.tenant, ...(bytes === undefined ? {} : { bytes, mimeType: typeFrom(header) }) };
  const { waitMs = 0 } = request as { readonly waitMs?: number }; // whatever waits says how long
  if (waitMs === 0) return engine.perform(name, request, call);
  return whileWanted(context, (signal) => engine.perform(name, request, { ...call, signal }));
}

const typeFrom = (header: RequestContext['header']): string => header('content-type') ?? 'application/octet-stream';

/** Work that waits: its signal is aborted when the caller has gone or has lost access. */
export async function whileWanted<T>(
  { signal, access }: Pick<RequestContext, 'signal' | 'access'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const unwatch = access.grant?.onLoss(() => lost.abort());
  try {
    const answer = await work(AbortSignal.any([signal, lost.signal]));
    refuseLost(access);
    return answer;
  } finally {
    unwatch?.();
  }
}

/** The idempotency key may stand in the header that clients use for it, or in the body. */
export function withKey<Request extends { readonly idempotencyKey?: string }>(
  request: Request,
  { header }: RequestContext,
): Request {
  const key = header('idempotency-key');
  if (key === undefined || key === request.idempotencyKey) return request;
  if (request.idempotencyKey === undefined) return { ...request, idempotencyKey: key };
  // HT13: one of the two would be ignored, and a start that was repeated with it would be another run.
  const message = 'Expected one idempotency key, but the header Idempotency-Key and the body say different ones';
  throw new RequestError(422, 'REQUEST_INVALID', message, { pointer: '/idempotencyKey' });
}
