// A collector of spans on a free port of this machine, which takes them, refuses them or is away.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TakenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

interface Request {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly TakenSpan[] }[] }[];
}

export interface TestCollector {
  readonly endpoint: string;
  readonly taken: TakenSpan[];
  readonly headers: Record<string, unknown>[];
  requests: number;
  /** What it answers; spans are taken with 200 alone. Null: the connection ends without an answer. */
  status: number | null;
  close(): Promise<void>;
}

export async function openCollector(): Promise<TestCollector> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      collector.requests++;
      collector.headers.push(request.headers);
      const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString()) as Request;
      if (collector.status === null) {
        request.socket.destroy();
        return;
      }
      if (collector.status === 200)
        for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) collector.taken.push(...spans);
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const collector: TestCollector = {
    endpoint: `http://127.0.0.1:${port}/v1/traces`,
    taken: [],
    headers: [],
    requests: 0,
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}
