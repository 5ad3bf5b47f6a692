import { expect, test } from 'vitest';
import { timeOf } from './terminal.ts';
import { describeAwaitedActions } from './who-works.ts';

test('[EX25] each action that nobody has is named once, with since when', () => {
  const tokens = [
    { waitsFor: { action: 'pay', since: 2_000_000 } },
    {},
    { waitsFor: { action: 'mail', since: 3_000_000 } },
    { waitsFor: { action: 'pay', since: 1_000_000 } },
  ];
  expect(describeAwaitedActions(tokens)).toEqual([
    `for the action "pay", which is not available, since ${timeOf(1_000_000)}`,
    `for the action "mail", which is not available, since ${timeOf(3_000_000)}`,
  ]);
});
