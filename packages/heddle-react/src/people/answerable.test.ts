import type { Json, Prompt } from 'heddle';
import { expect, test } from 'vitest';
import { answerableTogether, itemText, lateness, nameOf, plainMembers } from './answerable.ts';

const prompt = (correlationId: string, schema: Json, deadline: number | null = null): Prompt =>
  ({ correlationId, schema, deadline, title: null, nodeId: 'ask' }) as Prompt; // the rest is not looked at

test('prompts with the same schema can be answered together', () => {
  const yes = { type: 'boolean' };
  const prompts = [
    prompt('a', yes),
    prompt('b', { type: 'string' }),
    prompt('c', { type: 'boolean' }),
    prompt('d', null),
  ];
  expect([...answerableTogether(prompts, new Set())]).toEqual(['a', 'b', 'c', 'd']);
  expect([...answerableTogether(prompts, new Set(['c']))]).toEqual(['a', 'c']);
  expect([...answerableTogether(prompts, new Set(['gone']))]).toEqual(['a', 'b', 'c', 'd']);
});

test('a prompt is late after its deadline, and when it is open no more', () => {
  const one = prompt('a', null, 10);
  expect(lateness(one, [one], 9)).toBe(null);
  expect(lateness(one, undefined, 9)).toBe(null);
  expect(lateness(one, [], 9)).toBe('closed');
  expect(lateness(one, [one], 10)).toBe('expired');
  expect(nameOf(one)).toBe('ask');
});

test('what a prompt is about is read as a list where it is one, and as JSON where it is not', () => {
  expect(plainMembers({ id: 'A', total: 3, paid: false, by: null })).toEqual([
    ['id', 'A'],
    ['total', '3'],
    ['paid', 'false'],
    ['by', 'none'],
  ]);
  expect(plainMembers({ id: { of: 1 } })).toBe(null);
  expect(itemText({ id: 'A', total: 3 })).toBe('id: A, total: 3');
  expect(itemText([1])).toBe('[1]');
  expect(itemText('x'.repeat(200))).toHaveLength(121);
});
