// Request limits: how large, how many and how slow requests may be. All of them, with their defaults.

import { defaultLimits } from '../definition/limits.ts';

export interface RequestLimits {
  /** Of a JSON body, and of any body that comes without a key. */
  readonly bodyBytesMax: number;
  readonly jsonDepthMax: number;
  /** Values in a JSON body, and different keys. */
  readonly jsonNodesMax: number;
  readonly jsonKeysMax: number;
  readonly artifactBytesMax: number;
  /** Of one key: bytes of bodies that are being received or handled. */
  readonly keyBodyBytesMax: number;
  /** Of all callers without a key: bodies that are being received or handled, and their bytes. */
  readonly publicBodiesMax: number;
  readonly publicBodyBytesMax: number;
  /** How long a body may take to come; without a key. */
  readonly bodyTimeoutMs: number;
  readonly publicBodyTimeoutMs: number;
}

const megabyte = 1024 * 1024;

export const defaultRequestLimits: RequestLimits = {
  bodyBytesMax: 8 * megabyte,
  jsonDepthMax: 128,
  jsonNodesMax: defaultLimits.jsonNodesMax,
  jsonKeysMax: defaultLimits.jsonKeysMax,
  artifactBytesMax: 64 * megabyte,
  keyBodyBytesMax: 256 * megabyte,
  publicBodiesMax: 100,
  publicBodyBytesMax: 32 * megabyte,
  bodyTimeoutMs: 300_000,
  publicBodyTimeoutMs: 20_000,
};
