// Grows random programs: a body for the workflow that is started, and one for each that it calls.
//
// Always true: what cannot stand where it stands is not grown there: a look at the branch outside of branches, a DAG on a
// cycle, a leap out of a slice.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawCondition, drawDuration, type Garden, newName, type Scope } from './garden.ts';
import { growBatch, growDag, growFan, growRounds, growTwins } from './grow-fan.ts';
import {
  growCall,
  growImpatience,
  growLateListen,
  growListen,
  growPrompt,
  growTask,
  growVainCall,
} from './grow-work.ts';
import { type Block, hasExit, type Program, type Work } from './program.ts';

/** What grows where more has run already is one task, and no more. */
const widthMax = 24;
const depthMax = 8;

/** Callees first; the last is the main one. */
export function growPrograms(dice: Dice): readonly Program[] {
  const garden: Garden = {
    dice,
    programs: [],
    room: dice.chance(1, 40) ? 40 : 1 + dice.draw(11),
    lastName: 0,
    sequence: (scope) => growSequence(garden, scope),
    workflow: (name, width) => growWorkflow(garden, name, width),
  };
  growWorkflow(garden, 'main', 1);
  return garden.programs;
}

function growWorkflow(garden: Garden, workflow: string, width: number): void {
  const { dice } = garden;
  const timeoutMs = dice.chance(1, 24) ? dice.pick([1_000, 100, 20]) : null;
  const inputPolicy = dice.chance(1, 3) ? 'serial' : 'open';
  const body = growSequence(garden, { isInGroup: false, isInLoop: false, depth: 0, width, joins: [] });
  const isLate = dice.chance(1, 8) && hasExit(body);
  const whole: Block = isLate ? { type: 'sequence', blocks: [body, growLateListen(garden)] } : body;
  garden.programs.push({ workflow, body: whole, timeoutMs, inputPolicy, refuses: false });
}

function growSequence(garden: Garden, scope: Scope): Block {
  const count = 1 + garden.dice.draw(3);
  const blocks: Block[] = [];
  while (blocks.length < count && (blocks.length === 0 || garden.room > 0)) {
    const block = growBlock(garden, scope);
    blocks.push(block);
    if (!hasExit(block)) break;
  }
  const [only] = blocks;
  return only !== undefined && blocks.length === 1 ? only : { type: 'sequence', blocks };
}

type Grow = (garden: Garden, scope: Scope) => Block;

/** As often as they stand here. */
const plots: readonly [Grow, ...Grow[]] = [
  ...repeat(9, growTask),
  ...repeat(11, growFan),
  ...repeat(3, growChoice),
  ...repeat(3, growRescue),
  ...repeat(2, growLoop),
  ...repeat(2, growCall),
  ...repeat(2, growWait),
  ...repeat(3, growPrompt),
  ...repeat(2, growListen),
  ...repeat(2, growBatch),
  ...repeat(2, growDag),
  ...repeat(1, growFork),
  ...repeat(2, growTwins),
  ...repeat(1, growRounds),
  ...repeat(1, growImpatience),
  ...repeat(1, growVainCall),
  ...repeat(1, growPass),
  ...repeat(1, growEnd),
];

function repeat(times: number, grow: Grow): [Grow, ...Grow[]] {
  return [grow, ...Array.from({ length: times - 1 }, () => grow)];
}

function growBlock(garden: Garden, scope: Scope): Block {
  garden.room -= 1;
  if (garden.room < 0 || scope.width > widthMax || scope.depth > depthMax) return growLeaf(garden, scope);
  return garden.dice.pick(plots)(garden, { ...scope, depth: scope.depth + 1 });
}

function growLeaf(garden: Garden, scope: Scope): Block {
  return garden.dice.chance(1, 6) ? growEnd(garden, scope) : growTask(garden);
}

function growPass(garden: Garden): Block {
  return { type: 'pass', node: newName(garden, 'pass') };
}

function growWait(garden: Garden): Block {
  const ms = garden.dice.chance(1, 12) ? -1 : drawDuration(garden.dice);
  return { type: 'wait', node: newName(garden, 'wait'), ms };
}

/** Where a path ends: nowhere, or at a join further out. */
function growEnd(garden: Garden, { joins, isInGroup }: Scope): Block {
  const { dice } = garden;
  if (!isInGroup && !dice.chance(1, 4)) return growPass(garden);
  const to = dice.chance(1, 2) ? dice.pick(joins.slice(0, -1)) : undefined;
  if (typeof to === 'string') return { type: 'leap', node: newName(garden, 'leap'), to };
  return { type: 'stop', node: newName(garden, 'stop') };
}

function growChoice(garden: Garden, scope: Scope): Block {
  const { dice } = garden;
  const node = newName(garden, 'choice');
  const ways = Array.from({ length: 1 + dice.draw(2) }, () => ({
    on: drawCondition(dice, scope),
    body: growSequence(garden, scope),
  }));
  if (!dice.chance(1, 30)) {
    const isOver = dice.chance(1, 5);
    ways.push({ on: 'always', body: isOver ? growEnd(garden, scope) : growSequence(garden, scope) });
  }
  return { type: 'choice', node, ways };
}

function growRescue(garden: Garden, scope: Scope): Block {
  const { dice } = garden;
  const work = dice.pick<(garden: Garden, scope: Scope) => Work>([
    growTask,
    growTask,
    growTask,
    growCall,
    growPrompt,
    growListen,
  ]);
  const grown = work(garden, scope);
  // What is to be rescued fails more often than others.
  const failures = grown.type === 'task' && dice.chance(1, 2) ? { failures: 9 } : {};
  const on = dice.pick(['failure', 'failure', 'coded', 'any'] as const);
  return { type: 'rescue', tried: { ...grown, ...failures }, on, handler: growSequence(garden, scope) };
}

function growLoop(garden: Garden, scope: Scope): Block {
  const { dice } = garden;
  const times = 1 + dice.draw(3);
  const inside = { ...scope, isInLoop: true, width: scope.width * (times + 1) };
  const body = growSequence(garden, inside);
  if (!hasExit(body)) return body;
  const on = dice.chance(1, 3) ? drawCondition(dice, scope) : 'always';
  return { type: 'loop', turn: newName(garden, 'turn'), done: newName(garden, 'done'), times, on, body };
}

function growFork(garden: Garden, scope: Scope): Block {
  const node = newName(garden, 'fork');
  return { type: 'fork', node, side: growSequence(garden, scope), main: growSequence(garden, scope) };
}
