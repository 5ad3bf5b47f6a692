// Random programs: small trees of blocks, each with one way in and at most one way out, that compile to definitions.
//
// Every task reads the one variable `x`, makes a new value of it and writes it back, so that the value at the end tells
// of every step on the way there.

import fc from 'fast-check';
import type { MergeStrategy } from '../../packages/heddle/src/definition/definition.ts';

export interface Task {
  readonly type: 'task';
  /** Its node's id; every task, call and DAG of a program has another. */
  readonly key: string;
  /** Attempts that fail before one succeeds, and attempts that are made. */
  readonly failures: number;
  readonly attempts: number;
  /** Writes nothing: its raw output counts where no mapping wrote. */
  readonly isRaw: boolean;
}

export type Spawn =
  | { readonly type: 'one' }
  | { readonly type: 'count'; readonly count: number }
  | { readonly type: 'items'; readonly items: readonly number[]; readonly maxParallel: number | null };

export interface Arm {
  readonly spawn: Spawn;
  readonly body: Block;
}

export interface Early {
  /** Arrivals that are enough, of all that there can be; null for all. */
  readonly share: number | null;
  readonly abandon: boolean;
  readonly timeoutMs: number | null;
  readonly proceeds: boolean;
}

export interface Fan {
  readonly type: 'fan';
  readonly arms: readonly Arm[];
  readonly merge: MergeStrategy | null;
  readonly isNamed: boolean;
  /** Null: a failing branch fails the run. */
  readonly tolerates: { readonly maxFailures: number | null } | null;
  /** Null: the join waits for all, for ever. */
  readonly early: Early | null;
}

export interface DagNode {
  /** Earlier nodes that lead here, with whether the way is open. Nobody leads to the first node. */
  readonly from: readonly { readonly node: number; readonly isOpen: boolean }[];
  readonly require: 'some' | 'all';
}

export interface Dag {
  readonly type: 'dag';
  readonly key: string;
  readonly exit: Task;
  readonly nodes: readonly DagNode[];
  /** Nodes that lead to the way out. */
  readonly last: readonly number[];
}

export type Block =
  | Task
  | Fan
  | Dag
  | { readonly type: 'pass' }
  | { readonly type: 'stop' }
  /** Goes straight to the join of a fan-out that many levels further out, past the nearest one; else it stops. */
  | { readonly type: 'leap'; readonly levels: number }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'sequence'; readonly blocks: readonly Block[] }
  | { readonly type: 'choice'; readonly on: 'even' | boolean; readonly first: Block; readonly otherwise: Block }
  | { readonly type: 'rescue'; readonly task: Task; readonly rescuer: Task; readonly handler: Block }
  | { readonly type: 'loop'; readonly times: number; readonly body: Block }
  | Call;

export interface Call {
  readonly type: 'call';
  readonly key: string;
  readonly body: Block;
  readonly catches: boolean;
  readonly timeoutMs: number | null;
}

const strategies = ['append', 'concat', 'merge_object', 'keyed_by_branch', 'last_wins', 'output_merge'] as const;

const taskOf = (failing: number): fc.Arbitrary<Task> =>
  fc
    .record({
      isRaw: fc.constantFrom(false, false, false, true),
      spare: fc.constantFrom(0, 0, 1),
      failures: fc.constantFrom(0, 0, 0, 0, 1, 2),
      isHopeless: fc.integer({ min: 0, max: 99 }).map((n) => n < failing),
    })
    .map(({ isRaw, spare, failures, isHopeless }) =>
      isHopeless
        ? { ...plainTask, isRaw, failures: failures + 1, attempts: failures + 1 }
        : { ...plainTask, isRaw, failures, attempts: failures + 1 + spare },
    );

const plainTask: Task = { type: 'task', key: '', failures: 0, attempts: 1, isRaw: false };

