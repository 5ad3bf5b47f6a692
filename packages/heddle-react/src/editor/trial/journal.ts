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

export class TrialJournal {
  #fresh: RunEvent[] = [];
  #length = 0;
  readonly #live = new Set<string>();
  readonly #nodes = new Map<string, string>();
  readonly #awaited = new Map<string, AwaitedEvent>();

  add(event: RunEvent): void {
    this.#fresh.push(event);
    this.#length += 1;
    const { runId } = event;
    const forget = (tokens: readonly number[]): void => {
      for (const token of tokens) this.#awaited.delete(`${runId}:${token}`);
    };
    switch (event.type) {
      case 'workflow.started':
        this.#live.add(runId);
        return;
      case 'workflow.completed':
      case 'workflow.failed':
      case 'workflow.cancelled':
      case 'workflow.timed_out':
      case 'workflow.exhausted':
        this.#live.delete(runId);
        return;
      case 'token.created':
        for (let place = 0; place < (event.count ?? 1); place += 1)
          this.#nodes.set(`${runId}:${event.token + place}`, event.node);
        return;
      case 'event.awaited':
        return this.#await(event);
      case 'event.received':
      case 'task.failed':
        return forget([event.token]);
      case 'tokens.cancelled':
      case 'tokens.timed_out':
        return forget(event.tokens);
    }
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

  #await(event: Extract<RunEvent, { readonly type: 'event.awaited' }>): void {
    const { runId, token: tokenId, event: name, correlation, deadline = null } = event;
    const key = `${runId}:${tokenId}`;
    const nodeId = this.#nodes.get(key) ?? '';
    this.#awaited.set(key, { runId, tokenId, nodeId, event: name, correlation, deadline });
  }
}
