// A broken invariant is a bug in the engine, never a fault of a workflow or its author: nothing of the command
// that met it is committed.

/** To be thrown where the message is made of something: made beforehand, it would be made in vain almost always. */
export class InvariantError extends Error {
  override name = 'InvariantError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
