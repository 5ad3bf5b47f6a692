// Clocks: workloads of nothing but timers, many at the same instants. Whoever looks for what is due does so while others
// set new ones; none may be forgotten, and where nothing else goes wrong none is late (I28).

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { RunRecord, Workload } from '../workload.ts';

export function makeClocks(dice: Dice): Workload {
  const waits = Array.from({ length: 1 + dice.draw(4) }, () => dice.pick([0.01, 0.1, 30, 0]));
  return {
    kind: 'clocks',
    isSound: true,
    definitions: [clock(waits)],
    starts: Array.from({ length: 1 + dice.draw(4) }, () => ({ workflow: 'clock', input: {} })),
    actions: [],
    answer: () => ({ type: 'complete', output: {}, delayMs: 0 }),
    check: (run) => checkClock(run, waits.length),
  };
}

function clock(waits: readonly number[]): Json {
  const ids = waits.map((_, index) => `wait${index}`);
  return {
    id: 'clock',
    initialNode: 'wait0',
    nodes: waits.map((seconds, index) => ({ id: `wait${index}`, wait: { seconds } })),
    transitions: ids.slice(1).map((to, index) => ({ from: `wait${index}`, to })),
  };
}

/** A wait of no time needs no timer. */
function checkClock({ status, events }: RunRecord, waits: number): string | null {
  if (status === 'cancelled') return null;
  const ended = events.filter(({ type }) => type === 'token.completed').length;
  if (status === 'completed' && ended === waits) return null;
  return `Expected ${waits} waits and the end, but found ${ended}, and the run is ${status}`;
}
