// Problem document: what goes wrong, as RFC 9457 has it. Rules HT….
//
// Always true: what nobody foresaw is told to the operator and not to the caller; no answer holds a stack trace.

import { given } from '../base/given.ts';
import { HeddleError, type HeddleErrorDetails } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { problem as oneProblem } from '../operations/parts.ts';
import { anyText, count, json, list, object, optional } from '../operations/schema.ts';

/** RFC 9457. */
export interface ProblemDocument {
  /** `urn:heddle:problem:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What was expected, and what was found. */
  readonly detail: string;
  /** A stable word in capitals: what programs match on. */
  readonly code: string;
  /** JSON pointer into the request. */
  readonly pointer?: string;
  /** The limit that was exceeded, by its name. */
  readonly limit?: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly problems?: readonly Problem[];
  readonly details?: Json;
}

export const problemDocument = object<ProblemDocument>(
  {
    type: anyText('urn:heddle:problem: and the code.'),
    title: anyText(),
    status: count(),
    detail: anyText('What was expected, and what was found.'),
    code: anyText('A stable word in capitals: what programs match on.'),
    pointer: optional(anyText('JSON pointer into the request.')),
    limit: optional(anyText('The limit that was exceeded, by its name.')),
    hint: optional(anyText('What to do about it.')),
    problems: optional(list(oneProblem)),
    details: optional(json()),
  },
  'ProblemDocument',
);

/** A request that cannot be done as it is: what is wrong with it, and the status that says so. */
export class RequestError extends HeddleError {
  override name = 'RequestError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: HeddleErrorDetails & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message, more);
    this.status = status;
    this.headers = more.headers ?? {};
  }
}

/** HT1: an error has the status that its code stands for; a code that is not in the table is a request that cannot be done (422). */
const statuses: Readonly<Record<string, number>> = {
  ALREADY_ANSWERED: 409,
  BINDING_MISSING: 503,
  CURSOR_INVALID: 400,
  DRAFT_CHANGED: 409,
  DRAFT_OUTDATED: 409,
  ENGINE_CLOSED: 503,
  ENGINE_READ_ONLY: 503,
  EVENT_ID_INVALID: 400,
  EVENT_ID_REUSED: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  KEY_NEEDED: 503,
  LEASE_LOST: 409,
  LEASE_UNKNOWN: 403,
  LIMIT_EXCEEDED: 413,
  NOT_AVAILABLE: 501,
  NOT_IN_THIS_PLACEMENT: 501,
  OBJECT_UNREACHED: 503,
  PROJECTION_UNREACHED: 503,
  PROMPT_CANCELLED: 409,
  PROMPT_EXPIRED: 409,
  PROMPT_NOT_ACTIVE: 409,
  RUN_BUSY: 409,
  RUN_ENDED: 409,
  RUN_EXISTS: 409,
  RUN_NOT_ENDED: 409,
  RUN_NOT_FAILED: 409,
  RUN_NOT_ROOT: 409,
  RUN_NOT_TRACED: 409,
  RUN_QUARANTINED: 409,
  SQLITE_MISSING: 503,
  TRIGGER_EXISTS: 409,
  TRIGGER_NOT_MANUAL: 409,
  VERSION_EXISTS: 409,
  WEBHOOK_METHOD_NOT_ALLOWED: 405,
  WEBHOOK_SIGNATURE_INVALID: 401,
};

const titles: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  401: 'Who asks is not known',
  403: 'This is not allowed',
  404: 'There is no such thing',
  405: 'That cannot be done with this address',
  408: 'The request did not come in time',
  409: 'It contradicts how things stand',
  413: 'A limit was exceeded',
  415: 'The type of the content cannot be taken',
  417: 'That cannot be expected here',
  422: 'The request says what cannot be done',
  429: 'Too many requests',
  431: 'The headers are too long',
  500: 'Something went wrong here',
  501: 'This server does not do that',
  503: 'The engine does not take work now',
};

function statusOf(error: HeddleError): number {
  if (error instanceof RequestError) return error.status;
  if (error.name === 'StoreError' || isStoreCode(error.code)) return 503;
  if (error.code.endsWith('_NOT_FOUND')) return 404;
  // What is there already contradicts it, whatever else is wrong with it.
  if (error.problems.some(({ code }) => code === 'TRIGGER_EXISTS')) return 409;
  return statuses[error.code] ?? 422;
}

/** What the caller is told. */
export function problemOf(error: HeddleError): ProblemDocument {
  const status = statusOf(error);
  const { code, message, pointer, limit, hint, problems, details } = error;
  return {
    type: `urn:heddle:problem:${code}`,
    title: titles[status] ?? 'The request failed',
    status,
    detail: message,
    code,
    ...given({ pointer, limit, hint }),
    ...(problems.length === 0 ? {} : { problems: [...problems] }),
    ...given({ details }),
  };
}

/** HT2: what is no error of ours is told as one sentence, and reported to whoever operates the server. */
export function unforeseen(): HeddleError {
  return new RequestError(500, 'INTERNAL', 'Expected to answer this request, but something unforeseen went wrong', {
    hint: 'The log of the server says what.',
  });
}

export const isStoreCode = (code: string): boolean => code.startsWith('STORE_');

/** HT14: what is wrong with a store, and where it lies, is for whoever operates the server; a caller learns the code. */
export function storeFault({ code }: Pick<HeddleError, 'code'>): HeddleError {
  return new RequestError(503, code, 'Expected the store to do this, but it cannot now', {
    hint: 'The log of the server says why.',
  });
}

export function answerProblem(error: HeddleError): Response {
  const problem = problemOf(error);
  const extra = error instanceof RequestError ? error.headers : {};
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...extra },
  });
}
