// What every refusal looks like: a problem document by its schema, with the status of the response, and nothing of the
// inside of the server in it.

import { expect } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { JsonSchema } from '../../packages/heddle/src/definition/definition.ts';
import { compileCheck } from '../../packages/heddle/src/definition/schema.ts';
import { type ProblemDocument, problemDocument } from '../../packages/heddle/src/http/problem-document.ts';
import { toJsonSchema } from '../../packages/heddle/src/operations/json-schema.ts';

const check = compileCheck(toJsonSchema(problemDocument) as JsonSchema); // what it is made to

/** Reads a refusal, and sees that it is one. */
export async function problemIn(response: Response): Promise<ProblemDocument> {
  const text = await response.text();
  expect(response.headers.get('content-type'), text).toBe('application/problem+json');
  return readProblem(text, response.status);
}

export function readProblem(text: string, status: number): ProblemDocument {
  const problem = JSON.parse(text) as Json;
  expect(check?.(problem), text).toEqual([]);
  expect(problem).toMatchObject({ status });
  expect(status).not.toBe(500);
  // No stack trace, no place in our files.
  expect(text).not.toMatch(/\bat .+:\d+|\.ts\b|node_modules|node:internal/);
  return problem as unknown as ProblemDocument; // by its schema
}
