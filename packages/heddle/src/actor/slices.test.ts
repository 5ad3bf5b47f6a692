import { expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { deferForReal } from '../testing/virtual-clock.ts';
import { faultyStore, flow, openRunner, task } from './actor.testsuite.ts';
import { inSlices, type Sliced } from './slices.ts';

function* ofSteps(...counts: readonly number[]): Sliced<string> {
  for (const count of counts) yield count;
  return 'done';
}

test('[RN26] work in slices lets others have their turn after half a million steps', async () => {
  let breaks = 0;
  const clock = {
    defer: (callback: () => void) => {
      breaks++;
      deferForReal(callback);
    },
  };
  expect(await inSlices(ofSteps(200_000, 250_000), clock)).toBe('done');
  expect(breaks).toBe(0);
  await inSlices(ofSteps(200_000, 350_000, 450_000, 2_500_000, 1), clock);
  expect(breaks).toBe(2);
});

/** A run whose state is 8 MB long, and on its way a counter of what else the process could have done. */
async function largeRun() {
  const events: [what: string, turn: number][] = [];
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) deferForReal(count);
  };
  const inner = memoryStore();
  const store = {
    ...faultyStore(inner, () => {
      events.push(['commit', turns]);
      return false;
    }),
    saveSnapshot: (snapshot: Parameters<typeof inner.saveSnapshot>[0]) => {
      events.push(['snapshot', turns]);
      return inner.saveSnapshot(snapshot);
    },
  };
  const nodes = [
    task('a', { outputMapping: Object.fromEntries([1, 2, 3, 4].map((n) => [`state.k${n}`, 'result.text'])) }),
    task('b'),
  ];
  const opened = await openRunner({ store, definitions: [flow(nodes, [{ from: 'a', to: 'b' }])] });
  await opened.start('R1', 'trial');
  deferForReal(count);
  opened.executor.complete(1, { text: 'x'.repeat(2_000_000) });
  await opened.settle();
  isOver = true;
  return { ...opened, events };
}

test('[RN26] a large snapshot is made in slices', async () => {
  const { events } = await largeRun();
  const at = events.findIndex(([what]) => what === 'snapshot');
  const [before = 0, after = 0] = events.slice(at - 1, at + 1).map(([, turn]) => turn);
  expect(events[at - 1]?.[0]).toBe('commit');
  expect(after - before).toBeGreaterThanOrEqual(6);
});
