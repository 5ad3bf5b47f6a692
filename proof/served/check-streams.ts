// CheckStreams: whoever followed live events while servers died has what the journal has: every event once, in the
// order of the journal, none that is not there. Of runs that were deleted it may have what it was sent before.

import { createEngine } from '../../packages/heddle/src/index.ts';
import type { Complain, Evidence } from '../kill/evidence.ts';
import type { Follower } from './followers.ts';

interface Place {
  readonly feedId: string;
  readonly workflow: string;
}

/** Answers with how many events were followed. */
export async function checkStreams(
  followers: readonly Follower[],
  { runs, gone }: Evidence,
  { file, complain }: { readonly file: string; readonly complain: Complain },
): Promise<number> {
  const feed = await readPlaces(file);
  const expectedOf = ({ runId, workflow }: Follower): readonly string[] => {
    if (runId !== null) return runs.get(runId)?.events.map(({ id }) => id) ?? [];
    return feed.filter((place) => workflow === null || place.workflow === workflow).map(({ feedId }) => feedId);
  };
  for (const follower of followers) {
    const { runId, ids, owners, isGone } = follower;
    if (runId === null) checkOrder(follower, complain);
    if (isGone && !gone.has(runId ?? '')) complain(`Expected run ${runId} to be followed to its end, but it was gone`);
    if (runId !== null && gone.has(runId)) continue;
    const kept = runId === null ? ids.filter((_, index) => !gone.has(owners[index] ?? '')) : ids;
    compare({ ...follower, ids: kept }, expectedOf(follower), complain);
  }
  return followers.reduce((sum, { ids }) => sum + ids.length, 0);
}

async function readPlaces(file: string): Promise<readonly Place[]> {
  const engine = await createEngine({ store: file, readOnly: true });
  const places: Place[] = [];
  for await (const { feedId, runWorkflow: workflow } of engine.events({ follow: false }))
    places.push({ feedId, workflow });
  await engine.close();
  return places;
}

/** Also of those that were deleted it had none twice, and none too late. */
function checkOrder({ workflow, ids }: Follower, complain: Complain): void {
  const places = ids.map((id) => id.split('.').map(Number) as [number, number]); // position and index
  for (const [index, [position, place]] of places.entries()) {
    const [before, placeBefore] = places[index - 1] ?? [-1, 0];
    if (position < before || (position === before && place <= placeBefore))
      complain(
        `Expected whoever followed ${workflow ?? 'everything'} to go on after ${ids[index - 1]}, but found ${ids[index]}`,
      );
  }
}

function compare({ runId, workflow, ids, opened }: Follower, expected: readonly string[], complain: Complain): void {
  const length = Math.max(ids.length, expected.length);
  const at = Array.from({ length }).findIndex((_, index) => ids[index] !== expected[index]);
  if (at === -1) return;
  const who = runId ?? workflow ?? 'everything';
  complain(
    `Expected whoever followed ${who} to have event ${expected[at]} as number ${at} of ${expected.length}, ` +
      `but it has ${ids[at]} of ${ids.length}, after it opened ${opened} streams`,
  );
}
