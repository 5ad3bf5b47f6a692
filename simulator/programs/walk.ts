// How the oracle walks through a program: recursive over its structure, one function for each kind of block.
//
// Always true: a walk answers true if it leads out of its block, and false if its path has ended in it.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { walkDag } from './dag-run.ts';
import { must, mustBe, take } from './difference.ts';
import { type EdgeMeeting, walkMeeting } from './edge-meeting.ts';
import type { Frame } from './frame.ts';
import { Group, type Spawned } from './group.ts';
import { mergeFrames } from './merge-values.ts';
import type {
  Arm,
  Batch,
  Block,
  Choice,
  Echo,
  Fan,
  Loop,
  Program,
  Rescue,
  Rounds,
  Spawn,
  Task,
  Twins,
} from './program.ts';
import { enter, fail, finish, stay, type Thread, type Walk } from './thread.ts';
import { present, walkWork } from './walk-work.ts';

export function* walkProgram(thread: Thread, { body }: Program, input: Json | undefined): Walk<boolean> {
  thread.isOnTransition = false;
  yield* enter(thread, 'begin');
  yield* finish(thread, present([['state.x', input]]));
  return yield* walk(thread, body);
}

function* walk(thread: Thread, block: Block): Walk<boolean> {
  switch (block.type) {
    case 'task':
    case 'call':
    case 'prompt':
    case 'listen': {
      const failure = yield* walkWork(thread, block);
      return failure === null || (yield* fail(thread, failure));
    }
    case 'pass':
      return yield* pass(thread, block.node);
    case 'stop':
      yield* pass(thread, block.node);
      return false;
    case 'leap':
      yield* pass(thread, block.node);
      return yield* leap(thread, block.to);
    case 'wait':
      return yield* wait(thread, block.node, block.ms);
    case 'sequence':
      for (const part of block.blocks) if (!(yield* walk(thread, part))) return false;
      return true;
    case 'choice':
      return yield* choose(thread, block);
    case 'rescue':
      return yield* rescue(thread, block);
    case 'loop':
      return yield* goRound(thread, block);
    case 'fork':
      yield* pass(thread, block.node);
      startBeside(thread, (side) => walk(side, block.side));
      return yield* walk(thread, block.main);
    case 'batch':
      return yield* workThrough(thread, block);
    case 'dag':
      return yield* walkDag(thread, block);
    case 'fan':
      yield* pass(thread, block.node);
      if (isBroken(block)) return yield* fail(thread, 'FOREACH_NOT_A_LIST');
      return yield* fanOut(thread, newGroup(thread, block), block);
    case 'twins':
      return yield* fanTwice(thread, block);
    case 'rounds':
      return yield* goRounds(thread, block);
  }
}

/** In the same branch, from the same node. */
function startBeside(thread: Thread, walkOn: (thread: Thread) => Walk<boolean>): void {
  thread.stage.start(thread.frame, thread.cause, (other) => {
    other.node = thread.node;
    return walkOn(other);
  });
}

function* pass(thread: Thread, node: string): Walk<true> {
  yield* enter(thread, node);
  return yield* finish(thread);
}

function* wait(thread: Thread, node: string, ms: number): Walk<true> {
  yield* enter(thread, node);
  if (ms > 0) {
    const waiting = take(yield, 'token.waiting');
    const until = waiting.at + ms;
    mustBe(waiting.for === 'timer' && waiting.until, until, `the end of the wait at ${node}`);
    thread.at('waiting', until);
    take(yield, 'timer.fired');
  }
  return yield* finish(thread);
}

function* choose(thread: Thread, { node, ways }: Choice): Walk<boolean> {
  yield* pass(thread, node);
  for (const { on, body } of ways) {
    const isTaken = thread.frame.holds(on);
    if (isTaken === null) return yield* fail(thread, 'CONDITION_FAILED');
    if (isTaken) return yield* walk(thread, body);
  }
  return yield* fail(thread, 'NO_TRANSITION_MATCHED');
}

function* rescue(thread: Thread, { tried, on, handler }: Rescue): Walk<boolean> {
  const failure = yield* walkWork(thread, tried);
  if (failure === null) return on !== 'any' || (yield* walk(thread, handler));
  if (on === 'coded' && failure !== 'BOOM') return yield* fail(thread, failure);
  thread.lastError = failure;
  return yield* walk(thread, handler);
}

function* goRound(thread: Thread, { turn, done, times, on, body }: Loop): Walk<boolean> {
  for (let taken = 0; ; taken++) {
    if (!(yield* walk(thread, body))) return false;
    yield* pass(thread, turn);
    const again = taken < times && thread.frame.holds(on);
    if (again === null) return yield* fail(thread, 'CONDITION_FAILED');
    if (!again) return yield* pass(thread, done);
  }
}

