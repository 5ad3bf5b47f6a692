// Signals that stand on others, also when nobody else remembers these.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { firstSignal, untilFirst } from './first-signal.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // by that flag

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

test('it is aborted with the first of its sources, for the same reason, also with one that was before', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = firstSignal([one.signal, undefined, other.signal]);
  const reason = aborted(signal);
  other.abort('gone');
  one.abort('late');
  expect(await reason).toBe('gone');
  expect(firstSignal([other.signal]).signal.reason).toBe('gone');
});

test('a time that is over aborts it, whatever was collected as garbage meanwhile', async () => {
  const waiting = untilFirst([new AbortController().signal], aborted, 100);
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(await waiting).toMatchObject({ name: 'TimeoutError' });
});

test('once it is ended it leaves nothing at its sources, and hears of nothing', () => {
  const source = new AbortController();
  const { signal, end } = firstSignal([source.signal], 1);
  end();
  source.abort();
  expect(signal.aborted).toBe(false);
});
