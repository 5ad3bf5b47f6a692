// Sockets: requests to the addresses that the client has checked, and to no other. No proxy of the environment is asked;
// connections are kept open and used again.

import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type HttpTransport, ResponseTooLarge, type WireRequest, type WireResponse } from '../transport.ts';

const socketsPerHost = 64;
const idleMs = 15_000;

export type Sockets = Required<Pick<HttpTransport, 'send' | 'close'>>;

/** `ca`: the certificates that are trusted in place of the usual ones. */
export function openSockets(ca: string | readonly string[] | undefined): Sockets {
  const settings = { keepAlive: true, maxSockets: socketsPerHost, timeout: idleMs };
  const agents = {
    http: new HttpAgent(settings),
    https: new HttpsAgent({ ...settings, ...(ca === undefined ? {} : { ca: [ca].flat() }) }),
  };
  return {
    send: (request) => exchange(request, agents),
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

async function exchange(request: WireRequest, agents: Agents): Promise<WireResponse> {
  const message = await connect(request, agents);
  try {
    const { statusCode = 0, headersDistinct } = message;
    const headers = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
      name,
      values.join(', '),
    ]);
    const body = await readBody(message, request);
    if (!message.complete) message.destroy(); // more came than the answer is made of
    return { status: statusCode, headers: Object.fromEntries(headers), body };
  } catch (error) {
    message.destroy();
    throw error;
  }
}

function connect(request: WireRequest, agents: Agents): Promise<IncomingMessage> {
  const { url, method, headers, body, signal, addresses } = request;
  const isTls = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const options = {
      method,
      signal,
      lookup: answerWith(addresses),
      headers: {
        'accept-encoding': 'gzip, deflate, br',
        ...headers,
        ...(body === null ? {} : { 'content-length': String(body.length) }),
      },
    };
    const sent = isTls
      ? requestHttps(url, { ...options, agent: agents.https })
      : requestHttp(url, { ...options, agent: agents.http });
    sent.on('response', resolve);
    sent.on('error', reject);
    // One that changes to another protocol (101) is neither an answer nor an error.
    sent.on('close', () => reject(new Error('it was closed without an answer')));
    sent.end(body ?? undefined);
  });
}

/** In place of the resolver: the addresses that were checked, so that nobody is asked a second time. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all === true) callback(null, all);
    else if (first) callback(null, first.address, first.family);
  };
}

async function readBody(message: IncomingMessage, { method, bytesMax }: WireRequest): Promise<Uint8Array> {
  const isEmpty = method === 'HEAD' || message.statusCode === 204 || message.statusCode === 304;
  const stream = isEmpty ? message : await decode(message);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Uint8Array; // no encoding was set
    size += bytes.length;
    // OH10: what was unpacked counts, so that a small answer cannot become a large one.
    if (size > bytesMax) throw new ResponseTooLarge();
    chunks.push(bytes);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

async function decode(message: IncomingMessage): Promise<Readable> {
  const make = decoders[(message.headers['content-encoding'] ?? 'identity').trim().toLowerCase()];
  if (make === undefined) return message;
  // OH17: an answer without a body is not packed, whatever its header says: servers say so of redirects, too.
  await Promise.race([once(message, 'readable'), once(message, 'end')]);
  if (message.readableLength === 0) return message;
  const decoder = make();
  message.on('error', (error) => decoder.destroy(error));
  return message.pipe(decoder);
}

const decoders: Readonly<Record<string, () => ReturnType<typeof createGunzip | typeof createBrotliDecompress>>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};
