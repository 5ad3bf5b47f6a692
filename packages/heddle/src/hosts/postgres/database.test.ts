import { expect, test } from 'vitest';
import { numberArray, textArray } from './database.ts';
import { openPool } from './pool.ts';
import { testServer } from './server.testsuite.ts';

test('[PG2] a write that no statement can hold is refused before it is sent, by the name of the limit', async () => {
  const { url } = await testServer();
  const pool = await openPool({ url: url(), connections: 1, answerMs: 60_000 });
  const database = pool.database('none');
  const writing = database.write('SELECT $1::text', ['x'.repeat(250_000_001)]);
  await expect(writing).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('statementMax'),
  });
  await pool.close();
});

test('texts and numbers arrive as they are, whatever they hold', async () => {
  const { url } = await testServer();
  const pool = await openPool({ url: url(), connections: 1, answerMs: 60_000 });
  const database = pool.database('none');
  const texts = [
    '',
    'a',
    'null',
    'NULL',
    '"',
    '\\',
    '\\\\"',
    "'",
    '{}',
    ',',
    ' a ',
    '\n\t\r',
    '\u007f\u0085',
    'ä€😀',
    '\\n',
    '\\u0000',
    null,
  ];
  for (const list of [
    ...texts.map((text) => [text]),
    texts,
    texts.filter((text) => text === null || !/\p{Cc}/u.test(text)),
    [],
  ]) {
    const rows = await database.read<{ text: string | null }>('SELECT * FROM unnest($1::text[]) AS u (text)', [
      textArray(list),
    ]);
    expect(rows.map(({ text }) => text)).toStrictEqual(list);
  }
  const numbers = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null];
  const rows = await database.read<{ number: number | null }>('SELECT * FROM unnest($1::bigint[]) AS u (number)', [
    numberArray(numbers),
  ]);
  expect(rows.map(({ number }) => number)).toStrictEqual(numbers);
  await expect(database.read('SELECT 9007199254740993::bigint AS n')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await pool.close();
});
