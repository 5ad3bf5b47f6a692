// Sender: what a browser says of the page that sent a request, and by which address it was sent. Rules GD….
//
// Always true: no script of a page can set the headers that are read here; a program that is no browser can, and gains
// nothing by it.

import { RequestError } from './problem-document.ts';

export interface AddressOptions {
  /** Names by which the server may be asked; absent: any. */
  readonly hosts?: readonly string[];
  /** A proxy stands before the server, and says how it was asked itself: `x-forwarded-proto` is believed. */
  readonly isBehindProxy?: boolean;
}

export interface Sender {
  /** Of this server, of another origin, or of none that is known: a program, or a person who typed the address. */
  readonly page: 'own' | 'foreign' | 'unknown';
  /** It came over TLS. */
  readonly isSecure: boolean;
  /** By its method it changes nothing. */
  readonly isSafe: boolean;
}

/** Where a request was sent to; some runtimes hand on names that are none. */
export function addressOf({ url, headers }: Request, { hosts, isBehindProxy }: AddressOptions): URL {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    throw new RequestError(400, 'ADDRESS_INVALID', `Expected an address, but found ${url.slice(0, 200)}`);
  }
  // GD9: only a server that was told of its proxy believes what the proxy says; anybody can send such a header.
  if (isBehindProxy && /^https\b/i.test(headers.get('x-forwarded-proto') ?? '')) address.protocol = 'https:';
  // GD2: a server that only this machine can reach is asked by this machine's names: a foreign name that leads here is refused.
  if (hosts === undefined || hosts.includes(address.hostname)) return address;
  const message = `Expected a name of this machine, but it was asked as ${address.host.slice(0, 200)}`;
  throw new RequestError(403, 'HOST_FORBIDDEN', message);
}

export function senderOf(request: Request, { origin, protocol }: URL): Sender {
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  return { page: pageOf(request.headers, origin), isSecure: protocol === 'https:', isSafe };
}

/** By what the browser says of the site; one that says nothing of it says at least the origin. */
function pageOf(headers: Headers, own: string): Sender['page'] {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'none') return site === 'same-origin' ? 'own' : 'foreign';
  const origin = headers.get('origin');
  if (origin === null) return 'unknown';
  return origin === own ? 'own' : 'foreign';
}
