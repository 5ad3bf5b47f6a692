// Thrown there: what an action threw in another Worker, as data, and an error again: with all that the engine reads from one.

export interface ThrownThere {
  readonly error: Readonly<Record<string, unknown>> & { readonly message: string };
}

/** Members of an error that say more than its message. */
const members = ['name', 'stack', 'code', 'retryable', 'retryAfterMs', 'details'] as const;

export function packThrown(thrown: unknown): ThrownThere {
  if (!(thrown instanceof Error)) return { error: { message: String(thrown) } };
  const known = thrown as unknown as Readonly<Record<string, unknown>>; // any error can be asked
  const told = members.flatMap((name) => ((known[name] ?? null) === null ? [] : [[name, known[name]] as const]));
  const cause = thrown.cause === undefined ? {} : { cause: packThrown(thrown.cause).error };
  return { error: { ...Object.fromEntries(told), ...cause, message: thrown.message } };
}

export function unpackThrown({ error: { message, cause, ...told } }: ThrownThere): Error {
  const known = cause === undefined ? undefined : { cause: unpackThrown({ error: cause as ThrownThere['error'] }) }; // as it was packed
  return Object.assign(new Error(message, known), told);
}
