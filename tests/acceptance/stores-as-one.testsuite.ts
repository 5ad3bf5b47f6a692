// Stores as one: the stores of a fleet, into which a test looks as into one.

import type { Commit, Store } from '../../packages/heddle/src/actor/ports.ts';
import { readAllShards } from '../../packages/heddle/src/fleet/all-shards.ts';

export function storesAsOne(stores: readonly [Store, ...Store[]]): Store {
  const parts = {
    ...readAllShards(stores),
    // What a test writes is of one run; whoever puts something in its place keeps what was there.
    get commit() {
      const commits = stores.map((one) => one.commit.bind(one));
      return (commit: Commit) => commits[shardWritten(commit)]?.(commit);
    },
    nextAlarmAt: async () =>
      (await Promise.all(stores.map(async (one) => one.nextAlarmAt()))).reduce((a, b) =>
        a === null || (b ?? a) < a ? b : a,
      ),
  };
  return new Proxy(stores[0], {
    get(target, name) {
      const value: unknown = Reflect.get(name in parts ? parts : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function shardWritten({ runs, records }: Commit): number {
  const owner = runs[0]?.row.runId ?? records[0]?.key ?? '';
  const [, shard = '0'] = /~(\d)(?:\/|$)/.exec(owner) ?? [];
  return Number(shard);
}
