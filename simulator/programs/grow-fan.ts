// Grows what runs at the same time: fan-outs, batches, DAGs.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import {
  drawCondition,
  drawDuration,
  drawMerge,
  drawTimeout,
  drawTolerance,
  type Garden,
  newName,
  type Scope,
} from './garden.ts';
import { growTask } from './grow-work.ts';
import {
  type Arm,
  type Batch,
  type Block,
  type Dag,
  type DagEdge,
  type DagNode,
  type Fan,
  hasExit,
  type Rounds,
  type Spawn,
  type Twins,
} from './program.ts';

export function growFan(garden: Garden, scope: Scope): Fan {
  const node = newName(garden, 'fan');
  const isNamed = garden.dice.chance(1, 2);
  return growFanAt(garden, { ...scope, joins: [...scope.joins, isNamed ? node : null] }, { node, isNamed });
}

/** Their node has two fan-outs, so that nobody leaps to either. */
export function growTwins(garden: Garden, scope: Scope): Twins {
  const { dice } = garden;
  const node = newName(garden, 'twins');
  const inside = { ...scope, joins: [...scope.joins, null] };
  const isPlain = dice.chance(3, 4);
  const grow = (): Fan => {
    const place = { node, isNamed: dice.chance(1, 2) };
    const fan = isPlain
      ? dressFan(garden, inside, { ...place, arms: [growPlainArm(garden)] })
      : growFanAt(garden, inside, place);
    return { ...fan, side: null, group: fan.group ?? newName(garden, 'group') };
  };
  const [side, main] = [grow(), grow()];
  const canMeet = side.join !== null && main.join !== null && !scope.isInLoop;
  const meeting = { task: growTask(garden), require: dice.pick(['some', 'all'] as const) };
  return { type: 'twins', side, main, meeting: canMeet && dice.chance(2, 3) ? meeting : null };
}

/** All branches come back, or the path fails: nobody has to say what becomes of a round from which none does. */
export function growRounds(garden: Garden, scope: Scope): Rounds {
  const { dice } = garden;
  const times = 1 + dice.draw(2);
  garden.room -= times;
  const place = { node: newName(garden, 'rounds'), isNamed: dice.chance(1, 2) };
  const fan = dressFan(garden, scope, { ...place, arms: [growPlainArm(garden)] });
  return { type: 'rounds', fan: { ...fan, side: null, tolerance: null }, times };
}

/** Mostly all of its branches wait first, so that the run can leave memory. */
function growPlainArm(garden: Garden): Arm {
  const { dice } = garden;
  const spawn = { type: 'count', count: 2 + dice.draw(2) } as const;
  const task = growTask(garden);
  const wait: Block = { type: 'wait', node: newName(garden, 'wait'), ms: drawDuration(dice) };
  const way: Block = dice.chance(3, 4) ? { type: 'sequence', blocks: [wait, task] } : task;
  return { spawn, part: null, ways: [way], echo: null };
}

function growFanAt(garden: Garden, scope: Scope, place: Pick<Fan, 'node' | 'isNamed'>): Fan {
  const arms = Array.from({ length: 1 + garden.dice.pick([0, 0, 1, 2]) }, () =>
    growArm(garden, { ...scope, isInGroup: true }),
  );
  return dressFan(garden, scope, { ...place, arms });
}

function dressFan(garden: Garden, scope: Scope, { node, isNamed, arms }: Pick<Fan, 'node' | 'isNamed' | 'arms'>): Fan {
  const { dice } = garden;
  const only = arms.length === 1 ? arms[0]?.spawn : undefined;
  const canBeNameless = only?.type === 'items' || (only?.type === 'count' && only.count > 1);
  const join = arms.some(({ ways }) => ways.some(hasExit)) ? newName(garden, 'join') : null;
  return {
    type: 'fan',
    node,
    join,
    group: canBeNameless && dice.chance(1, 3) ? null : newName(garden, 'group'),
    isNamed,
    arms,
    side: dice.chance(1, 12) ? garden.sequence({ ...scope, joins: scope.joins.slice(0, -1) }) : null,
    merge: drawMerge(dice),
    tolerance: drawTolerance(dice),
    ...drawQuorum(dice, arms),
    abandons: dice.chance(1, 3),
    timeoutMs: dice.chance(1, 4) ? drawTimeout(dice) : null,
    proceeds: dice.chance(1, 2),
  };
}

function growArm(garden: Garden, scope: Scope): Arm {
  const { dice } = garden;
  const spawn = drawSpawn(dice, scope.width);
  const inside = { ...scope, width: scope.width * Math.max(1, countOf(spawn)) };
  if (!scope.isInLoop && dice.chance(1, 8)) return growEcho(garden, spawn);
  const ways = [withLeap(garden, inside, garden.sequence(inside))];
  const isParted = dice.chance(1, 10);
  if (isParted) ways.push(garden.sequence(inside));
  return { spawn, part: isParted ? newName(garden, 'part') : null, ways, echo: null };
}

