// Grows what is done at one node and can fail by itself: tasks, calls of other workflows, prompts, waits for events.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawDuration, drawTimeout, type Garden, newName, type Scope } from './garden.ts';
import { onceCorrelation } from './outside.ts';
import type { Block, Call, Listen, Prompt, Retry, Task } from './program.ts';

const callsMax = 3;

/** Nobody has registered the one; the other refuses every input. */
const refusing = ['missing', 'refusing'] as const;

export function growTask(garden: Garden): Task {
  const { dice } = garden;
  const plain = { type: 'task', node: newName(garden, 'task'), delaysMs: [drawDuration(dice), 0] } as const;
  const shape = dice.pick(['text', 'text', 'object', 'lists'] as const);
  if (dice.chance(2, 3)) {
    return { ...plain, shape, writes: 'state', retry: null, timeoutMs: null, failures: 0, code: 'BOOM' };
  }
  return {
    ...plain,
    shape,
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
  const workflow = (isAgain ? dice.pick(programs)?.workflow : undefined) ?? `sub-${node}`;
  if (!isAgain) garden.workflow(workflow, width);
  return { type: 'call', node, workflow, catches, timeoutMs, retry };
}

/** A call that comes to nothing. */
export function growVainCall(garden: Garden): Call {
  const { dice, programs } = garden;
  const workflow = dice.pick(refusing);
  const isThere = programs.some((program) => program.workflow === workflow);
  if (workflow === 'refusing' && !isThere) addProgram(garden, workflow, growTask(garden), true);
  const retry = dice.chance(1, 5) ? drawRetry(dice) : null;
  const timeoutMs = dice.chance(1, 8) ? drawTimeout(dice) : null;
  return { type: 'call', node: newName(garden, 'call'), workflow, catches: !dice.chance(1, 3), timeoutMs, retry };
}

function addProgram({ programs }: Garden, workflow: string, body: Block, refuses = false): void {
  programs.push({ workflow, body, timeoutMs: null, inputPolicy: 'open', refuses });
}

/** A call that is given up while only people could go on with it, and one that goes on by itself. */
export function growImpatience(garden: Garden): Block {
  const { dice } = garden;
  const [first, second] = [newName(garden, 'call'), newName(garden, 'call')];
  garden.room -= 3;
  addProgram(garden, `asking-${first}`, { ...growPrompt(garden), deadlineMs: null });
  addProgram(garden, `working-${second}`, growTask(garden));
  const call = { type: 'call', retry: null, timeoutMs: null, catches: true } as const;
  return {
    type: 'sequence',
    blocks: [
      { ...call, node: first, workflow: `asking-${first}`, timeoutMs: dice.pick([20, 10, 50]) },
      { ...call, node: second, workflow: `working-${second}` },
    ],
  };
}

export function growPrompt(garden: Garden): Prompt {
  const { dice } = garden;
  return {
    type: 'prompt',
    node: newName(garden, 'prompt'),
    deadlineMs: dice.chance(1, 2) ? drawTimeout(dice) : null,
  };
}

/** For an event that is published once, early: whoever comes later finds it kept. A run takes it once. */
export function growLateListen(garden: Garden): Listen {
  return { type: 'listen', node: newName(garden, 'listen'), correlation: onceCorrelation, timeoutMs: null };
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
