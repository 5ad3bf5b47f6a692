// Verify: whether a call was signed with the secret, over the very bytes that came. Rules WH3–WH5.
//
// Always true: signatures are compared in a time that tells nothing; a signature that is too old or too new is none.

import { equalTexts } from '../base/hash.ts';
import { signHmac } from '../secrets/sign-hmac.ts';
import type { Verification } from '../triggers/trigger.ts';

export interface SignedCall {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
}

/** What a call says of its signature; null if it does not say it. */
interface Claim {
  /** One of them must be right. */
  readonly signatures: readonly string[];
  /** When it was made; null if the scheme does not tell. */
  readonly at: number | null;
  /** What is signed before the body. */
  readonly lead: string;
  readonly algorithm: NonNullable<Verification['algorithm']>;
  readonly encoding: NonNullable<Verification['encoding']>;
}

const toleranceMsDefault = 300_000;
const signaturesMax = 10;

/** WH3: the signature is made again from the raw bytes, and compared in constant time. */
export async function isSigned(verify: Verification, secret: string, call: SignedCall, now: number): Promise<boolean> {
  const claim = readClaim(verify, call.headers);
  if (claim === null) return false;
  // WH4: where a scheme tells when it was signed, that is close to now.
  const { toleranceMs = toleranceMsDefault } = verify;
  if (claim.at !== null && !(Math.abs(now - claim.at) <= toleranceMs)) return false;
  const own = await signHmac(claim, secret, call.rawBody);
  let isRight = false;
  for (const signature of claim.signatures) if (equalTexts(signature, own)) isRight = true;
  return isRight;
}

/** What was signed before the body, such as the time. */
export function signedLead(verify: Verification, headers: SignedCall['headers']): string {
  return readClaim(verify, headers)?.lead ?? '';
}

/** WH5: each scheme has its own headers and its own text that is signed. */
function readClaim(verify: Verification, headers: SignedCall['headers']): Claim | null {
  const sha256 = { algorithm: 'sha256', encoding: 'hex' } as const;
  switch (verify.scheme) {
    case 'github':
      return fromPrefixed(headers['x-hub-signature-256'], 'sha256=', { at: null, lead: '', ...sha256 });
    case 'slack': {
      const time = headers['x-slack-request-timestamp'] ?? '';
      return fromPrefixed(headers['x-slack-signature'], 'v0=', { at: readTime(time), lead: `v0:${time}:`, ...sha256 });
    }
    case 'stripe':
      return fromList(headers['stripe-signature']);
    case 'heddle':
      return fromList(headers['heddle-signature']);
    case 'hmac': {
      const { header = '', timestampHeader, prefix = '', algorithm = 'sha256', encoding = 'hex' } = verify;
      const given = headers[header.toLowerCase()];
      if (timestampHeader === undefined)
        return fromPrefixed(given, prefix, { at: null, lead: '', algorithm, encoding });
      const time = headers[timestampHeader.toLowerCase()] ?? '';
      return fromPrefixed(given, prefix, { at: readTime(time), lead: `${time}.`, algorithm, encoding });
    }
  }
}

function fromPrefixed(text: string | undefined, prefix: string, claim: Omit<Claim, 'signatures'>): Claim | null {
  if (text === undefined || !text.startsWith(prefix)) return null;
  const signature = text.slice(prefix.length);
  return { ...claim, signatures: [claim.encoding === 'hex' ? signature.toLowerCase() : signature] };
}

/** `t=1700000000,v1=…,v1=…`: several while a secret is being changed. */
function fromList(text: string | undefined): Claim | null {
  const parts = (text ?? '').split(',', signaturesMax + 1).map((part) => part.trim().split('=', 2));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.filter(([name]) => name === 'v1').map(([, signature = '']) => signature.toLowerCase());
  if (time === '' || signatures.length === 0) return null;
  return { signatures, at: readTime(time), lead: `${time}.`, algorithm: 'sha256', encoding: 'hex' };
}

/** In seconds, or in milliseconds; what is neither is never close to now. */
function readTime(text: string): number {
  if (!/^\d{1,15}$/.test(text)) return Number.NaN;
  return text.length > 11 ? Number(text) : Number(text) * 1_000;
}
