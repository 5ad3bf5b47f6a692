// Reading from a value that anybody may have made: a getter or a proxy that throws reads as nothing.

export function readMember(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  try {
    return (value as Readonly<Record<string, unknown>>)[key]; // any value but null and undefined can be read by key
  } catch {
    return undefined;
  }
}
