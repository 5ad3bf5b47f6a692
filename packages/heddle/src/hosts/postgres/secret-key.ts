// SecretKey: what secrets are made with, from outside the database: whoever gets hold of that alone can make none of them. All
// processes of a fleet have the same.

import { readFile } from 'node:fs/promises';
import { sha256Base64url } from '../../base/hash.ts';
import { HeddleError } from '../../base/heddle-error.ts';

export interface SecretKeyOptions {
  /** 32 bytes, in base64 or hex; the environment variable HEDDLE_SECRET_KEY if absent. */
  readonly secretKey?: string;
  /** A file that holds it. */
  readonly secretKeyFile?: string;
}

const keyBytes = 32;

export async function readSecretKey({ secretKey, secretKeyFile }: SecretKeyOptions): Promise<Uint8Array> {
  const text =
    secretKey ?? (secretKeyFile === undefined ? process.env['HEDDLE_SECRET_KEY'] : await readKeyFile(secretKeyFile));
  const key = text === undefined ? null : decode(text.trim());
  if (key !== null) return key;
  const found = text === undefined ? 'there is none' : 'what is given is not that';
  throw new HeddleError(
    'OPTION_INVALID',
    `Expected a secret key of ${keyBytes} bytes in base64 or hex (HEDDLE_SECRET_KEY, secretKey or secretKeyFile), but ${found}. ` +
      `Make one with: openssl rand -base64 32. All processes of a fleet need the same, for as long as the fleet is.`,
  );
}

/** PG7: by which a database knows it; the key cannot be found from it. */
export const keyFingerprint = (key: Uint8Array): string =>
  sha256Base64url(`heddle ${Buffer.from(key).toString('hex')}`);

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new HeddleError('OPTION_INVALID', `Expected a file with the secret key at ${file}, but it cannot be read`, {
      cause: error,
    });
  }
}

function decode(text: string): Uint8Array | null {
  const encoding = /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64';
  const key = Buffer.from(text, encoding);
  return key.length === keyBytes && (encoding === 'hex' || /^[\w+/-]{43}=?$/.test(text)) ? new Uint8Array(key) : null;
}
