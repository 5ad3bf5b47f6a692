// Cipher: values at rest. AES-256-GCM by WebCrypto under a key made (HKDF) from the store's own, which lies outside the
// store's data; what a value is bound to (its name, its hosts) is authenticated with it.

export interface Sealed {
  /** Base64. */
  readonly iv: string;
  readonly data: string;
}

export type CipherKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const info = new TextEncoder().encode('heddle secrets v1');

export async function makeCipherKey(storeKey: Uint8Array): Promise<CipherKey> {
  const material = await crypto.subtle.importKey('raw', new Uint8Array(storeKey), 'HKDF', false, ['deriveKey']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info };
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

export async function seal(key: CipherKey, value: string, boundTo: string): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = new TextEncoder().encode(boundTo);
  const data = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData },
    key,
    new TextEncoder().encode(value),
  );
  return { iv: toBase64(iv), data: toBase64(new Uint8Array(data)) };
}

/** Null if the key is another, or anything was changed. */
export async function unseal(key: CipherKey, { iv, data }: Sealed, boundTo: string): Promise<string | null> {
  const additionalData = new TextEncoder().encode(boundTo);
  try {
    const parameters = { name: 'AES-GCM', iv: fromBase64(iv), additionalData };
    return new TextDecoder().decode(await crypto.subtle.decrypt(parameters, key, fromBase64(data)));
  } catch {
    // WebCrypto says no more than that it failed.
    return null;
  }
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
