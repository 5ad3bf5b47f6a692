import { describe, expect, test } from 'vitest';
import { makeTask } from '../executor/executor.testsuite.ts';
import { WaitingTasks } from './waiting.ts';

/** Tasks are written as `run/token action`. */
function board(...tasks: readonly string[]): WaitingTasks {
  const made = new WaitingTasks();
  for (const task of tasks) made.put(read(task));
  return made;
}

function read(text: string) {
  const [, runId = '', tokenId = '', action = 'a'] = /^(\w+)\/(\d+)(?: (\w+))?$/.exec(text) ?? [];
  return makeTask({ runId, tokenId: Number(tokenId), action });
}

const take = (from: WaitingTasks, actions: readonly string[], count = 100) =>
  from.take(actions, count).map(({ runId, tokenId }) => `${runId}/${tokenId}`);

describe('who gets what', () => {
  test('[WK2] runs take turns; within a run first in, first out', () => {
    const from = board('r/1', 'r/2', 'r/3', 's/1', 't/1', 't/2');
    expect(take(from, ['a'], 4)).toEqual(['r/1', 's/1', 't/1', 'r/2']);
    from.put(read('u/1'));
    expect(take(from, ['a'])).toEqual(['t/2', 'r/3', 'u/1']);
    expect(take(from, ['a'])).toEqual([]);
  });

  test('[WK2] a run of 100,000 tasks delays one with a single task by one task', () => {
    const from = new WaitingTasks();
    for (let tokenId = 1; tokenId <= 100_000; tokenId++) from.put(makeTask({ runId: 'big', tokenId, action: 'a' }));
    from.put(read('small/1'));
    expect(take(from, ['a'], 2)).toEqual(['big/1', 'small/1']);
    expect(from.countOf('a')).toBe(99_999);
  });

  test('[WK2] the actions that are asked for take turns, another one first each time', () => {
    const from = board('r/1 a', 'r/2 a', 'r/3 b', 'r/4 b', 'r/5 c');
    const first = take(from, ['a', 'b'], 1);
    const second = take(from, ['a', 'b'], 1);
    expect([first, second]).toEqual([['r/1'], ['r/3']]);
    expect(take(from, ['b', 'a']).toSorted()).toEqual(['r/2', 'r/4']);
    expect(take(from, ['nobody'])).toEqual([]);
    expect([...from.actions()]).toEqual(['c']);
  });

  test('[WK4] what is put back is the next of its run', () => {
    const from = board('r/1', 'r/2');
    const [task] = from.take(['a'], 1);
    if (task) from.putBack(task);
    expect(take(from, ['a'])).toEqual(['r/1', 'r/2']);
  });
});

describe('what is no longer wanted', () => {
  test('[WK8] is taken out, wherever it stands', () => {
    const from = board('r/1', 'r/2', 'r/3', 's/1');
    expect([from.remove('r', 2), from.remove('s', 1), from.remove('s', 1), from.remove('x', 1)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([from.find('r', 2), from.find('r', 3)?.tokenId]).toEqual([null, 3]);
    expect([from.countOf('a'), take(from, ['a'])]).toEqual([2, ['r/1', 'r/3']]);
    expect(from.countOf('a')).toBe(0);
  });
});
