// The main workload of the simulator: random programs of the token dialect, with an oracle.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { OutsideEvent } from '../../packages/heddle/src/simulation/play.ts';
import type { Answer, Call, MakeWorkload, Workload } from '../workload.ts';
import { checkProgram } from './check-program.ts';
import { eventName } from './compile-fields.ts';
import { compileProgram } from './compile-program.ts';
import { growPrograms } from './grow-program.ts';
import { answerTo, correlations, onceCorrelation, payloadOf } from './outside.ts';
import type { Arm, Block, Program, Task } from './program.ts';
import { outputOf } from './value-of.ts';

/** A quarter of it is less than some commands of programs take; the whole is more than any needs that cannot be divided. */
const commandCostMax = 4_000;

export const makeProgram: MakeWorkload = (dice) => growWorkload(dice, false);

function growWorkload(dice: Dice, hasWindows: boolean): Workload {
  const programs = growPrograms(dice);
  const canStart = programs.filter(({ refuses }) => !refuses);
  return workloadOf(programs, drawStarts(dice, canStart), hasWindows);
}

/** Small windows: what one command leads to is divided among several (PL7), and tasks wait for the inputs of others (TS14). */
export const makeWindows: MakeWorkload = (dice) => ({
  ...growWorkload(dice, true),
  kind: 'windows',
  limits: {
    spawnWindow: 1 + dice.draw(3),
    dispatchWindow: 1 + dice.draw(6),
    dispatchWindowBytes: 1 + dice.draw(100),
    timersPerAlarmMax: 1 + dice.draw(2),
    commandCostMax,
  },
});

export function workloadOf(programs: readonly Program[], starts: Workload['starts'], hasWindows = false): Workload {
  const byWorkflow = new Map(programs.map((program) => [program.workflow, program]));
  const tasks = new Map<string, Task>();
  for (const { body } of programs) collectTasks(body, tasks);
  return {
    kind: 'program',
    isSound: true,
    // A definition is plain JSON.
    definitions: programs.map((program) => compileProgram(program) as unknown as Json),
    starts,
    actions: ['work'],
    answer: (call) => answer(tasks.get(call.nodeId) as Task, call), // only tasks of programs are worked on
    reply: ({ nodeId }) => answerTo(nodeId),
    outsideEvents: [...correlations, onceCorrelation].map(outsideEvent),
    check: (run, world) => {
      const program = byWorkflow.get(run.workflow);
      if (!program) return `Expected no run of ${run.workflow}, but there is one`;
      return checkProgram(program, run, { world, hasWindows });
    },
  };
}

function outsideEvent(correlation: string | null): OutsideEvent {
  return {
    name: eventName,
    ...(correlation === null ? {} : { correlation }),
    payload: payloadOf(correlation),
    ...(correlation === onceCorrelation ? { isOnce: true } : {}),
  };
}

/** Mostly the main program; now and then one that is called by others. */
function drawStarts(dice: Dice, programs: readonly Program[]): Workload['starts'] {
  return Array.from({ length: 1 + dice.pick([0, 0, 1, 2]) }, (_, index) => {
    const other = dice.chance(1, 4) ? dice.pick(programs) : undefined;
    return { workflow: other?.workflow ?? 'main', input: { x: `x${index}` } };
  });
}

function answer(task: Task, { nodeId, input, attempt }: Call): Answer {
  const { delaysMs, failures, code } = task;
  const delayMs = delaysMs[(attempt - 1) % 2] ?? 0;
  if (attempt > failures) return { type: 'complete', output: outputOf(task, input), delayMs };
  return { type: 'fail', code, message: `${nodeId} fails`, retryable: code !== 'FATAL', delayMs };
}

function collectTasks(block: Block, tasks: Map<string, Task>): void {
  for (const inner of innerBlocks(block)) collectTasks(inner, tasks);
  if (block.type === 'task') tasks.set(block.node, block);
}

function innerBlocks(block: Block): readonly Block[] {
  switch (block.type) {
    case 'sequence':
      return block.blocks;
    case 'choice':
      return block.ways.map(({ body }) => body);
    case 'rescue':
      return [block.tried, block.handler];
    case 'loop':
      return [block.body];
    case 'fork':
      return [block.side, block.main];
    case 'twins':
      return [block.side, block.main, ...(block.meeting ? [block.meeting.task] : [])];
    case 'rounds':
      return [block.fan];
    case 'batch':
      return block.ways;
    case 'fan':
      return [...block.arms.flatMap(blocksOf), ...(block.side ? [block.side] : [])];
    case 'dag':
      return block.nodes.map(({ work }) => work);
    case 'task':
    case 'call':
    case 'prompt':
    case 'listen':
    case 'pass':
    case 'stop':
    case 'leap':
    case 'wait':
      return [];
  }
}

const blocksOf = ({ ways, echo }: Arm): readonly Block[] => [...ways, ...(echo ? [echo.source, echo.last] : [])];
