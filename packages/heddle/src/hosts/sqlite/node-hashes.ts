// NodeHashes: Node's own SHA-256: 0.5 µs for a short text, where the one of every runtime takes 4.8.

import { createHmac, hash } from 'node:crypto';
import type { Hashes } from '../../base/hash.ts';

export const nodeHashes: Hashes = {
  hex: (content) => hash('sha256', content, 'hex'),
  base64url: (text) => hash('sha256', text, 'base64url'),
  bytes: (text) => hash('sha256', text, 'buffer'),
  hmac: (key, text) => createHmac('sha256', key).update(text).digest('base64url'),
};
