// Forgeries: for every invariant that is read from a journal, recordings in which it was broken by hand.

import type { Event, EventType } from '../../packages/heddle/src/core/events.ts';
import type { Row } from '../../tests/acceptance/planning.testsuite.ts';
import type { InvariantId } from './coverage.ts';
import { copyOf } from './recordings.testsuite.ts';

/** A journal that can be changed. */
export class Forger {
  readonly rows: { seq: number; at: number; events: Record<string, unknown>[] }[];

  constructor(rows: readonly Row[]) {
    const copies = copyOf(rows) as unknown as { at: number; events: Record<string, unknown>[] }[]; // to be changed
    this.rows = copies.map((row, index) => ({ seq: index + 1, ...row }));
  }

  #find(type: EventType, nth: number): { events: Record<string, unknown>[]; place: number } {
    let left = nth;
    for (const { events } of this.rows) {
      const places = [...events.keys()].filter((place) => events[place]?.['type'] === type);
      const place = places[left];
      if (place !== undefined) return { events, place };
      left -= places.length;
    }
    throw new Error(`Expected event ${nth} of type ${type}, but there is none`);
  }

  set(type: EventType, fields: Readonly<Record<string, unknown>>, nth = 0): this {
    const { events, place } = this.#find(type, nth);
    events[place] = { ...events[place], ...fields };
    return this;
  }

  drop(type: EventType, nth = 0): this {
    const { events, place } = this.#find(type, nth);
    events.splice(place, 1);
    return this;
  }

  /** Once more, right behind it. */
  repeat(type: EventType, nth = 0): this {
    const { events, place } = this.#find(type, nth);
    events.splice(place, 0, copyOf(events[place] ?? {}));
    return this;
  }

  insert(where: 'before' | 'after', type: EventType, event: Partial<Event> & { type: EventType }, nth = 0): this {
    const { events, place } = this.#find(type, nth);
    events.splice(where === 'before' ? place : place + 1, 0, copyOf(event) as Record<string, unknown>);
    return this;
  }

  /** At the end of the row that has such an event. */
  append(type: EventType, event: Readonly<Record<string, unknown>>, nth = 0): this {
    this.#find(type, nth).events.push(copyOf(event));
    return this;
  }

  dropRow(index: number): this {
    this.rows.splice(index, 1);
    return this;
  }

  time(index: number, at: number): this {
    const row = this.rows[index];
    if (row) row.at = at;
    return this;
  }
}

export interface Forgery {
  readonly invariant: InvariantId;
  readonly recording: string;
  readonly what: string;
  readonly forge: (forger: Forger) => unknown;
}

const forgery = (
  invariant: InvariantId,
  recording: string,
  what: string,
  forge: (forger: Forger) => unknown,
): Forgery => ({ invariant, recording, what, forge });

const taskOf = (token: number, dispatch = 1) =>
  ({ type: 'task.dispatched', token, attempt: 1, dispatch, input: {} }) as const;

