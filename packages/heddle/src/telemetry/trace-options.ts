// Trace options: where spans go, and in whose name: as a program says it, or as the environment does in the words of
// OpenTelemetry.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';

export interface TraceOptions {
  /** The whole address: `http://localhost:4318/v1/traces`. */
  readonly endpoint: string;
  /** Sent with every request, such as a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `heddle`. */
  readonly serviceName?: string;
  /** More that is said of this service, such as `deployment.environment.name`. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** For one request. Default: 10 s. */
  readonly timeoutMs?: number;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** OT7: by the variables of OpenTelemetry; those for traces come before those for everything. Null: no endpoint, or switched off. */
export function traceOptionsOf(environment: Environment): TraceOptions | null {
  const read = (name: string): string | undefined =>
    environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const endpoint = readEndpoint(environment);
  const isOff = environment['OTEL_SDK_DISABLED'] === 'true' || environment['OTEL_TRACES_EXPORTER'] === 'none';
  if (endpoint === null || isOff) return null;
  refuseProtocol(read('PROTOCOL'));
  const { 'service.name': named, ...attributes } = parsePairs(environment['OTEL_RESOURCE_ATTRIBUTES']);
  const serviceName = environment['OTEL_SERVICE_NAME'] || named;
  const timeoutMs = Number(read('TIMEOUT'));
  return {
    endpoint,
    headers: parsePairs(read('HEADERS')),
    attributes,
    ...given({ serviceName }),
    ...given({ timeoutMs: Number.isSafeInteger(timeoutMs) && timeoutMs > 0 ? timeoutMs : undefined }),
  };
}

function readEndpoint(environment: Environment): string | null {
  const own = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const shared = environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (own) return own;
  return shared ? `${shared.replace(/\/+$/, '')}/v1/traces` : null;
}

/** Whoever takes OTLP over HTTP takes JSON too; gRPC is another port and another language. */
function refuseProtocol(protocol: string | undefined): void {
  if (protocol !== 'grpc') return;
  const message = 'Expected OTEL_EXPORTER_OTLP_PROTOCOL to be http/json, but found grpc';
  throw new HeddleError('OPTION_INVALID', `${message}. Name the collector's HTTP address, often port 4318.`);
}

/** `key=value,key2=value2`, percent-encoded; what is no pair is passed over. */
function parsePairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
