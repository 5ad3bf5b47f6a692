// Version: the content hash by which equal definitions are known, whatever their version number and decoration.

import { sha256Hex } from '../base/hash.ts';
import type { Json } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { NormalDefinition } from './dialect.ts';

// DF44: the hash covers the normalised definition without `version`, without any `meta`, and without how it was drawn.
export function contentHash({ version: _version, ...definition }: NormalDefinition): string {
  const content = Object.entries(definition).flatMap(([field, value]): [string, unknown][] => {
    if (field === 'meta' || field === 'drawing') return [];
    return [[field, Array.isArray(value) ? value.map(withoutMeta) : value]];
  });
  // A definition is plain JSON; its optional fields are absent, never undefined.
  return sha256Hex(stableStringify({ transitions: [], ...Object.fromEntries(content) }));
}

/** Nodes, transitions, edges and connectors have decoration of their own. */
function withoutMeta(part: object): object {
  const { meta: _, ...rest } = part as { readonly meta?: Json }; // parts of all dialects have one
  return rest;
}
