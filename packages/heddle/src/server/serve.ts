// Serve: an engine over HTTP on this machine. Opens the stores, listens, and ends in good order. Rules SV….
//
// Always true: what was answered is durable; a server that others can reach lets nobody in without a key.

import { systemClock } from '../actor/system-clock.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { checkedLimits } from '../engine/check-options.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import type { Access } from '../http/access.ts';
import { ApiKeys } from '../http/api-keys.ts';
import { type App, type AppOptions, createApp } from '../http/app.ts';
import type { EventStreams, StreamOptions } from '../http/event-stream.ts';
import type { GuardOptions } from '../http/guard.ts';
import { type RequestLimits, requestLimitsOf } from '../http/request-limits.ts';
import { nodeTransport } from '../outbound/node/transport.ts';
import { traceOptionsOf } from '../telemetry/trace-options.ts';
import { backUp, removeCutOff } from './back-up.ts';
import { type ConnectionOptions, type Listening, listen, noteKnown, readBody } from './listen.ts';
import type { Log } from './log.ts';
import { logAnswer, logCommit, logFailedRequest, logFault } from './run-log.ts';
import { ServerMetrics } from './server-metrics.ts';
import { backupFolderOf, checkServed, nameOf, type ServedStore } from './tenant-stores.ts';
import { Tenants } from './tenants.ts';
import { findWebFiles } from './web-files.ts';

export interface ServeOptions extends Omit<EngineOptions, 'readOnly'> {
  /**
   * A SQLite file, `memory`, the folder of a fleet (`{ folder, shards }`, without threads), or a database that several servers share
   * (`postgres({ url })`). Default: `./heddle.db`.
   */
  readonly store?: ServedStore;
  /** Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string;
  /** Default: 4100; 0 takes any that is free. */
  readonly port?: number;
  /** Web pages of these origins may ask: `https://app.example.com`. */
  readonly origins?: readonly string[];
  /** A proxy that ends TLS stands before the server: `x-forwarded-proto` is believed. Let it pass `Host` on, too. */
  readonly behindProxy?: boolean;
  /** How long a browser that has signed in stays so. Default: 12 hours. */
  readonly sessionMs?: number;
  /** Requests a second that one key may make, and how many at once. */
  readonly rate?: GuardOptions['rate'];
  /** Readers of live events: how many, how often they get a sign of life, when a slow one is dropped. */
  readonly streams?: Partial<StreamOptions>;
  readonly connections?: ConnectionOptions;
  /** How large, how many and how slow requests may be. Sizes follow from `limits` unless they are said here. */
  readonly requests?: Partial<RequestLimits>;
  /** Whether to serve the web app. Default: true. */
  readonly web?: boolean;
  /** Absent: nothing is logged. */
  readonly log?: Log;
}

