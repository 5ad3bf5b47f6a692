// Request limits: how large, how many and how slow requests may be. What a body holds follows from the engine's limits.

import { defaultLimits, type Limits, wrappingLevels } from '../definition/limits.ts';

export interface RequestLimits {
  /** Of a JSON body, and of any body that comes without a key. */
  readonly bodyBytesMax: number;
  /** Of a JSON body, with what the route wraps around a value of the engine's `jsonDepthMax`. */
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

/** Those that let an engine with these limits be given over HTTP all that it takes. */
export function requestLimitsOf(limits: Limits): RequestLimits {
  const { payloadBytesMax, definitionBytesMax, jsonDepthMax, jsonNodesMax, jsonKeysMax, artifactBytesMax } = limits;
  return {
    bodyBytesMax: 2 * Math.max(payloadBytesMax, definitionBytesMax),
    jsonDepthMax: jsonDepthMax + wrappingLevels,
    jsonNodesMax,
    jsonKeysMax,
    artifactBytesMax,
    keyBodyBytesMax: 256 * megabyte,
    publicBodiesMax: 100,
    publicBodyBytesMax: 32 * megabyte,
    bodyTimeoutMs: 300_000,
    publicBodyTimeoutMs: 20_000,
  };
}

export const defaultRequestLimits: RequestLimits = requestLimitsOf(defaultLimits);
