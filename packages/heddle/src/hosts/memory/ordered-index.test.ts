import { expect, it } from 'vitest';
import { type Entry, OrderedIndex } from './ordered-index.ts';

const byRankThenId = (a: Entry, b: Entry) => a.rank - b.rank || (a.id < b.id ? -1 : 1);

it('stays in order through many additions and removals, in both directions and from any place', () => {
  const index = new OrderedIndex();
  const model = new Map<string, Entry>();
  let dice = 1;
  const roll = (sides: number) => {
    dice = (dice * 48_271) % 2_147_483_647;
    return dice % sides;
  };
  for (let turn = 0; turn < 20_000; turn += 1) {
    const entry = { rank: roll(50), id: `id-${roll(200)}` };
    const isAdded = turn < 12_000 ? roll(4) > 0 : roll(4) === 0;
    if (isAdded) index.add(entry);
    else index.remove(entry);
    if (isAdded) model.set(`${entry.rank}/${entry.id}`, entry);
    else model.delete(`${entry.rank}/${entry.id}`);
    if (turn % 1000 !== 0) continue;
    const sorted = [...model.values()].toSorted(byRankThenId);
    const place = { rank: roll(50), id: `id-${roll(200)}` };
    expect(index.first()).toEqual(sorted[0]);
    expect([...index.ascending(null)]).toEqual(sorted);
    expect([...index.descending(null)]).toEqual(sorted.toReversed());
    expect([...index.ascending(place)]).toEqual(sorted.filter((other) => isAfter(other, place)));
    expect([...index.descending(place)]).toEqual(sorted.filter((other) => isAfter(place, other)).toReversed());
  }
  for (const entry of model.values()) index.remove(entry);
  expect([...index.ascending(null)]).toEqual([]);
});

function isAfter(a: Entry, b: Entry): boolean {
  return a.rank > b.rank || (a.rank === b.rank && a.id > b.id);
}
