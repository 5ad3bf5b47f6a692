// The decisions of a recording, made again by the rules of now: they are what was recorded, but where a rule has changed
// since. What has changed is named, so that nothing changes without a word.

import type { Event } from '../../packages/heddle/src/core/events.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import type { ReplayDifference } from '../../packages/heddle/src/operations/run-views.ts';
import { inFile } from './check-database.ts';
import type { Recording } from './recording.ts';

/** What has changed since, by rule: whether a difference comes of it. A change of a rule is named here, or it is none. */
const changedRules: Readonly<Record<string, (difference: ReplayDifference) => boolean>> = {
  'EJ2: parts of the graph that are dead are no longer recorded': ({ recorded }) =>
    recorded?.type === 'edges.settled' && recorded.regions !== undefined,
  'EJ4: joins that will never run are told before those that run': ({ recorded, replayed }) =>
    recorded?.type === 'edge_join.completed' && replayed?.type === 'edges.settled',
  'IN10: a prompt is recorded with its texts, and when it was asked': ({ recorded, pointer }) =>
    (recorded?.type === 'input.requested' || recorded?.type === 'input.queued') && ['/at', '/title'].includes(pointer),
  'FO13: branches begin when the steps of a command are done': ({ recorded, replayed }) =>
    recorded?.type === 'token.created' && recorded.branch[1] > 0 && replayed?.type === 'task.dispatched',
  'LC16: what was held has its turn one by one': ({ pointer }) => pointer === '/keepsHeld',
  'BR6: a join tells what it drops': ({ pointer }) => pointer === '/discarded',
  'RD3: a result is recorded with its handle': ({ pointer }) => pointer === '/handle',
};

export async function checkDecisions(
  recording: Recording,
): Promise<{ readonly wrong: readonly string[]; readonly commits: number }> {
  return inFile(recording.database, async (file) => {
    const engine = await openEngine(await openSqliteStore(file), { readOnly: true });
    const wrong: string[] = [];
    let commits = 0;
    for (const { runId, workflow } of recording.runs) {
      const replay = await engine.run(runId).replay();
      commits += replay.commits;
      for (const difference of replay.differences)
        if (!Object.values(changedRules).some((explains) => explains(difference)))
          wrong.push(`run ${runId} of ${workflow}: ${describe(difference)}`);
    }
    await engine.close();
    return { wrong, commits };
  });
}

function describe({ eventId, command, pointer, recorded, replayed, error }: ReplayDifference): string {
  const [was, is] = [recorded, replayed].map((event: Event | null) => JSON.stringify(event));
  return `Expected ${eventId} on ${command} to be decided again as ${was}, but found ${is} (${pointer}) ${error?.message ?? ''}`;
}
