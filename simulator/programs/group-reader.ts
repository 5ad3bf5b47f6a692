// The groups of a run, as the journal tells of them: fan-outs open, branches end and fail, joins act and merge.
//
// Always true: a failure has one consequence, for the nearest branch that bears it or else for the run.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import { type EventOf, must, mustBe, show } from './difference.ts';
import type { EdgeJoins } from './edge-meeting.ts';
import type { Frame, Write } from './frame.ts';
import type { Group } from './group.ts';
import type { Stage } from './stage.ts';
import type { Thread } from './thread.ts';
import { checkTimer } from './timers.ts';

export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'timed_out';

export class GroupReader {
  readonly stage: Stage;
  /** Closed in this row, for no reason that is known yet. */
  readonly #closed = new Set<Group>();

  constructor(stage: Stage) {
    this.stage = stage;
  }

  group(id: number): Group {
    const group = this.stage.groups.get(id);
    must(group !== undefined, () => `Expected a group ${id}, but none was opened`);
    return group;
  }

  frame([group, index]: readonly [number, number]): Frame {
    const frame = group === 0 ? this.stage.root : this.group(group).frames[index];
    must(frame !== undefined, () => `Expected a branch ${index} of group ${group}, but there is none`);
    return frame;
  }

  open(event: EventOf<'fan_out.started'>): void {
    const { stage } = this;
    const isOpener = ({ cause, opens }: Thread): boolean => cause === event.token && opens === event.name;
    const thread = [...stage.threads].find(isOpener);
    must(thread !== undefined, () => `Expected no fan-out at node ${event.node}`);
    stage.advance(thread, event);
  }

  join(event: EventOf<'fan_in.completed'>): void {
    const group = this.group(event.group);
    const { fan, deadline, opener, id } = group;
    must(fan !== null && !group.hasJoined, () => `Expected group ${id} to be joined once`);
    mustBe(event.join.split('/')[0], fan.join, 'the node of the join');
    if (event.timedOut) {
      checkTimer(this.stage, { at: deadline, kind: 'join', id });
      must(fan.proceeds && group.failure === null, () => `Expected group ${id} not to go on without the others`);
    } else mustBe(group.verdict, 'join', `what is due for group ${id}`);
    mustBe(event.branches, group.arrived.length, 'the number of branches that have arrived');
    const merged = group.merged();
    if (fan.merge && merged !== undefined) this.stage.expectMerge(group, fan.merge, 'state.x', merged);
    group.join(event.timedOut);
    this.stage.advance(opener, event);
  }

  merge({ group: id, branch, writes }: EventOf<'branches.merged'>): void {
    const group = this.group(id);
    const merging = this.stage.merging.get(group);
    must(merging !== undefined, () => `Expected group ${id} to merge nothing now`);
    must(this.frame(branch) === group.outer, () => `Expected group ${id} to be merged where it was opened`);
    this.stage.merging.delete(group);
    const { target, after, isLaidOver } = merging;
    if (!isLaidOver) mustBe(writes, [[target, after]], `what group ${id} merges`);
    group.outer.write(writes.filter((write): write is Write => write.length === 2));
    mustBe(group.outer.read(target), after, `what group ${id} merges`);
  }

  timeOutJoin({ tokens }: EventOf<'tokens.timed_out'>): void {
    const group = this.stage.byToken.get(tokens[0] ?? 0)?.joins ?? this.#abandonedJoin();
    must(group !== undefined, () => `Expected tokens ${show(tokens)} not to wait at a join`);
    const { arrived, deadline, id, fan } = group;
    checkTimer(this.stage, { at: deadline, kind: 'join', id });
    must(fan?.proceeds === false, () => `Expected group ${id} to go on without the others`);
    mustBe(
      tokens,
      arrived.map(({ arrival }) => arrival?.token),
      'the tokens that have waited too long',
    );
    for (const frame of arrived) {
      this.stage.complete(frame.arrival as Thread); // it has arrived
      frame.arrival = null;
    }
    this.stage.completeTokens(tokens);
    group.failure = 'FAN_IN_TIMED_OUT';
  }