const dags: fc.Arbitrary<Dag> = fc
  .array(
    fc.record({
      from: fc.array(fc.tuple(fc.nat({ max: 20 }), fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 3 }),
      require: fc.constantFrom<'some' | 'all'>('some', 'all'),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .chain((drafts) => fc.tuple(fc.constant(drafts), fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 3 })))
  .map(([drafts, last]) => {
    const nodes = drafts.map(({ from, require }, index): DagNode => {
      const sources = new Map(index === 0 ? [] : from.map(([node, open]) => [node % index, open > 1] as const));
      return { require, from: [...sources].map(([node, isOpen]) => ({ node, isOpen })) };
    });
    return {
      type: 'dag',
      key: '',
      exit: plainTask,
      nodes,
      last: [...new Set(last.map((node) => node % nodes.length))],
    };
  });

const spawns: fc.Arbitrary<Spawn> = fc.oneof(
  fc.constant<Spawn>({ type: 'one' }),
  fc.integer({ min: 1, max: 3 }).map((count): Spawn => ({ type: 'count', count })),
  fc
    .tuple(fc.array(fc.nat({ max: 5 }), { maxLength: 4 }), fc.constantFrom(null, null, 1, 2))
    .map(([items, maxParallel]): Spawn => ({ type: 'items', items, maxParallel })),
);

const earlyJoins: fc.Arbitrary<Early | null> = fc.option(
  fc.record({
    share: fc.option(fc.integer({ min: 1, max: 100 }), { freq: 4 }),
    abandon: fc.boolean(),
    timeoutMs: fc.constantFrom(null, null, 40, 1000),
    proceeds: fc.boolean(),
  }),
  { freq: 3 },
);

const stops = fc.constant<Block>({ type: 'stop' });
const leaps = fc.constantFrom<Block>({ type: 'leap', levels: 1 }, { type: 'leap', levels: 2 });

const fanOf = (arms: fc.Arbitrary<readonly Arm[]>, isRacy: boolean): fc.Arbitrary<Fan> =>
  fc.record({
    type: fc.constant('fan' as const),
    arms,
    merge: fc.option(fc.constantFrom<MergeStrategy>(...strategies), { freq: 8 }),
    isNamed: fc.boolean(),
    tolerates: fc.option(fc.record({ maxFailures: fc.constantFrom(null, null, 1, 2) })),
    early: isRacy ? earlyJoins : fc.constant(null),
  });

/** A fan-out in a fan-out, of whose branches some go past the inner join. */
const leapingFan = (arm: fc.Arbitrary<Arm>): fc.Arbitrary<Fan> => {
  const leaper = fc.record({
    spawn: spawns,
    body: taskOf(5),
    leap: leaps,
    on: fc.constantFrom('even' as const, true, false),
  });
  const inner = fc.tuple(fc.array(arm, { maxLength: 1 }), leaper).map(([others, { spawn, body, leap, on }]): Arm[] => {
    const choice: Block = { type: 'choice', on, first: leap, otherwise: { type: 'pass' } };
    return [...others, { spawn, body: { type: 'sequence', blocks: [body, choice] } }];
  });
  const outer = fc
    .tuple(arm, spawns, fanOf(inner, true))
    .map(([other, spawn, body]): Arm[] => [{ spawn, body }, other]);
  return fanOf(outer, true).map((fan) => ({ ...fan, isNamed: true }));
};

export interface ProgramOptions {
  /** How many tasks of a hundred fail for good. */
  readonly failing: number;
  /** Joins that do not wait for all, and timeouts: what comes out then depends on the order of answers. */
  readonly isRacy: boolean;
}

export function programs({ failing, isRacy }: ProgramOptions): fc.Arbitrary<Block> {
  const task = taskOf(failing);
  const { block } = fc.letrec<{ block: Block; arm: Arm }>((tie) => ({
    arm: fc.record({ spawn: spawns, body: tie('block') }),
    block: fc.oneof(
      { maxDepth: 4, depthSize: 'max' },
      { weight: 8, arbitrary: task },
      { weight: 1, arbitrary: fc.constant<Block>({ type: 'pass' }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }).map((seconds): Block => ({ type: 'wait', seconds })) },
      { weight: 1, arbitrary: dags },
      {
        weight: 6,
        arbitrary: fc
          .array(tie('block'), { minLength: 2, maxLength: 3 })
          .map((blocks): Block => ({ type: 'sequence', blocks })),
      },
      { weight: 8, arbitrary: fanOf(fc.array(tie('arm'), { minLength: 1, maxLength: 3 }), isRacy) },
      ...(isRacy ? [{ weight: 2, arbitrary: leapingFan(tie('arm')) }] : []),
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('choice' as const),
          on: fc.constantFrom<'even' | boolean>('even', 'even', true, false),
          first: tie('block'),
          otherwise: fc.oneof(tie('block'), isRacy ? leaps : stops),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('rescue' as const),
          task: taskOf(60),
          rescuer: fc.constant(plainTask),
          handler: tie('block'),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('loop' as const),
          times: fc.integer({ min: 1, max: 2 }),
          body: tie('block'),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('call' as const),
          key: fc.constant(''),
          body: tie('block'),
          catches: fc.boolean(),
          timeoutMs: isRacy ? fc.constantFrom(null, null, 30, 500) : fc.constant(null),
        }),
      },
    ),
  }));
  return block.map((root) => cleaned(root, { inGroup: false, inLoop: false, names: { last: 0 } }));
}

