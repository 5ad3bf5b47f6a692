// Invariants: what must be true of every run, read from its journal alone. A second reading of the events, which shares
// nothing with the engine's appliers and views. Ids as in the list of invariants: I1–I20, I26–I29, I37, I38.

import type { RunEvent } from '../../packages/heddle/src/actor/observers.ts';
import type { Definition, SiblingSynchronization } from '../../packages/heddle/src/definition/definition.ts';
import { retryDelayMs } from './compile-program.testsuite.ts';
import { merge, stable } from './oracle.testsuite.ts';

type Ref = readonly [group: number, index: number];
type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

interface TokenFact {
  readonly id: number;
  readonly node: string;
  branch: Ref;
  status: string;
  attempt: number;
  dispatches: number;
  dueAt: number | null;
  childFailed: boolean;
}

interface GroupFact {
  readonly id: number;
  readonly start: EventOf<'fan_out.started'>;
  readonly spawned: Set<number>;
  readonly arrived: Map<number, number>;
  readonly ended: Set<number>;
  detached: Set<number>;
  join: string | null;
  required: number;
  deadline: number | null;
  firings: number;
  continuations: number;
  isClosed: boolean;
  isTimedOut: boolean;
}

const arrows: Readonly<Record<string, readonly string[]>> = {
  ready: ['dispatched', 'retrying', 'timer', 'siblings', 'edges', 'subworkflow', 'completed', 'failed', 'cancelled'],
  dispatched: ['ready', 'retrying', 'completed', 'failed', 'cancelled'],
  retrying: ['ready', 'cancelled'],
  timer: ['ready', 'cancelled'],
  siblings: ['completed', 'timed_out', 'cancelled'],
  edges: ['completed', 'cancelled'],
  subworkflow: ['ready', 'cancelled'],
};

const terminal = new Set(['completed', 'failed', 'cancelled', 'timed_out']);
const ends = new Set(['workflow.completed', 'workflow.failed', 'workflow.cancelled', 'workflow.timed_out']);

export interface Expectations {
  readonly definition: Definition;
  /** Numbers of the calls whose answers may count. */
  readonly fairAnswers: ReadonlySet<number>;
}

export interface Reading {
  readonly state: Record<string, unknown>;
  readonly output: unknown;
  readonly end: RunEvent | null;
  /** The earliest deadline that is set. */
  readonly nextTimerAt: number | null;
  readonly liveTokens: number;
  readonly accepted: readonly number[];
}

/** Reads a journal; throws at the first event that breaks a rule. */
export function checkJournal(events: readonly RunEvent[], expectations: Expectations): Reading {
  const reader = new Reader(expectations);
  for (const [index, event] of events.entries()) {
    reader.read(event);
    if (events[index + 1]?.seq !== event.seq) reader.checkRest(event.seq);
  }
  return reader.reading();
}

class Reader {
  readonly #definition: Definition;
  readonly #fairAnswers: ReadonlySet<number>;
  readonly #tokens = new Map<number, TokenFact>();
  readonly #groups = new Map<number, GroupFact>();
  readonly #state: Record<string, unknown> = {};
  readonly #writes = new Map<string, Map<string, unknown>>();
  readonly #raws = new Map<string, unknown>();
  readonly #accepted: number[] = [];
  #event!: RunEvent;
  #end: RunEvent | null = null;
  #output: unknown;
  #at = 0;
  #seq = 0;

  constructor({ definition, fairAnswers }: Expectations) {
    this.#definition = definition;
    this.#fairAnswers = fairAnswers;
  }

