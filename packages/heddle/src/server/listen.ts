// Listen: the sockets of a server, and the bodies that come over them. What never becomes a request is answered here;
// whoever neither reads nor goes away is cut off; at the end every answer that is under way goes out first. Rules SV….

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { HeddleError } from '../base/heddle-error.ts';
import type { App } from '../http/app.ts';
import type { BodyHold } from '../http/body-room.ts';
import { protect, protections } from '../http/guard.ts';
import { answerProblem, problemOf, RequestError, unforeseen } from '../http/problem-document.ts';
import type { ReadBody } from '../http/take-request.ts';

export interface ConnectionOptions {
  /** For the headers of a request. Default: 30 s. */
  readonly headersTimeoutMs?: number;
  /** A connection that takes nothing of its answer for so long is cut off. Default: 60 s. */
  readonly stalledMs?: number;
  /** Connections at once; one more is answered 503. Default: 12,000. */
  readonly connectionsMax?: number;
  /** Of those, connections that have not brought a valid key yet. Default: 2,000. */
  readonly publicConnectionsMax?: number;
  /** For so long a new connection may bring its key, however many there are. Default: 5 s. */
  readonly introductionMs?: number;
}

export interface Listening {
  readonly url: string;
  /** No new connection and no second request on an old one from now on. */
  stop(): void;
  /** When every answer has gone out, or after a while without those that nobody takes. */
  close(): Promise<void>;
}

const headersTimeoutMsDefault = 30_000;
const stalledMsDefault = 60_000;
/** More than there may be readers of events. */
const connectionsMaxDefault = 12_000;
const publicConnectionsMaxDefault = 2_000;
/** Thousands of readers may come back at once when a server has been started again. */
const introductionMsDefault = 5_000;
/** Nobody uses it. */
const keepAliveTimeoutMs = 65_000;
/** How often Node looks for headers that never end, at most. */
const checkEveryMs = 5_000;
/** How long the last answers may take, once everything is stored. */
const lastAnswersMs = 1_000;

export function listen(
  app: App,
  { host, port, ...options }: ConnectionOptions & { readonly host: string; readonly port: number },
): Promise<Listening> {
  const connections = new Connections(app, options);
  const { server } = connections;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo; // it listens on a port
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
      resolve({ url, stop: () => connections.stop(), close: () => connections.close() });
    });
  });
}

type ConnectionLimits = Required<Pick<ConnectionOptions, 'connectionsMax' | 'publicConnectionsMax' | 'introductionMs'>>;

/** What `@hono/node-server` hands on with every request. */
interface NodeBindings {
  readonly incoming: IncomingMessage;
}

/** Connections on which a valid key has come. */
const known = new WeakSet<Duplex>();

export function noteKnown(bindings: object): void {
  known.add((bindings as NodeBindings).incoming.socket); // this server is only ever asked through it
}

/**
 * The bytes of a request straight from Node's, without a stream of the web in between, which costs more than all the rest
 * of a small request (0.15 ms of 0.4 here).
 */
export function readBody(bindings: object): ReadBody {
  const { incoming } = bindings as NodeBindings; // as above
  return (bytesMax, hold) => readAll(incoming, bytesMax, hold);
}

/** Null if there are more; rejects if they end too soon. */
function readAll(incoming: IncomingMessage, bytesMax: number, hold: BodyHold): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const giveUp = (): void => reject(new Error('Expected a whole body, but the connection was closed'));
    // Whoever sent it went away before anybody looked: nothing more is told of it.
    if (incoming.destroyed) return giveUp();
    const stop = (): void => {
      incoming.off('data', take);
      incoming.pause();
      parts.length = 0;
    };
    const refuse = (error: Error): void => {
      stop();
      reject(error);
    };
    const take = (part: Buffer): void => {
      length += part.length;
      if (length > bytesMax) {
        stop();
        resolve(null);
        return;
      }
      try {
        hold.take(part.length);
        parts.push(part);
      } catch (error) {
        refuse(error as Error); // there is no room for it
      }
    };
    if (!incoming.complete) hold.expect(refuse);
    incoming.on('data', take);
    incoming.once('end', () => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))); // there is one
    incoming.once('error', reject);
    incoming.once('close', () => {
      // An error costs a stack trace: most requests close when they were read. One may have come whole, and go unread.
      if (!incoming.readableEnded) giveUp();
    });
  });
}

class Connections {
  readonly server: Server;
  /** Of each connection, in the order of the requests, which may come before earlier ones are answered. */
  readonly #underWay = new Map<Duplex, Set<ServerResponse>>();
  readonly #open = new Set<Duplex>();
  /** Those that have shown no key, as far as is known here, and since when they are there; the oldest first. */
  readonly #strangers = new Map<Duplex, number>();
  #isStopping = false;
  #closed: Promise<void> | null = null;
  #onAnswered: (() => void) | null = null;

