// TLS: the name in the URL is the one that is asked for and that the certificate must have, whatever the address is.

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { afterTest, fetching } from '../http.testsuite.ts';
import { nodeTransport } from './transport.ts';

/** Made for this test alone, and trusted by nobody. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAf35zyY3vma/X3qT
Gb5NBHa/ZMmS6hJ94IVyKBEjOUahRANCAASoGIRPNUhjWUC487DRdNqom3Kc9Jb2
guQ3RySMJnYpc0ci1ned9FOEbzjHqrWss/03SEGVqrM3F0ix+4yn29oZ
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBazCCARGgAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5zZWN1cmUu
ZXhhbXBsZTAeFw0yMDAxMDEwMDAwMDBaFw00OTEyMzEyMzU5NTlaMBkxFzAVBgNV
BAMMDnNlY3VyZS5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqBiE
TzVIY1lAuPOw0XTaqJtynPSW9oLkN0ckjCZ2KXNHItZ3nfRThG84x6q1rLP9N0hB
laqzNxdIsfuMp9vaGaNKMEgwGQYDVR0RBBIwEIIOc2VjdXJlLmV4YW1wbGUwDAYD
VR0TBAUwAwEB/zAdBgNVHQ4EFgQU/vK6JD7fnodHvBxfSXfNAzbnUtcwCgYIKoZI
zj0EAwIDSAAwRQIhAPfL0I44I96wvtxn7oZ/Ei6vwm3ifBv7+C13ydPObE/UAiBz
qy5nLtKIf0fqj9yuXgyN9F19TQ62f5ZgSWxeEgNdqA==
-----END CERTIFICATE-----
`;

async function serveTls() {
  const names: string[] = [];
  const server = createServer({ key, cert }, (request, response) => response.end(`to ${request.headers.host ?? ''}`));
  server.on('secureConnection', (socket) => names.push(String(socket.servername)));
  server.on('tlsClientError', () => names.push('refused'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, names };
}

const resolve = async () => ['127.0.0.1'];

test('[OH5] over TLS the checked address is connected to, and the name is asked for and verified', async () => {
  const { port, names } = await serveTls();
  const { fetch } = await fetching({ transport: nodeTransport({ resolve, ca: cert }) });
  const outcome = await fetch({ url: `https://secure.example:${port}/`, expect: 'text' });
  expect(outcome).toMatchObject({ output: { body: `to secure.example:${port}` } });
  expect(names).toEqual(['secure.example']);
  expect(await fetch({ url: `https://other.example:${port}/` })).toMatchObject({ code: 'HTTP_CONNECTION_FAILED' });
});

test('[OH6] a certificate that nobody trusts is a connection that fails', async () => {
  const { port } = await serveTls();
  const { fetch } = await fetching({ transport: nodeTransport({ resolve }) });
  const outcome = await fetch({ url: `https://secure.example:${port}/` });
  expect([outcome.code, outcome.message?.includes('self')]).toEqual(['HTTP_CONNECTION_FAILED', true]);
});
