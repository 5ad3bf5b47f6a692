// Quiet: when everything that a client has begun has come to its end.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

/** Nothing has changed for so long: it is stuck. However slow the machine is, an engine that works changes something. */
const stuckMs = 120_000;
/** So many looks at an engine that has nothing to do, so far apart, and it has come to its end. */
const quietLooks = 4;
const lookEveryMs = 50;
const toldMost = 20;

/** What is left when it has been quiet for a while, or when it is stuck: nothing, if all is well. */
export async function untilQuiet(
  client: Client,
  leftElsewhere: () => readonly string[] = () => [],
): Promise<readonly string[]> {
  let [seen, changedAt] = ['', performance.now()];
  for (let quiet = 0; ; await sleep(lookEveryMs)) {
    const runs = await client.ask({ type: 'unfinished' });
    const left = [
      ...(runs ?? ['it does not answer']),
      ...client.unanswered.map(({ operation }) => `no answer to ${JSON.stringify(operation)}`),
      ...leftElsewhere(),
    ];
    quiet = left.length === 0 ? quiet + 1 : 0;
    if (left.join() !== seen) [seen, changedAt] = [left.join(), performance.now()];
    if (quiet === quietLooks || performance.now() > changedAt + stuckMs) return left.slice(0, toldMost);
  }
}