  constructor(
    app: App,
    {
      headersTimeoutMs = headersTimeoutMsDefault,
      stalledMs = stalledMsDefault,
      connectionsMax = connectionsMaxDefault,
      publicConnectionsMax = publicConnectionsMaxDefault,
      introductionMs = introductionMsDefault,
    }: ConnectionOptions,
  ) {
    const answer = getRequestListener(app.fetch, { errorHandler: answerUnreadable });
    const connectionsCheckingInterval = Math.min(headersTimeoutMs, checkEveryMs);
    // Without a name to be asked by: that is answered here, too.
    const requireHostHeader = false;
    this.server = createServer({ connectionsCheckingInterval, requireHostHeader }, (request, response) => {
      this.#note(request, response);
      void answer(request, response);
    });
    this.server.headersTimeout = headersTimeoutMs;
    this.server.keepAliveTimeout = keepAliveTimeoutMs;
    this.server.timeout = stalledMs;
    this.server.on('connection', (socket) =>
      this.#admit(socket, { connectionsMax, publicConnectionsMax, introductionMs }),
    );
    this.server.on('timeout', (socket) => this.#cutOff(socket));
    this.server.on('checkExpectation', refuseExpectation);
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuse(error, socket));
  }

  stop(): void {
    this.#isStopping = true;
    for (const responses of this.#underWay.values())
      for (const last of [...responses].slice(-1)) last.shouldKeepAlive = false;
    this.#closed ??= new Promise((resolve) => this.server.close(() => resolve()));
  }

  async close(): Promise<void> {
    this.stop();
    await this.#lastAnswers();
    this.server.closeAllConnections();
    await this.#closed;
  }

  #lastAnswers(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay.size === 0) return resolve();
      const timer = setTimeout(resolve, lastAnswersMs);
      this.#onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #note({ socket }: IncomingMessage, response: ServerResponse): void {
    const responses = this.#underWay.get(socket) ?? new Set();
    this.#underWay.set(socket, responses.add(response));
    if (this.#isStopping) response.shouldKeepAlive = false;
    response.once('close', () => {
      responses.delete(response);
      if (responses.size === 0 && this.#underWay.get(socket) === responses) this.#underWay.delete(socket);
      if (this.#underWay.size === 0) this.#onAnswered?.();
    });
  }

  /** SV8: there are at most so many connections; one more is answered that there is no room, and ends. */
  #admit(socket: Duplex, limits: ConnectionLimits): void {
    this.#open.add(socket);
    this.#strangers.set(socket, performance.now());
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#strangers.delete(socket);
    });
    if (this.#strangers.size > limits.publicConnectionsMax) this.#cutOffStrangers(limits);
    if (this.#open.size > limits.connectionsMax) socket.end(rawAnswer(tooManyConnections()), () => socket.destroy());
  }

  /** SV9: where too many have shown no key, those that had the time for it and have nothing under way are cut off. */
  #cutOffStrangers({ publicConnectionsMax, introductionMs }: ConnectionLimits): void {
    const before = performance.now() - introductionMs;
    for (const [socket, since] of this.#strangers) {
      if (this.#strangers.size <= publicConnectionsMax || since > before) return;
      if (!known.has(socket)) {
        if (this.#underWay.has(socket)) continue;
        socket.destroy();
      }
      this.#strangers.delete(socket);
    }
  }

  /** SV4: a connection on which nothing moves is cut off, unless the answer that is next is still being worked out. */
  #cutOff(socket: Duplex): void {
    const [next] = this.#underWay.get(socket) ?? [];
    if (next?.headersSent !== false) socket.destroy();
  }

  /** SV5: what is no HTTP is answered with a problem document too, unless an answer is under way there. */
  #refuse({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable || code === 'ECONNRESET' || this.#underWay.has(socket)) {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(unreadable(code)), () => socket.destroy());
  }
}

function tooManyConnections(): RequestError {
  const limit = 'connectionsMax';
  const message = `Expected room for one more connection by the limit ${limit}, but there is none`;
  return new RequestError(503, 'LIMIT_EXCEEDED', message, { limit, headers: { 'retry-after': '5' } });
}

function unreadable(code: string | undefined): RequestError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'Expected headers and an address of at most 16384 bytes, but they are longer';
    return new RequestError(431, 'LIMIT_EXCEEDED', message, { limit: 'headerBytesMax' });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new RequestError(408, 'REQUEST_TIMEOUT', 'Expected a whole request in time, but it did not come');
  return new RequestError(400, 'HTTP_INVALID', 'Expected a request as HTTP/1.1 has it, but found something else');
}

/** An address or a host that is none; and what nobody foresaw. */
function answerUnreadable(error: unknown): Response {
  if (!(error instanceof Error) || error.name !== 'RequestError') return protect(answerProblem(unforeseen()));
  const message = `Expected an address, but found: ${error.message}`;
  return protect(answerProblem(new RequestError(400, 'ADDRESS_INVALID', message)));
}

function refuseExpectation(_: IncomingMessage, response: ServerResponse): void {
  const message = 'Expected `Expect: 100-continue` or none, but found another';
  const problem = problemOf(new RequestError(417, 'EXPECTATION_INVALID', message));
  const body = JSON.stringify(problem);
  const type = { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(problem.status, { ...protections, ...type }).end(body);
}

function rawAnswer(error: RequestError): string {
  const problem = problemOf(error);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ ...protections, ...error.headers }).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): HeddleError {
  const found = code === 'EADDRINUSE' ? 'another program listens there' : message;
  const next = code === 'EADDRINUSE' ? ' Choose another with --port, or 0 for any that is free.' : '';
  return new HeddleError('ADDRESS_UNAVAILABLE', `Expected to listen on ${host}:${port}, but ${found}.${next}`);
}