/** With one such transition none of its tier fires. */
const isBroken = ({ arms }: Fan): boolean => arms.some(({ spawn }) => spawn.type === 'broken');

function* fanTwice(thread: Thread, { side, main, meeting }: Twins): Walk<boolean> {
  yield* pass(thread, main.node);
  if (isBroken(side) || isBroken(main)) return yield* fail(thread, 'FOREACH_NOT_A_LIST');
  if (meeting) {
    return yield* walkMeeting(thread, meeting, (run) => {
      for (const fan of [side, main]) startBeside(thread, (other) => fanToMeeting(other, fan, run));
    });
  }
  startBeside(thread, (other) => fanOut(other, newGroup(other, side), side));
  return yield* fanOut(thread, newGroup(thread, main), main);
}

function* fanToMeeting(thread: Thread, fan: Fan, run: EdgeMeeting): Walk<boolean> {
  if (yield* fanOut(thread, newGroup(thread, fan), fan)) return yield* run.arrive(thread);
  run.lose();
  return false;
}

/** Back to its own node as often as it may, then on. */
function* goRounds(thread: Thread, { fan, times }: Rounds): Walk<boolean> {
  yield* pass(thread, fan.node);
  for (let taken = 0; ; taken++) {
    const round = taken < times ? { ...fan, join: fan.node } : fan;
    if (!(yield* fanOut(thread, newGroup(thread, round), round))) return false;
    if (taken === times) return true;
  }
}

function newGroup(opener: Thread, fan: Fan): Group {
  const spawns = fan.arms.map((arm) => spawned(opener, fan, arm));
  return new Group(opener, fan, fan.tolerance, spawns);
}

function* fanOut(thread: Thread, group: Group, fan: Fan): Walk<boolean> {
  const { side } = fan;
  if (side) startBeside(thread, (other) => walk(other, side));
  yield* open(thread, group, fan.group ?? fan.node);
  thread.at('gathering');
  const end = take(yield, 'fan_in.completed', 'group.closed');
  if (end.type === 'group.closed' || fan.join === null) return false;
  thread.isOnTransition = false;
  return yield* pass(thread, fan.join);
}

function* open(thread: Thread, group: Group, name: string): Walk<void> {
  const { stage, frame } = thread;
  thread.at('opening');
  thread.opens = name;
  const started = take(yield, 'fan_out.started');
  thread.opens = null;
  const parent = frame.place ? [frame.place.group.id, frame.place.index] : [0, 0];
  mustBe(
    [started.name, started.node, started.total, started.parent, started.tolerateFailures, started.maxFailures],
    [name, thread.node, group.total, parent, group.tolerance !== null, group.tolerance?.maxFailures ?? null],
    'name, node, total, parent and tolerance of the fan-out',
  );
  group.id = started.group;
  stage.groups.set(group.id, group);
  stage.openGroups.add(group);
  frame.groups.add(group);
}

function spawned(opener: Thread, fan: Fan, arm: Arm): Spawned {
  const begin = (frame: Frame): void => {
    opener.stage.start(frame, opener.cause, (thread) => walkBranch(thread, fan, arm));
  };
  return { ...settingsOf(arm.spawn), begin };
}

function settingsOf(spawn: Spawn): Omit<Spawned, 'begin'> {
  const plain = { maxParallel: null, place: () => ({}) };
  switch (spawn.type) {
    case 'one':
      return { ...plain, count: 1 };
    case 'count':
      return { ...plain, count: spawn.count };
    case 'broken':
      return { ...plain, count: 0 };
    case 'items': {
      const { items, maxParallel } = spawn;
      return { count: items.length, maxParallel, place: (index) => ({ item: items[index] ?? null }) };
    }
  }
}

function* walkBranch(thread: Thread, fan: Fan, { part, ways, echo }: Arm): Walk<boolean> {
  const [first, ...others] = ways;
  if (part !== null) yield* pass(thread, part);
  for (const way of others) startBeside(thread, (other) => walkWay(other, fan, way));
  if (echo) startBeside(thread, (main) => walkEcho(main, echo));
  return first !== undefined && (yield* walkWay(thread, fan, first));
}

/** One of its ways leads through the join of the siblings, where whoever goes it leaves the branch: it is never gone. */
function* walkEcho(main: Thread, { source, last }: Echo): Walk<boolean> {
  yield* walkMeeting(main, { task: last, require: 'some' }, (run) => {
    run.lose();
    startBeside(main, (thread) => walkToEcho(thread, source, run));
  });
  return false;
}