export interface RunningServer {
  readonly url: string;
  /** The default tenant's engine. */
  readonly engine: Engine;
  readonly keys: ApiKeys;
  /** Who reads live events now. */
  readonly streams: EventStreams;
  /** Takes no more requests, lets what is under way finish for `graceMs`, and stores everything. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export const defaultPort = 4100;
const defaultStore = './heddle.db';
const graceMsDefault = 10_000;

export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const { store = defaultStore, host = '127.0.0.1', port = defaultPort, log } = options;
  checkServed(store);
  const metrics = new ServerMetrics(options.clock ?? systemClock());
  const tenants = new Tenants({
    store,
    engine: (tenant) => engineOptions(options, tenant, { log, metrics }),
    onFault: (tenant, error) => log?.('error', { message: 'A tenant cannot be opened', tenant, error: String(error) }),
  });
  try {
    const { engine } = await tenants.openAll();
    const backups = backupFolderOf(store);
    // Nobody waits for a folder that cannot be tidied.
    if (backups !== null) await removeCutOff(backups).catch((error: unknown) => tellUntidy(log, error));
    const keys = new ApiKeys(
      engine.serverRecords,
      options.clock ?? systemClock(),
      given({ sessionMs: options.sessionMs }),
    );
    const isOpen = await keys.isEmpty();
    // SV1: an address that others can reach is served only once there is a key.
    if (isOpen && !isLoopback(host)) throw keyNeeded(host, nameOf(store));
    const app = createApp(appOptions(options, { tenants, keys, log, host, metrics, streams: () => app.streams }));
    const listening = await listen(app, { ...options.connections, host, port });
    const { url } = listening;
    log?.('info', { message: 'Serving', url, store: nameOf(store) });
    const close: RunningServer['close'] = (how) => shutDown({ listening, app, tenants, log, metrics }, how?.graceMs);
    return { url, engine, keys, streams: app.streams, close };
  } catch (error) {
    metrics.close();
    await tenants.close(0);
    throw error;
  }
}

interface Parts {
  readonly tenants: Tenants;
  readonly keys: ApiKeys;
  readonly log: Log | undefined;
  readonly host: string;
  readonly metrics: ServerMetrics;
  readonly streams: () => EventStreams;
}

function appOptions(options: ServeOptions, parts: Parts): AppOptions {
  const { tenants, keys, log, host, metrics } = parts;
  const { store = defaultStore, limits, origins = [], rate, streams = {}, behindProxy = false, web = true } = options;
  const isLocal = isLoopback(host);
  const backups = backupFolderOf(store);
  const pages = web ? findWebFiles() : null;
  return {
    ...(pages === null ? {} : { pages }),
    engineOf: tenants.engineOf,
    isTenant: (tenant: string) => tenants.isThere(tenant),
    keys,
    readBody,
    onKnown: noteKnown,
    // SV2: on a machine's own address nobody needs a key until the first one is made.
    authenticate: async (key: string | null): Promise<Access | null> => {
      if (key !== null) return keys.authenticate(key);
      return isLocal ? keys.openAccess() : null;
    },
    limits: { ...requestLimitsOf(checkedLimits(limits)), ...options.requests },
    guard: {
      origins,
      isBehindProxy: behindProxy,
      ...given({ rate }),
      ...(isLocal ? { hosts: [...loopbackNames, host] } : {}),
    },
    streams,
    ...(backups === null ? {} : { backup: (tenant) => backUp(tenants, { folder: backups, store }, tenant) }),
    metrics: (tenant) => metrics.text(tenant, tenants, parts.streams()),
    onAnswer: (answered) => {
      metrics.http.onAnswer(answered);
      if (log) logAnswer(log, answered);
    },
    onError: (error, { method }) => {
      if (log) logFailedRequest(log, method, error);
    },
  };
}

function engineOptions(
  options: ServeOptions,
  tenant: string,
  { log, metrics }: Pick<Parts, 'log' | 'metrics'>,
): EngineOptions {
  const meter = metrics.meterOf(tenant);
  const traces = options.traces ?? traceOptionsOf(process.env);
  const { store: _, host: _host, port: _port, log: _log, ...others } = options;
  const {
    origins: _origins,
    behindProxy: _behindProxy,
    sessionMs: _sessionMs,
    rate: _rate,
    streams: _streams,
    connections: _connections,
    requests: _requests,
    web: _web,
    ...engine
  } = others;
  return {
    workers: true,
    ...engine,
    http: { transport: nodeTransport(), ...engine.http },
    ...(traces === null
      ? {}
      : { traces: { ...traces, attributes: { ...traces.attributes, 'heddle.tenant': tenant } } }),
    onCommit: (committed) => {
      meter.onCommit(committed);
      if (log) logCommit(log, tenant, committed);
      options.onCommit?.(committed);
    },
    onError: (error, context) => {
      meter.onError();
      if (log) logFault(log, { tenant, ...context }, error);
      options.onError?.(error, context);
    },
  };
}

interface Serving extends Pick<Parts, 'tenants' | 'log' | 'metrics'> {
  readonly listening: Listening;
  readonly app: App;
}

// SV3: no new request, no new lease, streams end and come back elsewhere; what is under way finishes or is handed back;
// then the stores close.
async function shutDown(
  { listening, app, tenants, log, metrics }: Serving,
  graceMs: number = graceMsDefault,
): Promise<void> {
  log?.('info', { message: 'Shutting down', graceMs });
  listening.stop();
  app.streams.close();
  await tenants.close(graceMs);
  await listening.close();
  app.close();
  metrics.close();
  log?.('info', { message: 'Everything is stored' });
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function tellUntidy(log: Log | undefined, error: unknown): void {
  log?.('error', { message: 'What is left of backups cannot be removed', error: String(error) });
}

function keyNeeded(host: string, store: string): HeddleError {
  return new HeddleError(
    'KEY_NEEDED',
    `Expected an API key before serving on ${host}, which other machines can reach, but there is none. ` +
      `Make one with \`heddle keys create --store ${store}\`, or serve on 127.0.0.1.`,
  );
}
