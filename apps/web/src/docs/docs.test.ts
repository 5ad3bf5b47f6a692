import { describe, expect, test } from 'vitest';
import { exampleOf, operationsOf, spelledOut } from './openapi.ts';
import { addressFor, clientCodeFor, curlFor } from './request.ts';

const document = {
  paths: {
    '/v1/runs/{runId}/cancel': {
      post: {
        operationId: 'cancelRun',
        tags: ['Runs'],
        summary: 'Cancel a run',
        parameters: [
          { name: 'runId', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'status', in: 'query', schema: { type: 'string' } },
        ],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Cancel' } } } },
        responses: { 200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } } },
      },
    },
  },
  components: {
    schemas: {
      Cancel: {
        type: 'object',
        required: ['reason', 'how', 'list'],
        properties: {
          reason: { type: 'string' },
          how: { enum: ['soon', 'now'] },
          list: { type: 'array', items: { $ref: '#/components/schemas/Cancel' } },
          optional: { type: 'string' },
        },
      },
    },
  },
};
const [operation] = operationsOf(document);

describe('the description of the API', () => {
  test('has every operation, with what it takes and answers', () => {
    expect(operation).toMatchObject({
      name: 'cancelRun',
      method: 'POST',
      tag: 'Runs',
      parameters: [{ name: 'runId', in: 'path', isRequired: true }, { name: 'status' }],
      answers: [{ status: '200', description: 'Done' }],
    });
  });

  test('has an example of what is required, also where a schema holds itself', () => {
    const example = exampleOf(operation?.body ?? null, document);
    expect(example).toMatchObject({ reason: 'text', how: 'soon', list: [{ reason: 'text' }] });
    expect(example).not.toHaveProperty('optional');
  });

  test('spells out what a schema names', () => {
    expect(spelledOut({ $ref: '#/components/schemas/Cancel' }, document)).toMatchObject({ type: 'object' });
  });
});

describe('a request that was filled in', () => {
  const filled = { operation: operation!, parameters: { runId: 'a/b', status: '' }, body: `{ "reason": "it's" }` };

  test('has an address', () => {
    expect(addressFor(filled)).toBe('/v1/runs/a%2Fb/cancel');
    expect(addressFor({ ...filled, parameters: { runId: 'a', status: 'x y' } })).toBe('/v1/runs/a/cancel?status=x+y');
  });

  test('is a line for a shell', () => {
    expect(curlFor(filled, 'http://h')).toBe(
      `curl -X POST 'http://h/v1/runs/a%2Fb/cancel' -H 'authorization: Bearer YOUR_KEY' ` +
        `-H 'content-type: application/json' -d '{"reason":"it'\\''s"}'`,
    );
  });

  test('is a call of the client', () => {
    expect(clientCodeFor(filled, 'http://h')).toContain('client.call("cancelRun", {\n  "runId": "a/b",');
  });
});
