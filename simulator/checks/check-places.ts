// Check places: what belongs to one shard of a fleet is in that shard and in no other (I52): a run where its id says, a key,
// an account, an event and the waits for it wherever they were first. What all shards share, each has as the first one has it.

import type { Commit, RecordRow, Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Violation } from './violation.ts';

const ownKinds: ReadonlySet<string> = new Set([
  'event',
  'event-wait',
  'event-claim',
  'to-fire',
  'account',
  'reservation',
  'grant',
  'deposit',
  'prompt',
  'open-prompt',
  'artifact',
  'retry-key',
]);

export class PlaceCheck {
  readonly #shards = new Map<string, number>();

  /** After each commit of a shard, in order. */
  add({ runs, journal, keys, records }: Commit, shard: number): Violation | null {
    for (const runId of [...runs.map(({ row }) => row.runId), ...journal.map((row) => row.runId)])
      if (shardIn(runId) !== shard) return broken(`Expected run ${runId} in shard ${shardIn(runId)}`, shard);
    const owned = [
      ...keys.map(({ scope, key }) => `key ${scope}/${key}`),
      ...records.filter(({ kind }) => ownKinds.has(kind)).map(({ kind, key }) => `${kind} ${key}`),
    ];
    for (const name of owned) {
      const first = this.#shards.get(name) ?? shard;
      if (first !== shard)
        return broken(`Expected ${JSON.stringify(name)} in shard ${first}, where it was first`, shard);
      this.#shards.set(name, shard);
    }
    return null;
  }
}

/** As the id of a run says. */
export const shardIn = (runId: string): number => Number(runId.split('~')[1] ?? 0);

const broken = (expected: string, shard: number): Violation => {
  return { invariant: 'I52', runId: '', seq: 0, message: `${expected}, but it was written in shard ${shard}` };
};

const sharedKinds = ['trigger', 'secret', 'retention', 'callback'];

/** When nothing is left to do. */
export async function checkShared([home, ...others]: readonly Store[]): Promise<Violation | null> {
  if (!home) return null;
  const expected = await readShared(home);
  for (const [index, store] of others.entries())
    if ((await readShared(store)) !== expected)
      return broken('Expected definitions and triggers as they are in shard 0', index + 1);
  return null;
}

async function readShared(store: Store): Promise<string> {
  const definitions = await store.listDefinitions();
  const records: RecordRow[] = [];
  for (const kind of sharedKinds) records.push(...(await store.listRecords(kind, { limit: 1_000 })));
  return JSON.stringify([
    definitions.map(({ id, version, body }) => [id, version, body]),
    records.map(({ kind, key, value }) => [kind, key, value]),
  ]);
}
