// A snapshot in which one thing was changed, with its checksums made anew, is refused wherever the change is, and whatever
// it is; nothing of it is stored, nobody's credits or prompts change, and a server answers with the reason.

import { expect, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { checksumOf } from '../../packages/heddle/src/engine/snapshot.ts';
import type { RunSnapshot, SnapshotRun } from '../../packages/heddle/src/operations/run-views.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { launch, register, scripted, workflow } from './token-engine.testsuite.ts';

const child = workflow('child', [{ id: 'ask', input: true }]);
const parent = workflow(
  'parent',
  ['begin', { id: 'call', workflow: 'child' }, { id: 'toil', action: 'work', cost: 3 }],
  [
    { from: 'begin', to: 'call' },
    { from: 'begin', to: 'toil' },
  ],
);

const values: readonly Json[] = [null, true, -1, 0, 7, -1_000_000, 9e15, 1e300, '', 'x', [], {}, [null], { a: 1 }];

type Path = readonly (string | number)[];

/** Every place in a JSON value. */
function placesIn(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [
    path,
    ...keys.flatMap((key) => placesIn((value as Record<string | number, Json>)[key] as Json, [...path, key])),
  ];
}

function changed(value: Json, [first, ...rest]: Path, to: Json | undefined): Json | undefined {
  if (first === undefined) return to;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    Json | undefined
  >;
  copy[first] = changed(copy[first] as Json, rest, to);
  return copy as Json;
}

/** As somebody would who knows how they are made. */
function withChecksums(snapshot: Json): Json {
  const { runs } = snapshot as unknown as Partial<RunSnapshot>;
  if (!Array.isArray(runs)) return snapshot;
  const sum = (run: SnapshotRun | null) =>
    typeof run === 'object' && run?.checkpoint !== undefined ? { ...run, checksum: checksumOf(run.checkpoint) } : run;
  return { ...(snapshot as object), runs: runs.map(sum) } as Json;
}

onEveryHost('snapshots that were changed', (host) => {
  test('[TH45] any change of a snapshot is refused as such, and changes nothing', async () => {
    const t = await host.open(scripted);
    await t.engine.credits.deposit('guild', 100);
    await register(t.engine, child, parent);
    const run = await t.engine.start('parent', {}, { organization: 'guild' });
    await t.settle();
    const snapshot = JSON.parse(JSON.stringify(await run.snapshot())) as Json;
    await run.cancel();
    await t.settle();
    await run.delete();
    const victim = await launch(t, workflow('victim', [{ id: 'ask', input: true }]));
    const before = [
      await t.engine.credits.balance('guild'),
      await victim.prompts(),
      (await t.engine.runs({ subRuns: true })).length,
    ];
    const dice = new Dice(7);
    const places = placesIn(snapshot).filter((path) => path.length > 0);
    const theirs = (await victim.prompts())[0]?.correlationId ?? '';
    for (let count = 0; count < 400; count += host.stride) {
      const path = dice.pick(places) ?? [];
      const to = dice.chance(1, 8) ? theirs : dice.chance(1, 8) ? undefined : dice.pick(values);
      const damaged = changed(snapshot, path, to);
      const forged = dice.chance(2, 3) ? withChecksums(damaged as Json) : damaged;
      if (JSON.stringify(forged) === JSON.stringify(snapshot)) continue;
      await expect(t.engine.restore(forged), `${path.join('/')}: ${JSON.stringify(to)}`).rejects.toMatchObject({
        code: 'SNAPSHOT_INVALID',
      });
    }
    await t.settle();
    expect([
      await t.engine.credits.balance('guild'),
      await victim.prompts(),
      (await t.engine.runs({ subRuns: true })).length,
    ]).toEqual(before);
    expect((await t.engine.restore(snapshot)).id).toBe(run.id);
  });
});