const tokens: readonly Forgery[] = [
  forgery('I1', 'line', 'a task that ends without a result', (f) => f.drop('task.completed')),
  forgery('I1', 'line', 'a task that waits for a time', (f) =>
    f.insert('after', 'token.created', { type: 'token.waiting', token: 1, for: 'timer', until: 5_000 }),
  ),
  forgery('I2', 'line', 'a run that goes on without tokens', (f) => f.drop('workflow.completed')),
  forgery('I2', 'paused', 'a run that completes before its tokens', (f) =>
    f.set('workflow.cancelled', { type: 'workflow.completed', output: {} }),
  ),
  forgery('I3', 'line', 'a token that ends twice', (f) => f.repeat('token.completed')),
  forgery('I5', 'line', 'an id that is left out', (f) => f.set('token.created', { token: 3 }, 1)),
  forgery('I5', 'line', 'a token that comes from nowhere', (f) =>
    f.insert('before', 'token.created', { type: 'token.created', token: 2, node: 'b', branch: [0, 0] }, 1),
  ),
  forgery('I5', 'all', 'a token that comes from one that goes on', (f) => f.set('token.created', { from: 3 }, 2)),
  forgery('I6', 'line', 'a node that is not there', (f) => f.set('token.created', { node: 'z' })),
  forgery('I6', 'line', 'a run of another workflow', (f) => f.set('workflow.started', { workflow: 'v' })),
  forgery('I7', 'paused', 'a token that outlives its run', (f) => f.drop('tokens.cancelled')),
  forgery('I8', 'looping', 'a loop that is taken too often', (f) =>
    f.set('token.created', { iterations: { 'a->a': 3 } }, 2),
  ),
  forgery('I8', 'parallel', 'a branch that begins too early', (f) =>
    f.append('fan_out.started', {
      type: 'token.created',
      token: 3,
      from: 1,
      via: 'split->work',
      node: 'work',
      branch: [1, 1],
    }),
  ),
  forgery('I8', 'line', 'more visits than there may be', (f) => f.set('workflow.started', { nodeBudget: 1 })),
  forgery('I8', 'tolerated', 'more failures than are tolerated', (f) => f.set('branch.ended', { how: 'failed' }, 1)),
];

const groups: readonly Forgery[] = [
  forgery('I9', 'all', 'a total that is not the sum', (f) => f.set('fan_out.started', { total: 4 })),
  forgery('I9', 'parallel', 'a branch that is left out', (f) => f.set('token.created', { branch: [1, 2] }, 3)),
  forgery('I10', 'tolerated', 'a branch that neither lives nor has ended', (f) => f.drop('branch.ended', 1)),
  forgery('I10', 'tolerated', 'a branch that ends twice', (f) => f.repeat('branch.ended')),
  forgery('I11', 'all', 'a join that fires twice', (f) =>
    f.insert('after', 'group.closed', {
      type: 'fan_in.completed',
      group: 1,
      join: 'join/g',
      branches: 3,
      timedOut: false,
    }),
  ),
  forgery('I11', 'edges', 'a join over edges that is decided twice', (f) => f.repeat('edge_join.completed')),
  forgery('I12', 'all', 'a join that fires too early', (f) =>
    f.append('token.waiting', { type: 'fan_in.completed', group: 1, join: 'join/g', branches: 1, timedOut: false }),
  ),
  forgery('I12', 'quorum', 'a quorum of another size', (f) => f.set('token.waiting', { required: 1 })),
  forgery('I12', 'proceeding', 'a join that gives up before its time', (f) => f.time(2, 1_010)),
  forgery('I12', 'edges', 'a join over edges that does not wait', (f) =>
    f.append('token.waiting', { type: 'edge_join.completed', branch: [0, 0], node: 'd' }),
  ),
  forgery('I12', 'unreachable', 'a join that fails though it could be met', (f) =>
    f.set('workflow.failed', {
      error: { code: 'FAN_IN_UNREACHABLE', message: 'm', nodeId: 'join', details: { group: 'g', required: 1 } },
    }),
  ),
  forgery('I13', 'all', 'a branch that arrives for another', (f) => f.set('token.waiting', { branch: [1, 1] })),
  forgery('I14', 'nested', 'tokens that live on after the join', (f) =>
    f.drop('tokens.cancelled').drop('group.closed', 1),
  ),
  forgery('I14', 'quorum', 'branches that are left alone by a join that cancels', (f) =>
    f.insert('before', 'tokens.cancelled', { type: 'branches.detached', group: 1, indices: [2] }),
  ),
  forgery('I15', 'all', 'a join that nothing follows', (f) => f.drop('token.created', 5).drop('task.dispatched', 3)),
  forgery('I15', 'all', 'a token behind a join that has not fired', (f) =>
    f.append('token.waiting', { type: 'token.created', token: 6, node: 'join', from: 1, branch: [0, 0] }),
  ),
  forgery('I16', 'all', 'a merge in the order of arrival', (f) =>
    f.set('branches.merged', { writes: [['state.all', [2, 0, 1]]] }),
  ),
  forgery('I16', 'quorum', 'a merge that is left out', (f) => f.drop('branches.merged')),
  forgery('I16', 'batch', 'a slice that counts twice', (f) => f.set('batch.completed', { output: [1, 1, 2] })),
  forgery('I17', 'all', 'a branch that writes to the run', (f) => f.set('context.updated', { branch: [0, 0] })),
  forgery('I17', 'threads', 'an unjoined thread of another fan-out', (f) =>
    f.set('context.updated', { writes: [['state.q', 1]] }, 3),
  ),
  forgery('I18', 'nested', 'an outer group that closes before the inner one', (f) => f.drop('group.closed', 1)),
];

