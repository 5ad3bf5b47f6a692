// Handle controls: what `_branch`, `_wait` and `_waitUntil` in a returned context mean. Rules HN1 to HN4 and HN7.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { type Bag, isBag } from './values.ts';

export interface Controls {
  readonly handle: string;
  /** The node itself named it. */
  readonly isNamed: boolean;
  /** When the node is done; `never`: it asks for more than anybody may. */
  readonly until: number | 'never';
  /** Keys that are there and say nothing. */
  readonly ignored: readonly string[];
}

/** A hundred years. */
const longestMs = 3_155_760_000_000;

export function readControls(returned: Bag, at: number): Controls {
  const { _branch: branch, _wait: wait, _waitUntil: waitUntil } = returned;
  const isNamed = typeof branch === 'string' || typeof branch === 'boolean';
  const seconds = memberOf(wait, 'seconds');
  const timestamp = memberOf(waitUntil, 'timestamp');
  const hasSeconds = typeof seconds === 'number';
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  const wholeSeconds = hasSeconds && seconds > 0 ? Math.floor(seconds) : 0;
  const until = Math.max(at + 1000 * wholeSeconds, Number.isNaN(time) ? 0 : time);
  const ignored = [
    ...(isThere(branch) && !isNamed ? ['_branch'] : []),
    ...(isThere(wait) && !hasSeconds ? ['_wait'] : []),
    ...(isThere(waitUntil) && Number.isNaN(time) ? ['_waitUntil'] : []),
  ];
  return {
    handle: isNamed ? String(branch) : 'main',
    isNamed,
    until: until > at + longestMs ? 'never' : until,
    ignored,
  };
}

const isThere = (value: Json | undefined): boolean => value !== undefined && value !== null;

const memberOf = (value: Json | undefined, key: string): Json | undefined => (isBag(value) ? value[key] : undefined);

export function withoutControls(context: Bag): Bag {
  const { _branch, _wait, _waitUntil, ...rest } = context;
  return rest;
}
