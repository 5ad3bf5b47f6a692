import { describe, expect, test } from 'vitest';
import { exampleOf, operationsOf, spelledOut } from './openapi.ts';
import { addressFor, clientCodeFor, curlFor, madeClientCode, madeCurl, madeRequest } from './request.ts';

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
        responses: {
          200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
          '4XX': { $ref: '#/components/responses/Problem' },
        },
      },
    },
  },
  components: {
    responses: {
      Problem: { description: 'Wrong', content: { 'application/problem+json': { schema: { type: 'object' } } } },
    },
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
      answers: [
        { status: '200', description: 'Done', schema: { type: 'object' } },
        { status: '4XX', description: 'Wrong', schema: { type: 'object' } },
      ],
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

describe('what a page has asked', () => {
  const operations = operationsOf({
    paths: {
      '/v1/runs': {
        get: {
          operationId: 'listRuns',
          parameters: [
            { name: 'status', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
            { name: 'limit', in: 'query', schema: { type: 'integer', description: 'So many at most.' } },
            { name: 'subRuns', in: 'query', schema: { type: 'boolean' } },
          ],
          responses: {},
        },
        post: { operationId: 'startRun', responses: {} },
      },
      '/v1/runs/{runId}/events/stream': {
        get: {
          operationId: 'streamRunEvents',
          parameters: [{ name: 'runId', in: 'path', schema: { type: 'string' } }],
          responses: { 200: { description: '', content: { 'text/event-stream': {} } } },
        },
      },
    },
  });

  test('is an operation with a request that has the types of its parameters', () => {
    const made = madeRequest(operations, '/v1/runs?status=failed&status=waiting&limit=10&subRuns=true');
    expect(made?.operation.name).toBe('listRuns');
    expect(made?.request).toEqual({ status: ['failed', 'waiting'], limit: 10, subRuns: true });
    expect(made?.operation.parameters[1]?.description).toBe('So many at most.');
    expect(madeCurl(made!, 'http://h')).toBe(
      "curl 'http://h/v1/runs?status=failed&status=waiting&limit=10&subRuns=true' -H 'authorization: Bearer YOUR_KEY'",
    );
  });

  test('is followed where it is a stream', () => {
    const made = madeRequest(operations, '/v1/runs/a%2Fb/events/stream');
    expect(made?.request).toEqual({ runId: 'a/b' });
    expect(madeClientCode(made!, 'http://h')).toContain('for await (const event of client.follow("streamRunEvents", {');
  });

  test('is nothing that the API does not have', () => {
    expect(madeRequest(operations, '/v1/elsewhere')).toBeNull();
  });
});
