import type { Prompt } from 'heddle';
import { expect, test } from 'vitest';
import { answerOption, describeSuspension } from './suspension.ts';

const prompt: Prompt = {
  correlationId: 'c',
  runId: 'r',
  rootRunId: 'r',
  workflow: 'w',
  nodeId: 'ask',
  title: null,
  description: null,
  path: 'root',
  branch: null,
  schema: null,
  requestedAt: 0,
  deadline: null,
};

test('an answer is shown with the fields that the schema names, as a shell reads it', () => {
  const optionFor = (schema: Prompt['schema']) => answerOption({ schema });
  expect(optionFor(null)).toBe(`--answer '{"…": …}'`);
  expect(optionFor({ type: 'object', properties: { a: {}, b: {} } })).toBe(`--answer '{"a": …, "b": …}'`);
  expect(optionFor({ properties: { a: {}, b: {} }, required: ['b'] })).toBe(`--answer '{"b": …}'`);
  expect(optionFor({ required: ['a', 'b', 'c', 'd', 'e'] })).toBe(`--answer '{"a": …, "b": …, "c": …, "d": …}'`);
  expect(optionFor({ required: ["it's\u001b"] })).toBe(`--answer '{"it'\\''s\\u001b": …}'`);
});

test('what a run waits for, in a few words', () => {
  const say = (prompts: readonly Prompt[], ...events: readonly (readonly [string, string])[]) =>
    describeSuspension({ prompts, events: events.map(([event, correlation]) => ({ event, correlation })) });
  expect(say([prompt])).toBe('node "ask" waits for an answer');
  expect(say([{ ...prompt, title: 'Publish?' }])).toBe('"Publish?" waits for an answer');
  expect(say([prompt, prompt, prompt])).toBe('node "ask" and 2 other prompts wait for answers');
  expect(say([], ['paid', ''])).toBe('it waits for the event "paid"');
  expect(say([], ['paid', '7'], ['sent', ''])).toBe('it waits for the event "paid" (7) and 1 other');
  expect(say([])).toBe('it waits for something from outside');
});
