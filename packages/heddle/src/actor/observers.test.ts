import { expect, test } from 'vitest';
import { Observers } from './observers.ts';
import type { RunRow } from './ports.ts';

test('whoever stops watching twice takes nothing from one that has come since', () => {
  const observers = new Observers({});
  const told: string[] = [];
  const stop = observers.watch('run', () => void told.push('first'));
  stop();
  observers.watch('run', () => void told.push('second'));
  stop();
  observers.tellRow({ runId: 'run' } as RunRow); // nothing else of it is looked at
  expect(told).toEqual(['second']);
});
