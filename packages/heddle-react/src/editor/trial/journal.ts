// Trial journal: what the runs of a trial have recorded: what is new to whoever looks, which runs live, what they await.

import type { RunEvent } from 'heddle';

/** A wait for an event from outside. */
export interface AwaitedEvent {
  readonly runId: string;
  readonly tokenId: number;
  readonly nodeId: string;
  readonly event: string;
  /** Empty: events without one. */
  readonly correlation: string;
  readonly deadline: number | null;
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const ends: ReadonlySet<RunEvent['type']> = new Set([
  'workflow.completed',
  'workflow.failed',
  'workflow.cancelled',
  'workflow.timed_out',
  'workflow.exhausted',
]);

export class TrialJournal {
  #fresh: RunEvent[] = [];
  #length = 0;
  readonly #live = new Set<string>();
  readonly #nodes = new Map<string, string>();
  readonly #awaited = new Map<string, AwaitedEvent>();

  add(event: RunEvent): void {
    this.#fresh.push(event);
    this.#length += 1;
    const { runId, type } = event;
    if (type === 'workflow.started') this.#live.add(runId);
    else if (ends.has(type)) this.#live.delete(runId);
    else if (type === 'token.created') this.#place(event);
    else if (type === 'event.awaited') this.#await(event);
    else if (type === 'event.received' || type === 'task.failed') this.#forget(runId, [event.token]);
    else if (type === 'tokens.cancelled' || type === 'tokens.timed_out') this.#forget(runId, event.tokens);
  }

  /** What was recorded since it was last asked. */
  take(): readonly RunEvent[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  /** How many events there were. */
  get length(): number {
    return this.#length;
  }

  get liveRuns(): readonly string[] {
    return [...this.#live];
  }

  get awaited(): readonly AwaitedEvent[] {
    return [...this.#awaited.values()];
  }

  #place({ runId, token, node, count = 1 }: EventOf<'token.created'>): void {
    for (let place = 0; place < count; place += 1) this.#nodes.set(`${runId}:${token + place}`, node);
  }

  #forget(runId: string, tokens: readonly number[]): void {
    for (const token of tokens) this.#awaited.delete(`${runId}:${token}`);
  }

  #await(event: EventOf<'event.awaited'>): void {
    const { runId, token: tokenId, event: name, correlation, deadline = null } = event;
    const key = `${runId}:${tokenId}`;
    const nodeId = this.#nodes.get(key) ?? '';
    this.#awaited.set(key, { runId, tokenId, nodeId, event: name, correlation, deadline });
  }
}
