// Transport on Node. What it needs of Node is loaded with the first request: most programs send none, and loading it took
// 5 ms of every start.

import type { HttpTransport } from '../transport.ts';
import type { Sockets } from './sockets.ts';

export interface NodeTransportOptions {
  /** How names are resolved. Default: as the operating system does. */
  readonly resolve?: HttpTransport['resolve'];
  /** Certificates (PEM) that are trusted in place of the usual ones: of an authority of one's own. */
  readonly ca?: string | readonly string[];
}

export function nodeTransport({ resolve = resolveName, ca }: NodeTransportOptions = {}): HttpTransport {
  let sockets: Promise<Sockets> | null = null;
  const open = () => {
    sockets ??= import('./sockets.ts').then(({ openSockets }) => openSockets(ca));
    return sockets;
  };
  return {
    resolve,
    send: async (request) => (await open()).send(request),
    close: () => {
      void sockets?.then(({ close }) => close());
    },
  };
}

async function resolveName(host: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
