// Complete definition: what a graph lacks as an editor saves it: a name, for which its file's stands in, and how it is
// to be read, which `--dialect` says.

import path from 'node:path';

export type DrawnDialect = 'dataflow' | 'handle';

interface Completion {
  readonly file: string;
  readonly dialect?: DrawnDialect | undefined;
}

/** What its author wrote stays as it is. */
export function completeDefinition(value: unknown, { file, dialect }: Completion): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { id, edges } = value as Readonly<Record<string, unknown>>; // it is an object
  const name = id === undefined && Array.isArray(edges) ? { id: nameOf(file) } : {};
  const isTold = telling.some((field) => field in value);
  return { ...value, ...name, ...(isTold || dialect === undefined ? {} : { dialect }) };
}

/** Fields by which a definition says how it is to be read. */
const telling = ['dialect', 'initialNode', 'transitions', 'connectors', 'connections'];

/** The file's name without its ending, as a workflow may be called. */
function nameOf(file: string): string {
  const { name } = path.parse(file);
  const legal = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return (/^[A-Za-z]/.test(legal) ? legal : `graph-${legal}`).replace(/-$/, '').slice(0, 128);
}
