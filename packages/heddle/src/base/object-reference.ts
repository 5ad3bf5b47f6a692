// ObjectReference: what stands for bytes in inputs, state and results, which are JSON. The bytes lie in an artifact store.

/** A type, not an interface: it is a JsonObject too. */
export type ObjectReference = {
  /** The SHA-256 of the bytes, in hex. */
  readonly id: string;
  readonly mimeType: string;
};

const idPattern = /^[0-9a-f]{64}$/;

export function isObjectReference(value: unknown): value is ObjectReference {
  if (typeof value !== 'object' || value === null) return false;
  // Any object can be read by key.
  const { id, mimeType } = value as { readonly id?: unknown; readonly mimeType?: unknown };
  return typeof id === 'string' && idPattern.test(id) && typeof mimeType === 'string';
}
