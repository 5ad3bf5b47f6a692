import type { RunEvent } from 'heddle';
import { expect, test } from 'vitest';
import { inTimeOrder } from './time-order.ts';

/** As much of an event as the order looks at. */
function entry(name: string, runId: string, at: number, rest: object = {}) {
  return { name, event: { type: 'workflow.started', runId, at, ...rest } as unknown as RunEvent };
}

const call = { type: 'subworkflow.dispatched', childRunId: 'child' };
const back = { type: 'subworkflow.completed', childRunId: 'child' };
const namesOf = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);

test('older news come first, whoever tells them', () => {
  const entries = [entry('b', 'child', 4), entry('a', 'root', 1), entry('c', 'root', 5), entry('b2', 'child', 4)];
  expect(namesOf(inTimeOrder(entries))).toEqual(['a', 'b', 'b2', 'c']);
});

test('at the same time: the call, then the run that is called, then what follows from its end', () => {
  const entries = [
    entry('child starts', 'child', 1),
    entry('child ends', 'child', 1),
    entry('calls', 'root', 1, call),
    entry('is back', 'root', 1, back),
    entry('root ends', 'root', 1),
  ];
  const expected = ['calls', 'child starts', 'child ends', 'is back', 'root ends'];
  expect(namesOf(inTimeOrder(entries))).toEqual(expected);
  expect(namesOf(inTimeOrder([...entries.slice(2), ...entries.slice(0, 2)]))).toEqual(expected);
});