function* walkToEcho(thread: Thread, source: Task, run: EdgeMeeting): Walk<boolean> {
  return (yield* walk(thread, source)) && (yield* run.arrive(thread));
}

function* walkWay(thread: Thread, fan: Fan, way: Block): Walk<boolean> {
  return (yield* walk(thread, way)) && (yield* arrive(thread, thread.frame, fan));
}

function* leap(thread: Thread, to: string): Walk<boolean> {
  let target: Frame | null = thread.frame;
  while (target && target.place?.group.fan?.node !== to) target = target.outer;
  const fan = target?.place?.group.fan;
  return target && fan ? yield* arrive(thread, target, fan) : false;
}

/** Comes to the join for a branch: its own, or one further out. */
function* arrive(thread: Thread, target: Frame, { join, quorum, timeoutMs }: Fan): Walk<boolean> {
  const group = target.place?.group;
  if (join === null || !group) return false;
  yield* enter(thread, join);
  thread.at('arriving');
  const event = take(yield, 'token.waiting', 'token.completed');
  mustBe(
    event.type === 'token.completed',
    isNotNeeded(thread, target, group),
    `whether join ${join} needs no token ${thread.token}`,
  );
  if (event.type === 'token.completed') return false;
  const deadline = group.isBound || timeoutMs === null ? null : event.at + timeoutMs;
  must(event.for === 'siblings', () => `Expected token ${thread.token} to wait for its siblings`);
  mustBe(
    [event.branch, event.required, event.deadline ?? null],
    [[group.id, target.place?.index], quorum ?? 0, deadline],
    'branch, quorum and deadline of the arrival',
  );
  group.deadline ??= deadline;
  group.arrive(thread, target);
  thread.at('joining');
  return yield* stay();
}

/** A branch that has arrived arrives once; what a join has left alone arrives nowhere. */
function isNotNeeded(thread: Thread, target: Frame, group: Group): boolean {
  if (target.arrival !== null || group.hasJoined) return true;
  for (let frame: Frame | null = thread.frame; frame; frame = frame.outer) {
    if (frame.isDetached) return true;
    if (frame === target) break;
  }
  return false;
}

function* workThrough(thread: Thread, batch: Batch): Walk<boolean> {
  const { node, list, items, merge, tolerance } = batch;
  yield* enter(thread, list);
  yield* finish(thread, items === null ? [] : [[`state.${list}`, items]]);
  yield* enter(thread, node);
  if (items === null) {
    mustBe(take(yield, 'task.failed').error.code, 'BATCH_NOT_A_LIST', `the failure of ${node}`);
    return yield* fail(thread, 'BATCH_NOT_A_LIST');
  }
  const group = new Group(thread, null, tolerance, [slicesOf(thread, batch, items)]);
  yield* open(thread, group, node);
  mustBe(take(yield, 'token.waiting').for, 'batch', `what ${node} waits for`);
  thread.at('gathering');
  const done = take(yield, 'batch.completed');
  mustBe([group.verdict, done.slices], ['slices', group.total], `verdict and slices of ${node}`);
  group.hasJoined = true;
  const slices = group.frames.filter(({ end }) => end !== 'failed');
  const merged = merge ? mergeFrames(merge, slices) : undefined;
  const isNothing = merged === undefined || (slices.length === 0 && merge?.strategy === 'output_merge');
  mustBe(done.output, isNothing ? undefined : merged, `the output of ${node}`);
  if (merge && batch.hasTarget && done.output !== undefined)
    thread.stage.expectMerge(group, merge, 'state.merged', done.output);
  return yield* finish(thread, [['state.x', done.output === undefined ? {} : done.output]]);
}

function slicesOf(
  opener: Thread,
  { list, batchSize, parallelBatches, ways }: Batch,
  items: readonly number[],
): Spawned {
  const size = batchSize === 0 ? Math.max(items.length, 1) : batchSize;
  const place = (index: number) => ({
    slice: { target: `state.${list}`, items: items.slice(index * size, (index + 1) * size), start: index * size },
  });
  const begin = (frame: Frame): void => {
    for (const way of ways) opener.stage.start(frame, opener.cause, (thread) => walkSlice(thread, way));
  };
  return { count: Math.ceil(items.length / size), maxParallel: parallelBatches, place, begin };
}

/** Where its way ends, a slice ends. */
function* walkSlice(thread: Thread, way: Block): Walk<boolean> {
  yield* walk(thread, way);
  return false;
}
