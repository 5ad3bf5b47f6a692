// MemoryArtifacts: artifacts in a map. Nobody holds the bytes that it holds: they are copied on their way in and out.

import type { ArtifactStore } from '../../actor/ports.ts';
import { sha256Hex } from '../../base/hash.ts';

export function memoryArtifacts(): ArtifactStore {
  const contents = new Map<string, Uint8Array>();
  return {
    put: async (bytes) => {
      const copy = new Uint8Array(bytes);
      const id = sha256Hex(copy);
      contents.set(id, copy);
      return id;
    },
    get: async (id) => {
      const found = contents.get(id);
      return found === undefined ? null : new Uint8Array(found);
    },
    has: async (id) => contents.has(id),
    remove: async (id) => void contents.delete(id),
    list: async (after, limit) => {
      const ids = [...contents.keys()].filter((id) => after === null || id > after);
      return ids.toSorted().slice(0, limit);
    },
  };
}
