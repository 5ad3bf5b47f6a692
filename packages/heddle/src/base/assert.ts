// A broken invariant is a bug in the engine, never a fault of a workflow or its author: nothing of the command
// that met it is committed.

export class InvariantError extends Error {
  override name = 'InvariantError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** For the end of an exhaustive `switch` or table look-up that TypeScript cannot see the end of. */
export function unreachable(value: never): never {
  throw new InvariantError(`Expected no further case, but found ${JSON.stringify(value)}`);
}
