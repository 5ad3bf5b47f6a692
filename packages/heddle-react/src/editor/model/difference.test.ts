import { describe, expect, test } from 'vitest';
import { compareDefinitions, compareLines, isSame } from './difference.ts';

const before = {
  id: 'w',
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'x', meta: { position: { x: 0, y: 0 } } }, { id: 'b' }],
  transitions: [{ from: 'a', to: 'b' }],
};

describe('difference', () => {
  test('how it is drawn, and the order of members, is none', () => {
    const moved = { ...before, nodes: [{ action: 'x', id: 'a', meta: { position: { x: 9, y: 9 } } }, { id: 'b' }] };
    expect(isSame(compareDefinitions(before, moved))).toBe(true);
  });

  test('nodes, edges and fields are added, removed and changed', () => {
    const after = {
      id: 'w',
      name: 'W',
      initialNode: 'a',
      nodes: [{ id: 'a', action: 'y' }, { id: 'c' }],
      transitions: [{ from: 'a', to: 'c' }],
    };
    const { nodes, edges, fields } = compareDefinitions(before, after);
    expect([...nodes]).toEqual([
      ['a', 'changed'],
      ['c', 'added'],
      ['b', 'removed'],
    ]);
    expect([...edges.values()]).toEqual(['added', 'removed']);
    expect([...fields]).toEqual([['name', 'added']]);
  });

  test('lines are compared as few as can be', () => {
    expect(compareLines('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([
      { mark: 'same', text: 'a' },
      { mark: 'removed', text: 'b' },
      { mark: 'added', text: 'x' },
      { mark: 'same', text: 'c' },
      { mark: 'same', text: 'd' },
      { mark: 'added', text: 'e' },
    ]);
  });
});
