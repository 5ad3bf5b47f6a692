// Sign: HMAC signatures over bytes, as senders of webhooks make them; by WebCrypto, on every runtime.

import { toBase64 } from './cipher.ts';

export interface SigningWay {
  /** What is signed before the bytes. */
  readonly lead: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
}

const hashNames = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const;

export async function signHmac(
  { lead, algorithm, encoding }: SigningWay,
  secret: string,
  body: Uint8Array,
): Promise<string> {
  const start = new TextEncoder().encode(lead);
  const text = new Uint8Array(start.length + body.length);
  text.set(start);
  text.set(body, start.length);
  const kind = { name: 'HMAC', hash: hashNames[algorithm] };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), kind, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, text));
  if (encoding === 'base64') return toBase64(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
