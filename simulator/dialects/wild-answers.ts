// Wild answers: what an action had better not return, and sometimes does. Some is no JSON at all, some steers what it
// should not.

import type { Answer, Call } from '../workload.ts';
import { digest } from './values.ts';

const circle: Record<string, unknown> = {};
circle['self'] = circle;

const outputs: readonly unknown[] = [
  {},
  { x: 1, output: { k: 'v' }, list: [1, 2, 3] },
  undefined,
  null,
  'text',
  [1, [2]],
  Number.NaN,
  { x: Number.POSITIVE_INFINITY },
  { $number: 'no number' },
  { a: undefined, b: () => 1, c: 1n },
  circle,
  new Map([['k', 1]]),
  new Date(0),
  { _branch: 7, _wait: { seconds: -1 }, _waitUntil: { timestamp: 'soon' } },
  { _branch: 'x', _wait: { seconds: 1.9, label: 'a while' }, state: {}, _last_error: 1 },
  { _branch: true, _waitUntil: { timestamp: '2001-01-01T00:00:00Z' } },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
];

/** A function of the call, as answers are. */
export function answerWildly({ nodeId, input, attempt }: Call): Answer {
  const number = digest(input, digest(nodeId, attempt));
  const delayMs = number % 50;
  if (number % 5 === 0) {
    const retryable = number % 2 === 0;
    return { type: 'fail', code: 'WILD', message: `${nodeId} fails`, retryable, delayMs };
  }
  return { type: 'complete', output: outputs[number % outputs.length], delayMs };
}
