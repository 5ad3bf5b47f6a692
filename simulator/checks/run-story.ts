// Run story: the little of a run that rare situations are told by: where its tokens are, how deep its groups lie, and
// when something last came.

import type { EventType } from '../../packages/heddle/src/core/events.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';

export interface StoryToken {
  readonly group: number;
  state: 'ready' | 'dispatched' | 'retrying';
  attempt: number;
  dispatches: number;
}

export interface StoryGroup {
  readonly token: number;
  readonly depth: number;
  readonly total: number;
  readonly openedIn: number;
  /** All its branches could begin at once. */
  readonly isUnbounded: boolean;
  isJoined: boolean;
}

export class RunStory {
  readonly runId: string;
  readonly isSubRun: boolean;
  readonly tokens = new Map<number, StoryToken>();
  readonly groups = new Map<number, StoryGroup>();
  readonly events = new Set<string>();
  /** How many prompts stand in its queue. */
  queue = 0;
  /** The event before, and when a result, and a timer, last came. */
  before: EventType | null = null;
  resultAt = 0;
  timerAt = 0;
  /** When a join last gave up. */
  gaveUpAt = 0;

  constructor(runId: string, isSubRun: boolean) {
    this.runId = runId;
    this.isSubRun = isSubRun;
  }

  count(state: StoryToken['state']): number {
    let count = 0;
    for (const token of this.tokens.values()) if (token.state === state) count++;
    return count;
  }

  add(event: RunEvent): void {
    this.before = event.type;
    if (event.type === 'token.created') this.#create(event);
    else if (event.type === 'fan_out.started') this.#open(event);
    else if (event.type === 'fan_in.completed') this.#join(event.group, event.timedOut ? event.at : 0);
    else if (event.type === 'batch.completed') this.#join(event.group, 0);
    else if (event.type === 'tokens.timed_out') this.gaveUpAt = event.at;
    else if (event.type === 'input_queue.joined') this.queue++;
    else if (event.type === 'input_queue.left') this.queue--;
    else this.#follow(event);
  }

  #create({ token, count = 1, branch }: Extract<RunEvent, { type: 'token.created' }>): void {
    for (let id = token; id < token + count; id++)
      this.tokens.set(id, { group: branch[0], state: 'ready', attempt: 1, dispatches: 0 });
  }

  #open({ group, token, parent, total, seq, spawns }: Extract<RunEvent, { type: 'fan_out.started' }>): void {
    const depth = (this.groups.get(parent[0])?.depth ?? 0) + 1;
    const isUnbounded = spawns.every(({ maxParallel }) => maxParallel === undefined);
    this.groups.set(group, { token, depth, total, openedIn: seq, isUnbounded, isJoined: false });
  }

  #join(id: number, gaveUpAt: number): void {
    const group = this.groups.get(id);
    if (group) group.isJoined = true;
    this.gaveUpAt = gaveUpAt;
  }

  /** What becomes of tasks. */
  #follow(event: RunEvent): void {
    if (event.type === 'event.received') this.events.add(event.eventId);
    if (event.type === 'task.completed') this.resultAt = event.at;
    if (event.type === 'timer.fired') this.timerAt = event.at;
    if ('tokens' in event) for (const id of event.tokens) this.#move(id, 'ready');
    const token = 'token' in event ? this.tokens.get(event.token ?? 0) : undefined;
    if (!token) return;
    token.state = 'ready';
    if (event.type === 'task.attempt_failed') token.state = 'retrying';
    if (event.type !== 'task.dispatched') return;
    token.state = 'dispatched';
    token.attempt = event.attempt;
    token.dispatches = event.dispatch;
  }

  #move(id: number, state: StoryToken['state']): void {
    const token = this.tokens.get(id);
    if (token) token.state = state;
  }
}
