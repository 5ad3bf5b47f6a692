// KeyFile: the secret key of a store, in a file of its own beside it: someone who gets hold of the database alone can make
// none of the secrets that the engine handed out.
//
// Always true: behind the key lies its SHA-256, so that a bit that turned over is found; only the holder of the store's
// lock makes one; one that is there is never written over.

import { createHash, randomBytes } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { StoreError } from '../../actor/store-error.ts';
import { writeDurably } from './durable-file.ts';
import { isMissing, toFileError } from './file-fault.ts';

const keyLength = 32;
const sumLength = 32;

/** SC3: a store's key is made when the store is first opened for writing, and never by a reader. */
export async function makeKeyFile(file: string): Promise<void> {
  try {
    await access(file);
  } catch (error) {
    if (!isMissing(error)) throw toFileError(error, file);
    const key = randomBytes(keyLength);
    await writeDurably({ file, bytes: Buffer.concat([key, computeSum(key)]) });
  }
}

/** Read when it is first asked for, and then kept. */
export function keyFileReader(file: string): () => Promise<Uint8Array> {
  let reading: Promise<Uint8Array> | null = null;
  return () => {
    reading ??= readKey(file).catch((error: unknown) => {
      reading = null; // Whoever asks again after it was mended, gets it.
      throw error;
    });
    return reading;
  };
}

async function readKey(file: string): Promise<Uint8Array> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw isMissing(error) ? missing(file) : toFileError(error, file);
  });
  const key = new Uint8Array(bytes.subarray(0, keyLength));
  const sum = bytes.subarray(keyLength);
  if (key.length < keyLength || (sum.length !== 0 && sum.length !== sumLength))
    throw damaged(file, `it has ${bytes.length} bytes`);
  // Those of the first versions have none.
  if (sum.length > 0 && !sum.equals(computeSum(key)))
    throw damaged(file, 'it was changed, and does not match its SHA-256');
  return key;
}

const computeSum = (key: Uint8Array): Buffer => createHash('sha256').update(key).digest();

function damaged(file: string, found: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected ${file} to hold the ${keyLength} bytes of the store's key and their SHA-256, but ${found}. Put a backup in ` +
      `its place; or remove it and open the store for writing, which makes a new key: then what was handed out (reply ` +
      `links, leases) is void.`,
  );
}

function missing(file: string): StoreError {
  return new StoreError(
    'STORE_MISSING',
    `Expected the store's key in ${file}, but there is no such file. Put a backup there; or open the store for writing ` +
      `(start an engine on it), which makes a new key: then what was handed out (reply links, leases) is void.`,
  );
}