interface Around {
  readonly inGroup: boolean;
  readonly inLoop: boolean;
  readonly names: { last: number };
}

function named<T extends { readonly key: string }>(block: T, prefix: string, { names }: Around): T {
  names.last += 1;
  return { ...block, key: `${prefix}${names.last}` };
}

/** With names, and without what cannot stand where it stands: a look at the branch outside of branches, a DAG that is gone round. */
function cleaned(block: Block, around: Around): Block {
  switch (block.type) {
    case 'task':
      return named(block, 'task', around);
    case 'pass':
    case 'stop':
    case 'leap':
    case 'wait':
      return block;
    case 'dag':
      if (around.inLoop) return { type: 'pass' };
      return { ...named(block, 'dag', around), exit: named(block.exit, 'task', around) };
    case 'sequence':
      return { ...block, blocks: block.blocks.map((b) => cleaned(b, around)) };
    case 'choice': {
      const on = block.on === 'even' && !around.inGroup ? true : block.on;
      return { ...block, on, first: cleaned(block.first, around), otherwise: cleaned(block.otherwise, around) };
    }
    case 'rescue':
      return {
        ...block,
        task: named(block.task, 'task', around),
        rescuer: named(block.rescuer, 'task', around),
        handler: cleaned(block.handler, around),
      };
    case 'loop':
      return { ...block, body: cleaned(block.body, { ...around, inLoop: true }) };
    case 'call':
      return {
        ...named(block, 'call', around),
        body: cleaned(block.body, { ...around, inGroup: false, inLoop: false }),
      };
    case 'fan':
      return {
        ...block,
        arms: block.arms.map((arm) => ({ ...arm, body: cleaned(arm.body, { ...around, inGroup: true }) })),
      };
  }
}

/** Whether any way leads out of it at all. */
export function hasExit(block: Block): boolean {
  switch (block.type) {
    case 'stop':
    case 'leap':
      return false;
    case 'sequence':
      return block.blocks.every(hasExit);
    case 'choice':
      return hasExit(block.first) || hasExit(block.otherwise);
    case 'loop':
      return hasExit(block.body);
    case 'fan':
      return block.arms.some(({ body }) => hasExit(body));
    case 'task':
    case 'pass':
    case 'wait':
    case 'dag':
    case 'rescue':
    case 'call':
      return true;
  }
}

const countOf = (spawn: Spawn): number =>
  spawn.type === 'one' ? 1 : spawn.type === 'count' ? spawn.count : spawn.items.length;

const totalOf = ({ arms }: Fan): number => arms.reduce((sum, { spawn }) => sum + countOf(spawn), 0);

/** How many arrivals its join needs; null for all. */
export function requiredOf(fan: Fan): number | null {
  if (fan.early === null || fan.early.share === null) return null;
  return Math.max(1, Math.ceil((fan.early.share / 100) * totalOf(fan)));
}
