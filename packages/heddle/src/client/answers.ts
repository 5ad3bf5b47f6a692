// Answers: what a server answered with, as values; what it refused, as the error that the engine threw.

import { given } from '../base/given.ts';
import { HeddleError, type HeddleErrorDetails } from '../base/heddle-error.ts';
import type { ProblemDocument } from '../http/problem-document.ts';
import type { Bytes } from '../operations/operation.ts';

/** What a server refused, with the status of its answer. */
export class AnsweredError extends HeddleError {
  readonly status: number;

  constructor(status: number, code: string, message: string, more?: HeddleErrorDetails) {
    super(code, message, more);
    this.status = status;
  }
}

/** JSON, text, or nothing: the answer says which. */
export async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  return typeOf(response).startsWith('application/json') ? response.json() : response.text();
}

/** Bytes may be of any type, JSON too: only the caller knows that they are meant as such. */
export async function readBytes(response: Response): Promise<Bytes> {
  const mimeType = typeOf(response) || 'application/octet-stream';
  return { bytes: new Uint8Array(await response.arrayBuffer()), mimeType };
}

export async function errorOf(response: Response): Promise<AnsweredError> {
  const { status } = response;
  const text = await response.text();
  if (!typeOf(response).startsWith('application/problem+json')) {
    const message = `Expected an answer of Heddle, but found status ${status}: ${text.slice(0, 200)}`;
    return new AnsweredError(status, 'SERVER_UNKNOWN', message);
  }
  return problemIn(text);
}

/** The error that a problem document tells of. */
export function problemIn(text: string): AnsweredError {
  const { status, code, detail, hint, ...more } = JSON.parse(text) as ProblemDocument; // whoever has it knows that it is one
  const { pointer, limit, problems, details } = more;
  return new AnsweredError(status, code, detail, { hint, ...given({ pointer, limit, problems, details }) });
}

export function unreachable(error: unknown, url: string): HeddleError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  const message = `Expected a Heddle server at ${url || 'the address of this page'}, but it cannot be reached: ${cause}`;
  return new HeddleError('SERVER_UNREACHABLE', message, { cause: error });
}

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';
