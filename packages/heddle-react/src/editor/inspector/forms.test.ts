import { readFileSync } from 'node:fs';
import type { Json } from 'heddle';
import { describe, expect, test } from 'vitest';
import { isObject, readAt } from '../model/places.ts';
import { threadTypes } from '../model/thread-adapter.ts';
import { writeField } from './form.ts';
import { threadNodeForm } from './thread-forms.ts';
import { tokenNodeForm } from './token-forms.ts';

/** Names of fields of a form, by what stands first in their places. */
const namesIn = (sections: ReturnType<typeof tokenNodeForm>): readonly string[] =>
  sections.flatMap(({ fields }) => fields.map(({ place }) => String(place[0])));

const schema = JSON.parse(
  readFileSync(new URL('../../../../heddle/schema/definition.schema.json', import.meta.url), 'utf8'),
) as Json; // as it is published

function fieldsOfType(type: string): readonly string[] {
  const name = `nodeOfType${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const properties = readAt(schema, ['$defs', name, 'properties']);
  return isObject(properties) ? Object.keys(properties) : [];
}

describe('forms', () => {
  test.each(threadTypes)('T484: a thread node of type %s has a form with all its fields', (type) => {
    const fields = fieldsOfType(type).filter((name) => !['id', 'type', 'meta'].includes(name));
    expect(fields).toContain('title');
    expect(namesIn(threadNodeForm({ id: 'n', type }))).toEqual(expect.arrayContaining([...fields]));
  });

  test('a node has the form of what it does', () => {
    expect(namesIn(tokenNodeForm({ id: 'a', action: 'x' }))).toContain('inputMapping');
    expect(namesIn(tokenNodeForm({ id: 'a', input: true }))).toContain('input');
    expect(namesIn(tokenNodeForm({ id: 'a', wait: { event: 'e' } }))).toContain('wait');
  });

  test('a field that is emptied goes, with what held nothing else; what says what a node does stays', () => {
    const node = { id: 'a', retry: { maxAttempts: 2 }, input: { title: 'Q' } };
    expect(writeField(node, ['retry', 'maxAttempts'], undefined)).toEqual({ id: 'a', input: { title: 'Q' } });
    expect(writeField(node, ['input', 'title'], undefined)).toEqual({ id: 'a', retry: { maxAttempts: 2 }, input: {} });
  });
});
