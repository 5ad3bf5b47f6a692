// Quiet: when everything that a client has begun has come to its end.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

const finishingMsMost = 60_000;
/** So many looks at an engine that has nothing to do, so far apart, and it has come to its end. */
const quietLooks = 4;
const lookEveryMs = 50;
const toldMost = 20;

/** What is left when it has been quiet for a while, or when it takes too long: nothing, if all is well. */
export async function untilQuiet(
  client: Client,
  leftElsewhere: () => readonly string[] = () => [],
): Promise<readonly string[]> {
  const deadline = performance.now() + finishingMsMost;
  for (let quiet = 0; ; await sleep(lookEveryMs)) {
    const runs = await client.ask({ type: 'unfinished' });
    const left = [
      ...(runs ?? ['it does not answer']),
      ...client.unanswered.map(({ operation }) => `no answer to ${JSON.stringify(operation)}`),
      ...leftElsewhere(),
    ];
    quiet = left.length === 0 ? quiet + 1 : 0;
    if (quiet === quietLooks || performance.now() > deadline) return left.slice(0, toldMost);
  }
}