const tasks: readonly Forgery[] = [
  forgery('I19', 'line', 'a result that counts twice', (f) => f.repeat('task.completed')),
  forgery('I20', 'paused', 'a result for what was called off', (f) =>
    f.insert('after', 'tokens.cancelled', { type: 'task.completed', token: 2, output: {} }),
  ),
  forgery('I20', 'retries', 'a result for what waits to be tried again', (f) =>
    f.append('task.attempt_failed', { type: 'task.completed', token: 1, output: {} }),
  ),
  forgery('I21', 'retries', 'an attempt that is left out', (f) => f.set('task.dispatched', { attempt: 3 }, 1)),
  forgery('I21', 'retries', 'a back-off that is not kept', (f) => f.set('task.attempt_failed', { retryAt: 1_001 })),
  forgery('I21', 'retries', 'an error that is not to be tried again', (f) =>
    f.set('task.attempt_failed', { error: { code: 'OTHER', message: 'it broke' } }),
  ),
  forgery('I21', 'retries', 'a hand-out with the number of another', (f) =>
    f.set('task.dispatched', { dispatch: 2 }, 2),
  ),
  forgery('I22', 'line', 'a task for a token that has ended', (f) => f.append('token.completed', taskOf(1, 2))),
  forgery('I22', 'paused', 'a task in a paused run', (f) => f.append('workflow.paused', taskOf(1, 2))),
  forgery('I22', 'credits', 'a task that is not paid for', (f) =>
    f.drop('credits.requested').append('token.created', taskOf(1)),
  ),
  forgery('I23', 'line', 'a task that is not handed out', (f) => f.drop('task.dispatched')),
  forgery('I23', 'retries', 'a wait after which nothing happens', (f) =>
    f.drop('token.completed', 1).drop('workflow.completed'),
  ),
  forgery('I25', 'schemas', 'a state that does not fit', (f) =>
    f.set('task.completed', { output: { x: 'one' } }).set('context.updated', { writes: [['state.x', 'one']] }),
  ),
  forgery('I25', 'prompts', 'an answer that does not fit', (f) => f.set('input.resumed', { payload: 'yes' })),
];

const times: readonly Forgery[] = [
  forgery('I26', 'retries', 'a retry before its time', (f) => f.time(2, 1_009)),
  forgery('I26', 'retries', 'a clock that goes back', (f) => f.time(1, 999)),
  forgery('I26', 'out of time', 'a run that is timed out too early', (f) =>
    f.time(1, 1_099).set('workflow.timed_out', { at: 1_099 }),
  ),
  forgery('I26', 'timed out', 'a join that fails before its time', (f) => f.time(2, 1_049)),
  forgery('I27', 'retries', 'a wait of another length', (f) => f.set('token.waiting', { until: 3_000 })),
  forgery('I27', 'prompts', 'a prompt without its deadline', (f) => f.set('input.requested', { deadline: undefined })),
  forgery('I27', 'timed out', 'a join without its deadline', (f) => f.set('token.waiting', { deadline: undefined })),
  forgery('I29', 'prompts', 'a prompt that is answered and expires', (f) =>
    f.insert('after', 'input.expired', {
      type: 'input.resumed',
      token: 3,
      correlationId: 'any',
      payload: {},
    }),
  ),
  forgery('I29', 'retries', 'a timer of what does not wait', (f) =>
    f.append('task.dispatched', { type: 'timer.fired', token: 1 }),
  ),
];

