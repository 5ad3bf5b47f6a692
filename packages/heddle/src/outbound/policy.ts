// Policy: where requests may go. Rules OH2–OH4.

import { HeddleError } from '../base/heddle-error.ts';
import { ActionError } from '../executor/action-error.ts';
import { matchesHost } from '../secrets/secret.ts';
import { type Block, isIn, readAddress, readBlock, whyNotPublic, withoutCarrier } from './address.ts';

export interface PolicyOptions {
  /** Hosts (`intranet.example`, `*.intranet.example`) and blocks of addresses (`10.1.0.0/16`) that need not be public. */
  readonly allowPrivate?: readonly string[];
  /** The ports that may be connected to. Absent: any. */
  readonly ports?: readonly number[];
}

export class Policy {
  readonly #hosts: readonly string[];
  readonly #blocks: readonly Block[];
  readonly #ports: ReadonlySet<number> | null;

  constructor({ allowPrivate = [], ports }: PolicyOptions = {}) {
    const entries = allowPrivate.map(readEntry);
    this.#hosts = entries.filter((entry) => typeof entry === 'string');
    this.#blocks = entries.filter((entry) => typeof entry !== 'string');
    this.#ports = ports === undefined ? null : new Set(ports.map(mustBePort));
  }

  /** OH2: a URL is http or https, names no user and no password, and has a port that is allowed. */
  readUrl(text: string): URL {
    const url = parseUrl(text);
    if (url === null) throw refuseUrl('a whole URL such as https://example.com/path', 'it is none');
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw refuseUrl('a URL that begins with http: or https:', `it begins with ${url.protocol}`);
    if (url.username !== '' || url.password !== '')
      throw refuseUrl('a URL without user and password', 'it has them; put them into a header, by a secret');
    const port = Number(url.port === '' ? defaultPorts[url.protocol] : url.port);
    if (this.#ports?.has(port) === false)
      throw refuseUrl(`one of the ports ${[...this.#ports].join(', ')}`, `it has port ${port}`);
    return url;
  }

  /** OH3: of a name, every address must be allowed: one that is not refuses the request, whatever the others are. */
  checkAddresses(host: string, addresses: readonly string[]): void {
    if (this.#allowsHost(host)) return;
    for (const address of addresses) {
      const what = whyNotPublic(address);
      if (what === null || this.#allowsAddress(address)) continue;
      const named = address === host ? address : `${address}, an address of ${host},`;
      const message = `Expected a public address, but ${named} is not (${what}); the option http.allowPrivate of the engine (heddle serve --allow-private) can allow it`;
      throw new ActionError(message, { code: 'HTTP_ADDRESS_REFUSED', retryable: false });
    }
  }

  /** OH4: whether secrets may go there without TLS: only to what was named as private. */
  allowsPlain(host: string): boolean {
    return this.#allowsHost(host) || this.#allowsAddress(host);
  }

  #allowsHost(host: string): boolean {
    return this.#hosts.some((allowed) => matchesHost(host, allowed));
  }

  #allowsAddress(address: string): boolean {
    const bytes = readAddress(address);
    return bytes !== null && this.#blocks.some((block) => isIn(bytes, block) || isIn(withoutCarrier(bytes), block));
  }
}

export function parseUrl(text: string, base?: URL): URL | null {
  return URL.canParse(text, base?.href) ? new URL(text, base) : null;
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Without the brackets that an IPv6 address has in a URL, and the dot that a whole name may end with. */
export function parseHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function readEntry(entry: unknown): string | Block {
  const block = typeof entry === 'string' ? readBlock(entry) : null;
  if (block !== null) return block;
  if (typeof entry === 'string' && hostPattern.test(entry) && !/^[\d.]+$/.test(entry)) return entry.toLowerCase();
  const found = typeof entry === 'string' ? JSON.stringify(entry) : typeof entry;
  const message = `Expected each of http.allowPrivate to be a host, an address or a block such as 10.0.0.0/8, but found ${found}`;
  throw new HeddleError('OPTION_INVALID', message);
}

const hostPattern = /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_-]{1,63}){0,20}$/;

function mustBePort(port: unknown): number {
  if (typeof port === 'number' && Number.isSafeInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new HeddleError(
    'OPTION_INVALID',
    `Expected each of http.ports to be a number from 1 to 65535, but found ${String(port)}`,
  );
}

function refuseUrl(expected: string, found: string): ActionError {
  return new ActionError(`Expected ${expected}, but ${found}`, { code: 'HTTP_URL_REFUSED', retryable: false });
}
