// Followers: whoever reads live events while servers die: all of them, those of one workflow, and those of single runs.
// Each goes on after the last event that it had, by `Last-Event-ID`.
//
// Always true: what a follower has is what it was sent, in that order; it is never put in order here.

import { setTimeout as sleep } from 'node:timers/promises';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import { readStream } from '../../packages/heddle/src/client/read-stream.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { judgeFault } from './connection.ts';

export interface Follower {
  /** What it follows: a run's id, a workflow's, or null for everything. */
  readonly runId: string | null;
  readonly workflow: string | null;
  /** The ids of the events that it was sent, as its stream has them. */
  readonly ids: string[];
  /** Whose they are, for one who follows more than one run. */
  readonly owners: string[];
  /** How often it came back. */
  opened: number;
  /** The server has said that there is nothing more to come. */
  isTold: boolean;
  /** The run was deleted before it was told of its end. */
  isGone: boolean;
}

/** Runs that are followed at a time, each to its end. */
const runsMost = 6;
const againMs = 50;
const catchUpMsMost = 300_000;

export class Followers {
  readonly all: Follower[] = [];
  readonly #url: string;
  readonly #onEvent: (event: RunEvent) => void;
  readonly #violate: (violation: string) => void;
  readonly #over = new AbortController();
  readonly #reading: Promise<void>[] = [];

  constructor(url: string, onEvent: (event: RunEvent) => void, violate: (violation: string) => void) {
    this.#url = url;
    this.#onEvent = onEvent;
    this.#violate = violate;
    this.#follow({ runId: null, workflow: null });
    this.#follow({ runId: null, workflow: 'order' });
  }

  /** One more, unless there are enough, or it is followed. */
  follow(runId: string): void {
    const runs = this.all.filter((each) => each.runId !== null);
    if (runs.filter(({ isTold }) => !isTold).length >= runsMost || runs.some((each) => each.runId === runId)) return;
    this.#follow({ runId, workflow: null });
  }

  /** How often all of them together came back to a stream. */
  get returns(): number {
    return this.all.reduce((sum, { opened }) => sum + Math.max(0, opened - 1), 0);
  }

  /** Waits until whoever follows more than one run has what there is, as a list of it says; not for ever. */
  async catchUp(): Promise<void> {
    const deadline = performance.now() + catchUpMsMost;
    const feeds = this.all.filter(({ runId }) => runId === null);
    while (performance.now() < deadline) {
      const areBehind = await Promise.all(feeds.map((follower) => this.#isBehind(follower)));
      if (!areBehind.includes(true)) return;
      await sleep(againMs);
    }
  }

  async #isBehind({ workflow, ids }: Follower): Promise<boolean> {
    const last = ids.at(-1);
    const query = new URLSearchParams({ limit: '1', ...(workflow && { workflow }), ...(last && { after: last }) });
    const response = await fetch(`${this.#url}/v1/events?${query.toString()}`);
    const { items } = (await response.json()) as { readonly items: readonly unknown[] }; // by the contract
    return items.length > 0;
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#reading);
  }

  #follow(what: Pick<Follower, 'runId' | 'workflow'>): void {
    const follower: Follower = { ...what, ids: [], owners: [], opened: 0, isTold: false, isGone: false };
    this.all.push(follower);
    this.#reading.push(this.#readToEnd(follower));
  }

  async #readToEnd(follower: Follower): Promise<void> {
    while (!follower.isTold && !this.#over.signal.aborted) {
      try {
        for await (const { id, name, data } of readStream(
          (after) => this.#open(follower, after),
          follower.ids.at(-1),
        )) {
          if (name !== 'message' || id === null) continue;
          follower.ids.push(id);
          if (follower.runId === null) this.#note(follower, JSON.parse(data) as RunEvent); // as it was sent
        }
        follower.isTold = true;
      } catch (error) {
        follower.isGone = error instanceof HeddleError && error.code === 'RUN_NOT_FOUND';
        follower.isTold = follower.isGone;
        // It has lost its patience with a server that was away for long: it begins again, where it was.
        await sleep(againMs);
      }
    }
  }

  #note({ workflow, owners }: Follower, event: RunEvent): void {
    owners.push(event.runId);
    if (workflow === null) this.#onEvent(event);
  }

  async #open(follower: Follower, after: string | undefined): Promise<Response> {
    const { runId, workflow } = follower;
    const path = runId === null ? '/v1/events/stream' : `/v1/runs/${runId}/events/stream`;
    const query = runId !== null ? '' : workflow === null ? '?after=start' : `?after=start&workflow=${workflow}`;
    const response = await fetch(`${this.#url}${path}${query}`, {
      headers: after === undefined ? {} : { 'last-event-id': after },
      signal: this.#over.signal,
    });
    if (response.ok) {
      follower.opened++;
      return response;
    }
    const text = await response.text();
    if (text.includes('"RUN_NOT_FOUND"')) throw new HeddleError('RUN_NOT_FOUND', text); // whether it was deleted is seen later
    judgeFault(response.status, text, this.#violate);
    throw new Error(`Expected a stream, but found ${response.status}: ${text}`);
  }
}
