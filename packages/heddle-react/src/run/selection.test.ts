import { describe, expect, test } from 'vitest';
import { controlsFor } from './control-previews.ts';
import { nothingSelected, readSelection, selectionParameters } from './selection.ts';

describe('a selection in the address', () => {
  test('is read as it was written', () => {
    for (const selection of [
      nothingSelected,
      { node: 'a/b', token: 12, branch: { group: 3, index: 10_000 }, subrun: 'r&1' },
    ])
      expect(readSelection(new URLSearchParams(selectionParameters(selection)))).toEqual(selection);
  });

  test('what is none is none', () => {
    expect(readSelection(new URLSearchParams('token=x&branch=1&node='))).toEqual({ ...nothingSelected, node: '' });
  });
});

describe('controls', () => {
  const all = (): boolean => true;
  test('those that make sense for the status', () => {
    expect(controlsFor('running', all)).toEqual(['pause', 'start again', 'cancel']);
    expect(controlsFor('paused', all)).toEqual(['resume', 'start again', 'cancel']);
    expect(controlsFor('failed', all)).toEqual(['retry', 'start again']);
    expect(controlsFor('completed', all)).toEqual(['start again']);
  });

  test('only those that whoever looks may do', () => {
    expect(controlsFor('running', (scope) => scope === 'run:start')).toEqual(['start again']);
    expect(controlsFor('failed', () => false)).toEqual([]);
  });
});