const runs: readonly Forgery[] = [
  forgery('I31', 'line', 'a row that is missing', (f) => f.dropRow(1)),
  forgery('I33', 'paused', 'a result that was kept and is forgotten', (f) => {
    for (const type of ['task.completed', 'token.completed', 'token.created', 'task.dispatched'] as const)
      f.drop(type, type === 'task.dispatched' ? 1 : type === 'token.created' ? 1 : 0);
    f.set('tokens.cancelled', { tokens: [1] });
  }),
  forgery('I34', 'dataflow', 'a token that nobody called off', (f) =>
    f.append('credits.granted', { type: 'tokens.cancelled', tokens: [2], reason: 'why not' }),
  ),
  forgery('I35', 'sub-runs', 'a sub-run with an id of its own choice', (f) =>
    f.set('subworkflow.dispatched', { childRunId: 'x' }),
  ),
  forgery('I35', 'line', 'an input that no mapping gives', (f) => f.set('task.dispatched', { input: { y: 1 } })),
  forgery('I35', 'line', 'a value that no mapping gives', (f) =>
    f.set('context.updated', { writes: [['state.x', 2]] }),
  ),
  forgery('I35', 'dataflow', 'a way that is not taken', (f) => f.drop('token.created', 2).drop('task.dispatched', 1)),
  forgery('I38', 'line', 'an error that nobody made', (f) =>
    f.set('token.created', { lastError: { code: 'OLD', message: 'm' } }, 1),
  ),
  forgery('I37', 'line', 'something after the end', (f) =>
    f.append('workflow.completed', { type: 'workflow.paused', at: 1_000 }),
  ),
  forgery('I37', 'line', 'a run that does not start', (f) => f.drop('workflow.started')),
  forgery('I38', 'line', 'an output that is not mapped', (f) => f.set('workflow.completed', { output: { x: 2 } })),
  forgery('I38', 'dataflow', 'a failed node that is not named', (f) =>
    f.set('workflow.failed', { error: { code: 'NODES_FAILED', message: 'm', nodeId: 'a', details: {} } }),
  ),
  forgery('I38', 'timed out', 'a failure at no node', (f) =>
    f.set('workflow.failed', { error: { code: 'FAN_IN_TIMED_OUT', message: 'm' } }),
  ),
  forgery('I40', 'events', 'a run that does not say what wakes it', (f) =>
    f.append('event.awaited', { type: 'workflow.suspended', at: 1_000 }),
  ),
  forgery('I40', 'paused', 'a pause of a paused run', (f) => f.repeat('workflow.paused')),
  forgery('I41', 'sub-runs', 'a sub-run that ends twice', (f) => f.repeat('subworkflow.completed')),
  forgery('I41', 'sub-runs', 'a late end of what was never given up', (f) =>
    f.set('subworkflow.ended_late', { childRunId: 'x' }),
  ),
  forgery('I43', 'queue', 'a prompt that is asked out of turn', (f) =>
    f.drop('input_queue.left').drop('input_queue.left'),
  ),
  forgery('I43', 'prompts', 'a second answer that is kept', (f) => f.repeat('workflow.held')),
  forgery('I43', 'credits', 'credits that nobody waits for', (f) => f.repeat('credits.granted')),
  forgery('I43', 'events', 'an event that is taken by a later wait', (f) =>
    f.set('event.received', { eventId: 'e1' }, 1),
  ),
  forgery('I47', 'line', 'a command that never ends', (f) => {
    for (let i = 0; i < 100; i++) f.insert('after', 'task.dispatched', { type: 'tasks.lost', tokens: [] });
  }),
];

export const forgeries: readonly Forgery[] = [...tokens, ...groups, ...tasks, ...times, ...runs];
