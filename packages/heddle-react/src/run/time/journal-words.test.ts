import type { RunEvent } from 'heddle/journal';
import { expect, test } from 'vitest';
import { nodeOfEvent, sentenceOf } from './event-sentences.ts';
import { jsonDifference } from './json-difference.ts';
import { TokenNodes } from './token-nodes.ts';

const told = (id: string, event: object): RunEvent => ({ runId: 'r', id, seq: 1, at: 1_000, ...event }) as RunEvent; // as listed

const created = told('1.1', { type: 'token.created', token: 1, node: 'split', branch: [0, 0] });
const many = told('1.2', { type: 'token.created', token: 2, node: 'score', branch: [1, 0], count: 3, via: 'each' });
const nodes = new TokenNodes([created, many]);

test('[W29] events are told in sentences that name the node', () => {
  const failed = told('2.0', { type: 'task.failed', token: 3, error: { code: 'NO_STOCK', message: 'none left' } });
  expect(sentenceOf(many, nodes)).toBe('score was entered by 3 branches');
  expect(sentenceOf(failed, nodes)).toBe('score failed: NO_STOCK: none left');
  expect(nodeOfEvent(failed, nodes)).toBe('score');
  expect(sentenceOf(told('2.1', { type: 'token.completed', token: 9 }), nodes)).toBe('token 9 is done');
});

test('[W29] an event of a type that is not known is still readable', () => {
  const unknown = told('3.0', { type: 'moon.landed', crew: 3 });
  expect(sentenceOf(unknown, nodes)).toBe('moon.landed {"crew":3}');
});

test('[W29] the difference of two states: paths that were added, removed and changed', () => {
  const before = { total: 3, items: [1, 2], gone: null, same: { a: 1 } };
  const after = { total: 4, items: [1, 2, { x: 1 }], same: { a: 1 }, 'odd name': true };
  expect(jsonDifference(before, after)).toEqual({
    changes: [
      { path: 'total', kind: 'changed', before: 3, after: 4 },
      { path: 'items[2]', kind: 'added', after: { x: 1 } },
      { path: 'gone', kind: 'removed', before: null },
      { path: '["odd name"]', kind: 'added', after: true },
    ],
    isCut: false,
  });
  expect(jsonDifference({ a: [] }, { a: {} }).changes).toEqual([{ path: 'a', kind: 'changed', before: [], after: {} }]);
  expect(jsonDifference(1, 1).changes).toEqual([]);
});

test('[W29] a difference of any size is bounded', () => {
  const large = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]));
  const { changes, isCut } = jsonDifference({}, large);
  expect(changes).toHaveLength(500);
  expect(isCut).toBe(true);
});
