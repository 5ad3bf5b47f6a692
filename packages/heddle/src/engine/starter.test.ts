import { expect, test } from 'vitest';
import { inputAndTrigger } from './starter.ts';

const trigger = { type: 'event', depth: 2 };

test('[TR22] in the handle dialect what fired it stands in the input, over what the payload says', () => {
  const input = { n: 1, _trigger: { depth: 9 } };
  expect(inputAndTrigger({ dialect: 'handle', input, trigger })).toEqual({
    input: { n: 1, _trigger: trigger },
    trigger,
  });
  expect(inputAndTrigger({ dialect: 'handle', input: [1], trigger })).toEqual({ input: [1], trigger });
  expect(inputAndTrigger({ dialect: 'token', input, trigger })).toEqual({ input, trigger });
});

test('[TR22] [T243] what a handle run is started with is its trigger', () => {
  const claimed = { type: 'WEBHOOK_TRIGGER', depth: 1, firedAt: '2030-01-01T00:00:00Z' };
  const start = (_trigger: object) =>
    inputAndTrigger({ dialect: 'handle', input: { _trigger } as object as never }).trigger;
  expect(start(claimed)).toEqual(claimed);
  expect(start({ type: 'A' })).toEqual({ type: 'A', depth: 0 });
  expect(start({ depth: -1 })).toEqual({ depth: 0 });
  expect(inputAndTrigger({ dialect: 'handle', input: {} }).trigger).toBeUndefined();
  expect(inputAndTrigger({ dialect: 'token', input: { _trigger: claimed } }).trigger).toBeUndefined();
});
