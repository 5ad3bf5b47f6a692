// Adapters: one for each dialect, and which one a definition is in.

import type { Dialect, JsonObject } from 'heddle';
import type { DialectAdapter } from './adapter.ts';
import { dataflowAdapter } from './dataflow-adapter.ts';
import { handleAdapter } from './handle-adapter.ts';
import { threadAdapter } from './thread-adapter.ts';
import { tokenAdapter } from './token-adapter.ts';

export const adapters: Readonly<Record<Dialect, DialectAdapter>> = {
  token: tokenAdapter,
  thread: threadAdapter,
  handle: handleAdapter,
  dataflow: dataflowAdapter,
};

const isDialect = (value: unknown): value is Dialect => typeof value === 'string' && Object.hasOwn(adapters, value);

/** As the engine tells them apart; of edges that could be of two dialects, those of a drawing. */
export function adapterOf(definition: JsonObject): DialectAdapter {
  const { dialect } = definition;
  if (isDialect(dialect)) return adapters[dialect];
  if ('transitions' in definition || 'initialNode' in definition) return tokenAdapter;
  if ('connectors' in definition) return threadAdapter;
  return 'connections' in definition || 'edges' in definition ? handleAdapter : tokenAdapter;
}
