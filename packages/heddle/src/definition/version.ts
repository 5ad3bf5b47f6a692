// Version: the content hash by which equal definitions are known, whatever their version number and decoration.

import { sha256Hex } from '../base/hash.ts';
import type { Json } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { Definition } from './definition.ts';

// DF44: the hash covers the normalised definition without `version` and without any `meta`.
export function contentHash({ version: _version, meta: _meta, nodes, transitions, ...rest }: Definition): string {
  const content = {
    ...rest,
    nodes: nodes.map(({ meta: _, ...node }) => node),
    transitions: (transitions ?? []).map(({ meta: _, ...transition }) => transition),
  };
  // A definition is plain JSON; its optional fields are absent, never undefined.
  return sha256Hex(stableStringify(content as unknown as Json));
}