  #must(holds: boolean, rule: string, what: string): asserts holds {
    if (!holds)
      throw new Error(
        `${rule} is broken at ${this.#event?.id} of ${this.#event?.runId}: ${what}\n${JSON.stringify(this.#event)}`,
      );
  }

  read(event: RunEvent): void {
    this.#event = event;
    this.#must(this.#end === null, 'I37', 'an event after the end');
    this.#must(event.seq === this.#seq || event.seq === this.#seq + 1, 'I31', 'the sequence has a gap');
    this.#must(event.at >= this.#at, 'I26', 'time went back');
    this.#seq = event.seq;
    this.#at = event.at;
    if (event.type.startsWith('token')) this.#readToken(event);
    else if (event.type.startsWith('task') || event.type === 'timer.fired') this.#readTask(event);
    else if (event.type.startsWith('subworkflow')) this.#readChild(event);
    else if (event.type.startsWith('workflow')) this.#readWorkflow(event);
    else this.#readGroup(event);
  }

  // ------------------------------------------------------------------------------------------------------ tokens

  #token(id: number): TokenFact {
    const token = this.#tokens.get(id);
    this.#must(token !== undefined, 'I5', `token ${id} was never created`);
    return token;
  }

  #move(id: number, status: string): TokenFact {
    const token = this.#token(id);
    const isAllowed = arrows[token.status]?.includes(status) ?? false;
    this.#must(
      isAllowed,
      terminal.has(token.status) ? 'I3' : 'I1',
      `token ${id} went from ${token.status} to ${status}`,
    );
    token.status = status;
    token.dueAt = null;
    return token;
  }

  #readToken(event: RunEvent): void {
    switch (event.type) {
      case 'token.created':
        return this.#create(event);
      case 'token.waiting':
        return this.#wait(event);
      case 'token.completed':
        this.#move(event.token, 'completed');
        return;
      case 'tokens.completed':
        for (const id of event.tokens) this.#move(id, 'completed');
        return;
      case 'tokens.timed_out':
        for (const id of event.tokens) this.#move(id, 'timed_out');
        return;
      case 'tokens.cancelled':
        for (const id of event.tokens) this.#move(id, 'cancelled');
        return;
      default:
    }
  }

  #create(event: EventOf<'token.created'>): void {
    const isRoot = this.#tokens.size === 0;
    this.#must(event.token === this.#tokens.size + 1, 'I5', 'ids are not counted up');
    const isKnown = this.#definition.nodes.some(({ id }) => id === event.node);
    this.#must(isKnown, 'I6', `there is no node ${event.node}`);
    if (isRoot) this.#must(event.node === this.#definition.initialNode, 'I6', 'the root is not at the initial node');
    if (event.from !== undefined) this.#must(event.from < event.token, 'I5', 'caused by what came later');
    const [group, first] = event.branch;
    const count = event.count ?? 1;
    for (let i = 0; i < count; i++) this.#createOne(event, [group, first + i], event.token + i);
    if (event.via === undefined && event.from !== undefined) this.#continue(event);
  }

  #createOne(event: EventOf<'token.created'>, branch: Ref, id: number): void {
    const [group, index] = branch;
    if (group !== 0) {
      const fact = this.#group(group);
      this.#must(!fact.isClosed, 'I14', `a token came to life in group ${group}, which is closed`);
      const isSpawn = event.from === fact.start.token && event.via !== undefined;
      if (isSpawn) {
        this.#must(
          !fact.spawned.has(index) && index < fact.start.total,
          'I9',
          `branch ${index} was spawned twice, or is none`,
        );
        fact.spawned.add(index);
      }
      this.#must(fact.spawned.has(index) && !fact.ended.has(index), 'I10', `branch ${index} was not open`);
    }
    const fact = {
      id,
      node: event.node,
      branch,
      status: 'ready',
      attempt: 1,
      dispatches: 0,
      dueAt: null,
      childFailed: false,
    };
    this.#tokens.set(id, fact);
  }

  #continue(event: EventOf<'token.created'>): void {
    const group = [...this.#groups.values()].find(({ start, firings, continuations, join }) => {
      const isOfIt = start.token === event.from && nodeOfJoin(join) === event.node;
      return isOfIt && firings > continuations;
    });
    this.#must(group !== undefined, 'I15', 'a continuation without a join that fired');
    group.continuations += 1;
    this.#must(
      stable(group.start.parent) === stable(event.branch),
      'I15',
      'the continuation is not where the fan-out was',
    );
  }

  #wait(event: EventOf<'token.waiting'>): void {
    const token = this.#move(event.token, event.for);
    if (event.for === 'timer') token.dueAt = event.until;
    if (event.for !== 'siblings') return;
    if (keyOf(token.branch) !== keyOf(event.branch)) console.log('LEAPT');
    token.branch = event.branch;
    const group = this.#group(event.branch[0]);
    const index = event.branch[1];
    this.#must(
      !group.arrived.has(index) && !group.ended.has(index),
      'I13',
      `branch ${index} arrived twice, or after its end`,
    );
    this.#must(group.firings === 0, 'I11', 'an arrival at a join that has fired');
    group.arrived.set(index, event.token);
    this.#must(group.join === null || group.join === event.join, 'I11', 'the group arrived at two joins');
    if (group.join === null) Object.assign(group, { required: event.required, deadline: event.deadline ?? null });
    group.join = event.join;
  }

  // ------------------------------------------------------------------------------------------------------- tasks

  #readTask(event: RunEvent): void {
    switch (event.type) {
      case 'task.dispatched': {
        const token = this.#move(event.token, 'dispatched');
        token.dispatches += 1;
        this.#must(
          event.dispatch === token.dispatches && event.attempt === token.attempt,
          'I21',
          'attempt or dispatch is off',
        );
        return;
      }
      case 'task.completed':
        return this.#accept(event);
      case 'task.attempt_failed':
        return this.#retry(event);
      case 'tasks.lost':
        for (const id of event.tokens) this.#move(id, 'ready');
        return;
      case 'task.failed':
        this.#move(event.token, 'failed');
        return;
      case 'timer.fired':
        return this.#fire(event);
      default:
    }
  }

  #accept(event: EventOf<'task.completed'>): void {
    const token = this.#token(event.token);
    if (token.branch[0] !== 0) this.#raws.set(keyOf(token.branch), event.output);
    if (token.childFailed) return; // The output of a child that was caught.
    this.#must(token.status === 'dispatched', 'I20', `a result for a token that is ${token.status}`);
    const { call } = event.output as { call: number };
    this.#must(this.#fairAnswers.has(call), 'I20', `the result of call ${call} was not of the current hand-out`);
    this.#must(!this.#accepted.includes(call), 'I19', `the result of call ${call} counted twice`);
    this.#accepted.push(call);
  }

  #retry(event: EventOf<'task.attempt_failed'>): void {
    const token = this.#move(event.token, 'retrying');
    const policy = this.#definition.nodes.find(({ id }) => id === token.node)?.retry;
    this.#must(
      event.attempt === token.attempt && event.attempt < (policy?.maxAttempts ?? 1),
      'I21',
      'too many attempts',
    );
    this.#must(
      event.retryAt === event.at + retryDelayMs * 2 ** (event.attempt - 1),
      'I21',
      'the back-off was not kept',
    );
    token.dueAt = event.retryAt;
  }

  #fire(event: EventOf<'timer.fired'>): void {
    const token = this.#token(event.token);
    this.#must(token.dueAt !== null && event.at >= token.dueAt, 'I26', 'fired before its time, or without one');
    if (token.status === 'retrying') token.attempt += 1;
    this.#move(event.token, 'ready');
  }

  #readChild(event: RunEvent): void {
    if (event.type === 'subworkflow.dispatched') {
      this.#move(event.token, 'subworkflow').dueAt = event.deadline ?? null;
      return;
    }
    if (event.type !== 'subworkflow.completed' && event.type !== 'subworkflow.timed_out') return;
    const before = this.#token(event.token);
    if (event.type === 'subworkflow.timed_out') {
      this.#must(before.dueAt !== null && event.at >= before.dueAt, 'I26', 'a child timed out before its time');
    }
    const token = this.#move(event.token, 'ready'); // I39: only once, for this is not an arrow from `ready`.
    const isDone = event.type === 'subworkflow.completed' && event.status === 'completed';
    token.childFailed = !isDone;
    if (isDone && token.branch[0] !== 0) this.#raws.set(keyOf(token.branch), event.output ?? {});
  }

  #readWorkflow(event: RunEvent): void {
    if (!ends.has(event.type)) return;
    const alive = [...this.#tokens.values()].filter(({ status }) => !terminal.has(status));
    this.#must(alive.length === 0, 'I7', `tokens ${alive.map(({ id }) => id).join()} outlive the run`);
    this.#end = event;
    if (event.type === 'workflow.completed') {
      this.#output = event.output;
      this.#must(
        stable(event.output) === stable({ x: this.#state.x }),
        'I38',
        'the output is not what its mapping gives',
      );
    }
    if (event.type === 'workflow.failed') {
      const { code, message, nodeId } = event.error;
      this.#must(code !== '' && message !== '', 'I38', 'a failure without a cause');
      const isKnown = nodeId === undefined || this.#definition.nodes.some(({ id }) => id === nodeId);
      this.#must(isKnown && (nodeId !== undefined || event.error.limit !== undefined), 'I38', 'a failure at no node');
    }
  }

  // ------------------------------------------------------------------------------------------------------ groups

  #group(id: number): GroupFact {
    const group = this.#groups.get(id);
    this.#must(group !== undefined, 'I9', `group ${id} was never opened`);
    return group;
  }

  #readGroup(event: RunEvent): void {
    switch (event.type) {
      case 'fan_out.started':
        return this.#open(event);
      case 'fan_in.completed':
        return this.#join(event);
      case 'branches.merged':
        return this.#merge(event);
      case 'branch.ended':
        return this.#endBranch(event);
      case 'branches.detached':
        this.#group(event.group).detached = new Set(event.indices);
        return;
      case 'group.closed':
        this.#group(event.group).isClosed = true;
        return;
      case 'context.updated':
        return this.#write(event.branch, event.writes);
      default:
    }
  }

  #open(event: EventOf<'fan_out.started'>): void {
    this.#must(!this.#groups.has(event.group), 'I9', 'a group was opened twice');
    const total = event.spawns.reduce((sum, { count }) => sum + count, 0);
    this.#must(total === event.total, 'I9', 'the total is not the sum of the spawns');
    const sets = {
      spawned: new Set<number>(),
      arrived: new Map(),
      ended: new Set<number>(),
      detached: new Set<number>(),
    };
    const counts = { required: 0, deadline: null, firings: 0, continuations: 0 };
    this.#groups.set(event.group, {
      id: event.group,
      start: event,
      join: null,
      isClosed: false,
      isTimedOut: false,
      ...sets,
      ...counts,
    });
  }

  #join(event: EventOf<'fan_in.completed'>): void {
    const group = this.#group(event.group);
    group.join ??= event.join;
    group.firings += 1;
    group.isTimedOut = event.timedOut;
    this.#must(group.firings === 1 && group.join === event.join, 'I11', 'a join fired twice, or another one');
    this.#must(event.branches === group.arrived.size, 'I12', 'the count of branches is off');
    const { strategy } = this.#synchronization(group);
    const { total } = group.start;
    if (event.timedOut) this.#must(group.deadline !== null && event.at >= group.deadline, 'I12', 'timed out too early');
    else if (strategy === 'all') {
      const isAll = group.arrived.size + group.ended.size === total;
      this.#must(isAll && !this.#isAnyAlive(group), 'I12', 'all were not there');
    } else this.#must(event.branches === requiredBy(strategy), 'I12', 'the quorum fired too early or too late');
    const isInner = ({ start: { parent } }: GroupFact): boolean =>
      this.#isInside(parent, group.id) && !this.#isDetached(parent, group.id);
    const inner = [...this.#groups.values()].filter((g) => isOpen(g) && isInner(g));
    if (strategy === 'all' && !event.timedOut) this.#must(inner.length === 0, 'I18', 'an inner join had not fired');
  }

  #synchronization({ join }: GroupFact): SiblingSynchronization {
    const transition = this.#definition.transitions?.find((t) => t.to === nodeOfJoin(join) && t.synchronization);
    this.#must(transition !== undefined, 'I11', `there is no join at ${join}`);
    return transition.synchronization as SiblingSynchronization;
  }

  #merge(event: EventOf<'branches.merged'>): void {
    const group = this.#group(event.group);
    const { merge: configured } = this.#synchronization(group);
    const indices = [...group.arrived.keys()].toSorted((a, b) => a - b);
    const values = indices.flatMap((index): [number, unknown][] => {
      const value = this.#branchX([group.id, index]);
      return value === undefined ? [] : [[index, value]];
    });
    const merged = merge(configured!.strategy, values, indices.length);
    this.#must(merged !== undefined, 'I16', 'expected nothing to be merged');
    this.#must(stable(event.writes) === stable([['state.x', merged]]), 'I16', `expected ${stable(merged)}`);
    this.#must(stable(event.branch) === stable(group.start.parent), 'I16', 'merged into another branch');
    this.#write(event.branch, event.writes);
  }

  #branchX(branch: Ref): unknown {
    const writes = this.#writes.get(keyOf(branch));
    if (writes !== undefined) return writes.get('state.x');
    return (this.#raws.get(keyOf(branch)) as { x?: unknown } | undefined)?.x;
  }

  #write(branch: Ref, writes: readonly (readonly [string, unknown])[]): void {
    const own = branch[0] === 0 ? null : (this.#writes.get(keyOf(branch)) ?? new Map<string, unknown>());
    if (own) this.#writes.set(keyOf(branch), own);
    for (const [target, value] of writes) {
      if (own) own.set(target, value);
      else this.#state[target.replace(/^state\./, '')] = value; // I17: only what was written outside of branches.
    }
  }

  /** A branch that fails after one of its tokens has arrived takes the arrival with it. */
  #endBranch({ branch, how }: EventOf<'branch.ended'>): void {
    const group = this.#group(branch[0]);
    const isLost = group.arrived.delete(branch[1]);
    this.#must(!group.ended.has(branch[1]) && !(isLost && how === 'completed'), 'I10', 'a branch ended twice');
    group.ended.add(branch[1]);
    this.#writes.delete(keyOf(branch));
    this.#raws.delete(keyOf(branch));
  }

  // ---------------------------------------------------------------------------------------------- after a command

  #isInside([group]: Ref, outer: number): boolean {
    for (let id = group; id !== 0; id = this.#group(id).start.parent[0]) if (id === outer) return true;
    return false;
  }

  #isAnyAlive(group: GroupFact): boolean {
    return [...this.#tokens.values()].some(
      (t) =>
        !terminal.has(t.status) &&
        group.arrived.get(t.branch[1]) !== t.id &&
        this.#isInside(t.branch, group.id) &&
        !this.#isDetached(t.branch, group.id),
    );
  }

  /** Whether something attached lives in a branch, its arrival aside. */
  #lives(branch: Ref): boolean {
    const arrival = this.#group(branch[0]).arrived.get(branch[1]);
    const isHere = ({ branch: at }: { branch: Ref }): boolean => keyOf(at) === keyOf(branch);
    if ([...this.#tokens.values()].some((t) => !terminal.has(t.status) && t.id !== arrival && isHere(t))) return true;
    return [...this.#groups.values()].some((g) => isOpen(g) && isHere({ branch: g.start.parent }));
  }

  /** What must hold whenever a command has been worked off. */
  checkRest(seq: number): void {
    for (const group of this.#groups.values()) {
      if (group.firings > 0) this.#checkFired(group);
      else if (!group.isClosed && this.#end === null) this.#checkOpen(group, seq);
    }
    const alive = [...this.#tokens.values()].filter(({ status }) => !terminal.has(status));
    this.#must(alive.length > 0 || this.#end !== null, 'I2', 'nothing lives, but the run goes on');
  }

  #checkFired(group: GroupFact): void {
    this.#must(group.continuations === 1 || this.#end !== null, 'I15', `${group.continuations} continuations`);
    const inside = [...this.#tokens.values()].filter(
      (t) => !terminal.has(t.status) && this.#isInside(t.branch, group.id),
    );
    const isLeft = this.#abandons(group) && inside.every((t) => this.#isDetached(t.branch, group.id));
    const ids = inside.map(({ id }) => id).join();
    this.#must(isLeft || inside.length === 0, 'I14', `tokens ${ids} live in group ${group.id} after its join`);
  }

  #abandons(group: GroupFact): boolean {
    return !group.isTimedOut && this.#synchronization(group).onEarlyComplete === 'abandon';
  }

  /** Left alone by the join of `outer`, or by one inside it. */
  #isDetached([group, index]: Ref, outer: number): boolean {
    const { detached, start } = this.#group(group);
    return detached.has(index) || (group !== outer && this.#isDetached(start.parent, outer));
  }

  #checkOpen(group: GroupFact, seq: number): void {
    const { total } = group.start;
    let settled = 0;
    for (let index = 0; index < total; index++) {
      const isAlive = this.#lives([group.id, index]);
      const states = [!group.spawned.has(index), group.ended.has(index), isAlive || group.arrived.has(index)];
      this.#must(states.filter(Boolean).length === 1, 'I10', `branch ${index} of group ${group.id} is lost at ${seq}`);
      if (!isAlive && group.spawned.has(index)) settled += 1;
    }
    if (group.join === null) return this.#must(settled < total, 'I12', `group ${group.id} is over, but still open`);
    const { strategy } = this.#synchronization(group);
    const isDue = strategy === 'all' ? settled === total : group.arrived.size >= requiredBy(strategy);
    this.#must(!isDue, 'I12', `the join of group ${group.id} is due, but did not fire`);
    const canCome = total - group.ended.size;
    if (strategy !== 'all')
      this.#must(canCome >= requiredBy(strategy), 'I12', `the join of ${group.id} can never fire`);
  }

  reading(): Reading {
    const alive = [...this.#tokens.values()].filter(({ status }) => !terminal.has(status));
    const deadlines = [...this.#groups.values()].filter(isOpen).map(({ deadline }) => deadline);
    const due = [...alive.map(({ dueAt }) => dueAt), ...deadlines].filter((at) => at !== null);
    return {
      state: this.#state,
      output: this.#output,
      end: this.#end,
      nextTimerAt: this.#end !== null || due.length === 0 ? null : Math.min(...due),
      liveTokens: alive.length,
      accepted: this.#accepted,
    };
  }
}

const keyOf = ([group, index]: Ref): string => `${group}/${index}`;
const isOpen = (group: GroupFact): boolean => !group.isClosed && group.firings === 0;
const nodeOfJoin = (join: string | null): string | undefined => join?.split('/')[0];

function requiredBy(strategy: Exclude<SiblingSynchronization['strategy'], 'all'>): number {
  return strategy === 'any' ? 1 : Number(strategy.mOfN);
}
