// Fetch transport: requests of `http.request` and callbacks by the platform's `fetch`. Names are resolved by the platform, which
// reaches public addresses alone; what names an address itself is checked before.

import { type HttpTransport, ResponseTooLarge } from '../outbound/transport.ts';

export function platformTransport(): HttpTransport {
  return {
    resolve: () => Promise.resolve(null),
    async send({ url, method, headers, body, bytesMax, signal }) {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body === null ? {} : { body: new Uint8Array(body) }),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await readWhole(response, bytesMax),
      };
    },
  };
}

async function readWhole({ body }: Response, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > bytesMax) throw new ResponseTooLarge();
    parts.push(part);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
