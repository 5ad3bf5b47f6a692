// What the tests of outgoing requests share: a server on loopback, and runs of a workflow with one request.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { HttpOptions } from '../engine/outgoing.ts';
import { createTestEngine, type TestEngine } from '../testing/test-engine.ts';
import { httpInputSchema } from './http-input.ts';
import { nodeTransport } from './node/transport.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Endpoint {
  readonly url: string;
  readonly port: number;
  readonly seen: Seen[];
  readonly sockets: () => number;
}

type Answer = (request: Seen, response: ServerResponse) => void;

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** Runs `close` after the test. */
export function afterTest(close: () => Promise<void>): void {
  opened.push(close);
}

export async function serve(answer: Answer): Promise<Endpoint> {
  const seen: Seen[] = [];
  let sockets = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      answer(one, response);
    });
  });
  server.on('connection', () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, seen, sockets: () => sockets };
}

export function answerJson(value: Json, status = 200): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}

interface Fetching extends TestEngine {
  /** What a run with this request came to. */
  readonly fetch: (request: object) => Promise<Outcome>;
}

export interface Outcome {
  readonly status: string;
  readonly output?: Json;
  readonly code?: string;
  readonly message?: string;
  readonly details?: Json;
}

const fields = Object.fromEntries(Object.keys(httpInputSchema.properties).map((field) => [field, `input.${field}`]));

/** An engine that may reach loopback, with a workflow `call` of one request. */
export async function fetching(
  http: HttpOptions & { readonly names?: Readonly<Record<string, readonly string[]>> } = {},
): Promise<Fetching> {
  const { names, ...options } = http;
  const resolve = async (host: string) => names?.[host] ?? [];
  const transport = nodeTransport(names === undefined ? {} : { resolve });
  const made = await createTestEngine({ http: { allowPrivate: ['127.0.0.1'], transport, ...options } });
  afterTest(() => made.engine.close({ graceMs: 0 }));
  await made.engine.register({
    id: 'call',
    initialNode: 'send',
    nodes: [{ id: 'send', action: 'http.request', inputMapping: fields, outputMapping: { 'output.answer': 'result' } }],
  });
  const fetch = async (request: object): Promise<Outcome> => {
    const run = await made.engine.start('call', request);
    const { status, output, error } = await run.result();
    if (!error) return { status, output: (output as { answer: Json }).answer };
    const { code, message, details } = error;
    return { status, code, message, ...given({ details }) };
  };
  return { ...made, fetch };
}
