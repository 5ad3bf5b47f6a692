import { expect, test } from 'vitest';
import { drawThrown } from './draw-thrown.ts';

test('[EX21] shows where an error was thrown, and what caused it', () => {
  const refused = { name: 'Error', code: 'ECONNREFUSED', message: 'refused', stack: 'Error: refused\n    at connect' };
  const cause = { name: 'AggregateError', message: 'no address\nanswered', errors: [refused, { message: 'a text' }] };
  expect(drawThrown({ name: 'TypeError', stack: 'TypeError: no\n    at a (x.ts:1:2)\n    at b', cause })).toEqual([
    'at a (x.ts:1:2)',
    'at b',
    'caused by AggregateError: no address answered',
    '  part Error ECONNREFUSED: refused',
    '    at connect',
    '  part a text',
  ]);
});

test('[EX21] shows the stack of another language as it is, up to eight lines', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `  File "x.py", line ${index}\u001b`);
  const drawn = drawThrown({ stack: ['Traceback', ...lines].join('\n') });
  expect(drawn.slice(0, 2)).toEqual(['Traceback', 'File "x.py", line 0\\u001b']);
  expect(drawn).toHaveLength(8);
});
