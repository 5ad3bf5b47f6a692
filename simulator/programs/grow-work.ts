// Grows what is done at one node and can fail by itself: tasks, calls of other workflows, prompts, waits for events.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawDuration, drawTimeout, type Garden, newName, type Scope } from './garden.ts';
import type { Call, Listen, Prompt, Retry, Task } from './program.ts';

const callsMax = 3;

/** A workflow that nobody has registered. */
const missingWorkflow = 'missing';

export function growTask(garden: Garden): Task {
  const { dice } = garden;
  const plain = { type: 'task', node: newName(garden, 'task'), delaysMs: [drawDuration(dice), 0] } as const;
  if (dice.chance(2, 3)) {
    return { ...plain, writes: 'state', retry: null, timeoutMs: null, failures: 0, code: 'BOOM' };
  }
  return {
    ...plain,
    delaysMs: [drawDuration(dice), drawDuration(dice)],
    writes: dice.pick(['state', 'state', 'raw', 'output']),
    retry: dice.chance(1, 2) ? drawRetry(dice) : null,
    timeoutMs: dice.chance(1, 4) ? drawTimeout(dice) : null,
    failures: dice.pick([0, 0, 1, 2, 3, 9]),
    code: dice.pick(['BOOM', 'BOOM', 'BANG', 'FATAL']),
  };
}

function drawRetry(dice: Dice): Retry {
  return {
    maxAttempts: dice.pick([2, 3, 4, 5, 1]),
    backoff: dice.pick(['none', 'linear', 'exponential']),
    initialDelayMs: dice.pick([10, 0, 20, 50, null]),
    maxDelayMs: dice.chance(1, 3) ? dice.pick([30, 10, 100]) : null,
    only: dice.chance(1, 5) ? 'BOOM' : null,
  };
}

export function growCall(garden: Garden, { width }: Scope): Call {
  const { dice, programs } = garden;
  const node = newName(garden, 'call');
  const catches = dice.chance(1, 3);
  const timeoutMs = dice.chance(1, 3) ? drawTimeout(dice) : null;
  const retry = dice.chance(1, 5) ? drawRetry(dice) : null;
  const isAgain = programs.length > 0 && (programs.length >= callsMax || dice.chance(1, 4));
  let workflow = isAgain ? (dice.pick(programs)?.workflow ?? missingWorkflow) : `sub-${node}`;
  if (dice.chance(1, 30)) workflow = missingWorkflow;
  else if (!isAgain) garden.workflow(workflow, width);
  return { type: 'call', node, workflow, catches, timeoutMs, retry };
}

export function growPrompt(garden: Garden): Prompt {
  const { dice } = garden;
  return {
    type: 'prompt',
    node: newName(garden, 'prompt'),
    deadlineMs: dice.chance(1, 2) ? drawTimeout(dice) : null,
  };
}

export function growListen(garden: Garden): Listen {
  const { dice } = garden;
  return {
    type: 'listen',
    node: newName(garden, 'listen'),
    correlation: dice.pick([null, 'one', 'two']),
    timeoutMs: dice.chance(1, 2) ? drawTimeout(dice) : null,
  };
}