function growEcho(garden: Garden, spawn: Spawn): Arm {
  garden.room -= 2;
  const echo = { source: growTask(garden), last: growTask(garden) };
  return { spawn, part: newName(garden, 'part'), ways: [growTask(garden)], echo };
}

/** Now and then a way leads on to a join further out, or so it does for some branches. */
function withLeap(garden: Garden, scope: Scope, way: Block): Block {
  const { dice } = garden;
  const to = dice.chance(1, 8) ? dice.pick(scope.joins.slice(0, -1)) : undefined;
  if (typeof to !== 'string' || !hasExit(way)) return way;
  const leap: Block = { type: 'leap', node: newName(garden, 'leap'), to };
  const pass: Block = { type: 'pass', node: newName(garden, 'pass') };
  const ways = [
    { on: drawCondition(dice, scope), body: leap },
    { on: 'always' as const, body: pass },
  ];
  return { type: 'sequence', blocks: [way, { type: 'choice', node: newName(garden, 'choice'), ways }] };
}

function drawSpawn(dice: Dice, width: number): Spawn {
  const most = width > 6 ? 2 : 4;
  switch (dice.pick(['one', 'count', 'count', 'items', 'items'] as const)) {
    case 'one':
      return { type: 'one' };
    case 'count':
      return { type: 'count', count: Math.min(most, dice.pick([2, 3, 1, 4])) };
    case 'items': {
      if (dice.chance(1, 60)) return { type: 'broken' };
      const items = Array.from({ length: dice.pick([2, 1, 0, 3, 4]) }, () => dice.draw(6)).slice(0, most);
      return { type: 'items', items, maxParallel: dice.chance(1, 3) ? 1 + dice.draw(2) : null };
    }
  }
}

function countOf(spawn: Spawn): number {
  switch (spawn.type) {
    case 'one':
      return 1;
    case 'count':
      return spawn.count;
    case 'items':
      return spawn.items.length;
    case 'broken':
      return 0;
  }
}

/** Any number up to one more than there are. More than can come is an expression: a number would be refused (DF87). */
function drawQuorum(dice: Dice, arms: readonly Arm[]): Pick<Fan, 'quorum' | 'isComputed'> {
  if (!dice.chance(1, 2)) return { quorum: null, isComputed: false };
  const total = sumOf(arms);
  const isFixed = arms.every(({ spawn }) => spawn.type === 'one' || spawn.type === 'count');
  const isComputed = dice.chance(1, 6);
  const isTooMuch = dice.chance(1, 20) && (isComputed || !isFixed);
  const quorum = isTooMuch ? total + 1 : 1 + dice.draw(total);
  const isAbove = quorum > sumOf(arms.filter(({ ways }) => ways.some(hasExit)));
  return { quorum, isComputed: isComputed || isAbove };
}

const sumOf = (arms: readonly Arm[]): number => arms.reduce((sum, { spawn }) => sum + countOf(spawn), 0);

export function growBatch(garden: Garden, scope: Scope): Batch {
  const { dice } = garden;
  const node = newName(garden, 'batch');
  const items = Array.from({ length: dice.pick([2, 3, 0, 1, 4, 5]) }, () => dice.draw(6));
  const batchSize = dice.pick([1, 2, 0, 3]);
  const slices = batchSize === 0 ? 1 : Math.ceil(items.length / batchSize);
  // A slice is a wall: nobody leaps out of it.
  const inside = { ...scope, isInGroup: true, joins: [], width: scope.width * Math.max(1, slices) };
  const ways = Array.from({ length: dice.chance(1, 8) ? 2 : 1 }, () => garden.sequence(inside));
  return {
    type: 'batch',
    node,
    list: newName(garden, 'list'),
    items: dice.chance(1, 60) ? null : items,
    batchSize,
    parallelBatches: 1 + dice.draw(3),
    merge: drawMerge(dice),
    hasTarget: dice.chance(1, 3),
    tolerance: drawTolerance(dice),
    ways,
  };
}

export function growDag(garden: Garden, scope: Scope): Dag | Block {
  const { dice } = garden;
  if (scope.isInLoop) return { type: 'pass', node: newName(garden, 'pass') };
  const count = 2 + dice.draw(4);
  garden.room -= count - 1;
  const nodes = Array.from({ length: count }, (_, index): DagNode => {
    const isLast = index === count - 1;
    const sources = new Set(Array.from({ length: index === 0 ? 0 : 1 + dice.draw(3) }, () => dice.draw(index)));
    const isIdle = index === 0 && dice.chance(1, 3);
    return {
      work: isIdle ? { type: 'pass', node: newName(garden, 'pass') } : growTask(garden),
      from: [...sources].map((source) => drawEdge(dice, scope, source)),
      require: isLast || dice.chance(1, 2) ? 'some' : 'all',
    };
  });
  return { type: 'dag', nodes };
}

function drawEdge(dice: Dice, scope: Scope, index: number): DagEdge {
  return {
    index,
    after: dice.chance(1, 8) ? dice.pick(['failure', 'any']) : 'success',
    on: dice.chance(1, 4) ? drawCondition(dice, scope) : 'always',
  };
}
