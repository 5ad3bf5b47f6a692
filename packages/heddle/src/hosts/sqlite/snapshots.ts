// Snapshots: one of each run, in chunks. A large one is written by several transactions, with a pause between them.
//
// Always true: a snapshot counts from the moment at which its first chunk is there, which is written last and in the
// transaction that removes the one before it. Until then its other chunks lie where nobody looks.

import type { Awaitable, Snapshot } from '../../actor/ports.ts';
import type { SqlDriver } from './driver.ts';

/** Until what else the process has to do is done. */
export type Pause = () => Promise<void>;

/** Where the chunks of a run's snapshots begin, in turn. */
const near = 0;
const far = 1_000_000;

/** Characters of one transaction: 20 to 40 ms. */
const portionLength = 4_194_304;

export function prepareSnapshots(driver: SqlDriver, pause: Pause) {
  const readFirst = driver.prepare<{ chunk: number; seq: number; body: string }>(
    `SELECT chunk, seq, body FROM snapshots WHERE run_id = ? AND chunk IN (${near}, ${far})`,
  );
  const readOthers = driver.prepare<{ body: string }>(
    'SELECT body FROM snapshots WHERE run_id = ? AND chunk > ? AND chunk < ? ORDER BY chunk',
  );
  const remove = driver.prepare('DELETE FROM snapshots WHERE run_id = ? AND chunk >= ? AND chunk < ?');
  const insert = driver.prepare('INSERT INTO snapshots (run_id, chunk, seq, body) VALUES (?, ?, ?, ?)');

  const readSnapshot = (runId: string): Snapshot | null => {
    const first = readFirst.get(runId);
    if (first === undefined) return null;
    const { chunk, seq, body } = first;
    const others = readOthers.all(runId, chunk, chunk + far);
    return { runId, seq, chunks: [body, ...others.map((other) => other.body)] };
  };

  // FS7: the snapshot before counts until the new one is whole, whatever happens in between.
  const saveSnapshot = ({ runId, seq, chunks }: Snapshot): Awaitable<void> => {
    const [place, other] = readFirst.get(runId)?.chunk === near ? [far, near] : [near, far];
    const write = ([from, end]: Portion): void =>
      driver.transaction(() => {
        if (end === chunks.length) remove.run(runId, place, place + far); // what a crash has left there
        // The portion lies within the chunks.
        for (let at = end - 1; at >= from; at--) insert.run(runId, place + at, seq, chunks[at] as string);
        if (from === 0) remove.run(runId, other, other + far);
      });
    const [last = [0, 0], ...others] = cutPortions(chunks);
    write(last);
    return others.length === 0 ? undefined : inTurn(others, write, pause);
  };
  return { readSnapshot, saveSnapshot };
}

async function inTurn(portions: readonly Portion[], write: (portion: Portion) => void, pause: Pause): Promise<void> {
  for (const portion of portions) {
    await pause();
    write(portion);
  }
}

/** From a chunk on, up to another. */
type Portion = readonly [from: number, end: number];

/** From the last chunk to the first. */
function cutPortions(chunks: readonly string[]): readonly Portion[] {
  const portions: Portion[] = [];
  let length = 0;
  let end = chunks.length;
  for (let at = end - 1; at >= 0; at--) {
    length += (chunks[at] as string).length; // below its length
    if (length < portionLength && at > 0) continue;
    portions.push([at, end]);
    length = 0;
    end = at;
  }
  return portions;
}
