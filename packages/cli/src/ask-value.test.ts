import { expect, test } from 'vitest';
import { askValue } from './ask-value.ts';
import type { Terminal } from './terminal.ts';

/** Answers the questions in turn; everything that is shown is in the list. */
async function converse(schema: Parameters<typeof askValue>[1], answers: readonly string[]) {
  const shown: string[] = [];
  const to = { line: (text: string) => void shown.push(text), paint: (_: unknown, text: string) => text } as Terminal;
  const left = [...answers];
  const value = await askValue(to, schema, (question) => {
    shown.push(question);
    return Promise.resolve(left.shift() ?? '');
  });
  return { value, shown };
}

test('an object is asked for field by field; what is optional may be left out', async () => {
  const schema = {
    type: 'object',
    required: ['ok', 'size'],
    properties: {
      ok: { type: 'boolean', description: 'It goes to all.' },
      size: { enum: ['S', 'M', 'L'], title: 'Which size' },
      copies: { type: 'integer', default: 10 },
      note: { type: 'string' },
      more: { type: 'array' },
      kind: { const: 'answer' },
    },
  } as const;
  expect(await converse(schema, ['perhaps', 'y', '4', '2', '', '', '[1]'])).toEqual({
    value: { ok: true, size: 'M', copies: 10, more: [1], kind: 'answer' },
    shown: [
      '  It goes to all.',
      'ok (y or n): ',
      '  Expected y or n.',
      'ok (y or n): ',
      '  1  S',
      '  2  M',
      '  3  L',
      'Which size (1 to 3): ',
      '  Expected a number from 1 to 3.',
      'Which size (1 to 3): ',
      'copies (a whole number, default 10, optional): ',
      'note (text, optional): ',
      'more (JSON, optional): ',
    ],
  });
});

test.each([
  [{ type: 'number' }, ['1,5', '1.5'], 1.5],
  [{ type: 'integer' }, ['1.5', '2'], 2],
  [{ type: 'string' }, ['{"a"'], '{"a"'],
  [{ type: 'boolean' }, ['No'], false],
  [{ enum: ['yes', 3] }, ['yes'], 'yes'],
  [null, ['{nope', '{"a": 1}'], { a: 1 }],
] as const)('%j is asked for by one question until it is right', async (schema, answers, value) => {
  expect((await converse(schema, answers)).value).toEqual(value);
});
