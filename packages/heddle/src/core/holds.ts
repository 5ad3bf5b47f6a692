// Holds: what keeps a part of the graph alive for edge joins. A token holds its node, an open group the fan-out that
// opened it: what it leads to is not what its node leads to (rule EJ9).

import { fanOutKey } from '../definition/fan-out-ends.ts';
import type { TokenId } from './events.ts';

/** What an open group holds in the branch that fanned out. The slices of a batch hold its node, which is not done. */
export function heldBy(group: {
  readonly node: string;
  readonly name: string;
  readonly batch?: TokenId | null;
}): string {
  return group.batch === null || group.batch === undefined ? fanOutKey(group.node, group.name) : group.node;
}
