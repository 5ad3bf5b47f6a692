import { describe, expect, test } from 'vitest';
import { change, type Document, newHistory, pause, redo, undo } from './history.ts';

const documentOf = (id: string): Document => ({ definition: { id }, text: null });

describe('history', () => {
  test('typing into one field is one step, until something else is done', () => {
    let history = newHistory(documentOf(''));
    for (const id of ['a', 'ab', 'abc'])
      history = change(history, { document: documentOf(id), label: 'Type', key: 'id' });
    history = change(pause(history), { document: documentOf('abcd'), label: 'Type', key: 'id' });
    expect(history.past).toHaveLength(2);
    history = undo(history);
    expect(history.present.definition).toEqual({ id: 'abc' });
    expect(undo(history).present.definition).toEqual({ id: '' });
    expect(redo(history).present.definition).toEqual({ id: 'abcd' });
  });

  test('a change after an undo leaves nothing to do again', () => {
    const once = change(newHistory(documentOf('a')), { document: documentOf('b'), label: 'Change' });
    const other = change(undo(once), { document: documentOf('c'), label: 'Change' });
    expect(redo(other)).toBe(other);
    expect(undo(other).present.definition).toEqual({ id: 'a' });
  });
});