  /** The first join whose time is up of those at which nobody waits any more: those who did have failed since. */
  #abandonedJoin(): Group | undefined {
    const isUp = ({ deadline, hasJoined, arrived }: Group): boolean =>
      deadline !== null && deadline <= this.stage.at && !hasJoined && arrived.length === 0;
    const dueAt = ({ deadline }: Group): number => deadline ?? 0;
    return [...this.stage.openGroups].filter(isUp).toSorted((a, b) => dueAt(a) - dueAt(b) || a.id - b.id)[0];
  }

  endBranch({ branch, how, error }: EventOf<'branch.ended'>): void {
    const frame = this.frame(branch);
    const group = frame.place?.group;
    must(
      group !== undefined && frame.hasBegun && frame.end === null && !group.hasJoined,
      () => `Expected no end of branch ${show(branch)}`,
    );
    if (how === 'failed') this.takeFailure(frame, error ?? { code: '', message: '' });
    must(!frame.isLive && frame.arrival === null, () => `Expected branch ${show(branch)} to live on, but it has ended`);
    frame.end = how;
    // What a slice came to is merged when all have ended.
    if (how === 'failed' || group.fan !== null) this.stage.drop(frame);
  }

  /** Somebody takes the consequence of a failure: a branch, or the run. */
  takeFailure(bearer: Frame | null, { code, nodeId }: Failure): void {
    const { openGroups, threads } = this.stage;
    const isOfJoin = [...openGroups].some(
      (group) => failureOf(group) === code && group.fan?.join === nodeId && bearerOf(group.outer) === bearer,
    );
    const isOfThread = [...threads].some(
      ({ failure, node, frame }) => failure === code && node === nodeId && bearerOf(frame) === bearer,
    );
    const who = bearer?.place ? `branch ${bearer.place.index} of group ${bearer.place.group.id}` : 'the run';
    must(isOfJoin || isOfThread, () => `Expected ${who} not to fail with ${code} at ${nodeId}`);
    this.stage.clear(bearer ?? this.stage.root);
  }

  discard({ branch, paths }: EventOf<'branch.discarded'>): void {
    const frame = this.frame(branch);
    must(this.stage.toDiscard.delete(frame), () => `Expected what branch ${show(branch)} wrote to be kept`);
    const tops = [...new Set([...frame.writes.keys()].map(topOf))].toSorted();
    mustBe([...new Set(paths.map(topOf))].toSorted(), tops, 'what is discarded');
  }

  close(event: EventOf<'group.closed'>): void {
    const group = this.group(event.group);
    const { verdict, hasJoined, isLive, opener } = group;
    const isDone = this.stage.openGroups.has(group) && (hasJoined ? !isLive : verdict === 'close');
    must(!group.isClosed, () => `Expected group ${group.id} to be closed once`);
    group.isClosed = true;
    if (!isDone) return void this.#closed.add(group);
    this.stage.openGroups.delete(group);
    if (!hasJoined) this.stage.advance(opener, event);
  }

  detach({ group: id, indices }: EventOf<'branches.detached'>): void {
    const group = this.group(id);
    must(!group.isDetachedTold, () => `Expected to be told once what the join of ${id} has left alone`);
    group.isDetachedTold = true;
    const detached = group.frames.filter(({ isDetached }) => isDetached);
    mustBe(
      indices,
      detached.map(({ place }) => place?.index),
      'the branches that are left alone',
    );
  }

  failDetached({ branch, error }: EventOf<'branch.abandoned_failed'>): void {
    const frame = this.frame(branch);
    must(frame.isDetached, () => `Expected branch ${show(branch)} not to be left alone`);
    this.takeFailure(frame, error);
    this.stage.drop(frame);
  }

  settleEdges({ branch, skipped }: EventOf<'edges.settled'>): void {
    const frame = this.frame(branch);
    for (const node of skipped) this.#dagAt(frame, node)?.skip(node);
  }

  #dagAt(frame: Frame, node: string): EdgeJoins | undefined {
    return [...this.stage.dags].find((run) => run.main.frame === frame && run.has(node));
  }

  /** What must have been told whenever a command has been worked off. The end of a run cuts some of it short. */
  checkTold(end: RunEnd | null): void {
    this.#checkMerged();
    this.#checkClosed(end !== null);
    if (end === null || end === 'completed') this.#checkDiscarded();
    else this.stage.toDiscard.clear();
  }

  #checkMerged(): void {
    const { merging } = this.stage;
    for (const [{ id }, { after, isOwed }] of merging)
      must(!isOwed, () => `Expected group ${id} to merge ${show(after)}, but it did not`);
    merging.clear();
  }

  /** What is called off closes, before or after the reason for it is told. */
  #checkClosed(hasEnded: boolean): void {
    const { openGroups, toClose } = this.stage;
    for (const { id, isClosed } of toClose) must(isClosed || hasEnded, () => `Expected group ${id} to be closed`);
    for (const group of this.#closed)
      must(!openGroups.has(group), () => `Expected group ${group.id} to stay open, but it was closed`);
    toClose.clear();
    this.#closed.clear();
  }

  /** What branches had written that were never joined is said to be dropped. */
  #checkDiscarded(): void {
    const { toDiscard } = this.stage;
    must(toDiscard.size === 0, () => `Expected to be told what ${toDiscard.size} branches had written in vain`);
    toDiscard.clear();
  }

  joinEdges(event: EventOf<'edge_join.completed'>): void {
    const frame = this.frame(event.branch);
    const dag = this.#dagAt(frame, event.node);
    must(dag !== undefined, () => `Expected no edge join at ${event.node}`);
    dag.complete(event.node, event);
  }
}

const topOf = (path: string): string => path.split('.').slice(0, 2).join('.');

function failureOf(group: Group): string | null {
  return group.verdict === 'unreachable' ? 'FAN_IN_UNREACHABLE' : group.failure;
}

/** The nearest branch that was left alone, or whose group tolerates one more failure; null for the run. */
function bearerOf(frame: Frame): Frame | null {
  for (let f: Frame | null = frame; f?.place; f = f.outer) if (f.isDetached || f.place.group.isTolerant) return f;
  return null;
}
