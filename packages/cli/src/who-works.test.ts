import { expect, test } from 'vitest';
import { timeOf } from './terminal.ts';
import { describeLacks } from './who-works.ts';

test('[EX25] each action that nobody has is named once, with since when', () => {
  const waits = [
    { kind: 'worker', action: 'pay', since: 2_000_000, text: 'waits for "pay" at b' },
    { kind: 'task', action: 'add', since: 1_000_000, text: 'runs "a"' },
    { kind: 'worker', action: 'mail', since: null, text: 'waits for "mail"' },
    { kind: 'worker', action: 'pay', since: 1_000_000, text: 'waits for "pay" at a' },
  ] as const;
  expect(describeLacks(waits)).toEqual([`waits for "pay" at a (since ${timeOf(1_000_000)})`, 'waits for "mail"']);
});
