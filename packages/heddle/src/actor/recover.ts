// Recover: what a new engine finds left undone in its store: messages on their way and runs with tasks. Rules RV….

import type { Command, HandOut } from '../core/commands.ts';
import type { Message } from '../core/effects.ts';
import type { Clock, Executor, OutboxRow, Store } from './ports.ts';
import type { RunActor } from './run-actor.ts';

export interface Recovery {
  readonly store: Store;
  readonly clock: Clock;
  readonly isClosed: () => boolean;
  readonly deliver: (to: string, message: Message, outboxId: string) => void;
  readonly wake: (runId: string) => Promise<unknown>;
  readonly report: (runId: string, error: unknown) => void;
}

const messagesPerPage = 1_000;
const runsPerPage = 200;

/** Messages that were committed and not received. */
export async function deliverAgain({ store, deliver, report }: Recovery): Promise<void> {
  for (const { to, message, id } of await undelivered(store)) {
    // RV1: a message that cannot be read is told of and left where it is; the others go on.
    try {
      deliver(to, JSON.parse(message) as Message, id);
    } catch (error) {
      report(to, new Error(`Expected message ${id} to be JSON, but it is damaged`, { cause: error }));
    }
  }
}

/** All of them, before the first is delivered: what follows from one is in the outbox too, and delivers itself. */
async function undelivered(store: Store): Promise<readonly OutboxRow[]> {
  const found: OutboxRow[] = [];
  for (;;) {
    const rows = await store.readOutbox(found.at(-1)?.id ?? null, messagesPerPage);
    for (const row of rows) found.push(row);
    if (rows.length === 0) return found;
  }
}

/** Runs with tasks, page by page, so that the first tasks leave while the last runs are still to be loaded. */
export async function wakeRuns(recovery: Recovery): Promise<void> {
  for (let after: string | null = null; !recovery.isClosed(); ) {
    const runIds = await runsToWake(recovery, after);
    await Promise.allSettled(runIds.map((runId) => recovery.wake(runId)));
    after = runIds.at(-1) ?? null;
    if (after === null) return;
  }
}

/** RV2: a store that fails is asked again until it answers: a run that is not woken would wait for ever. */
async function runsToWake(
  { store, clock, isClosed, report }: Recovery,
  after: string | null,
): Promise<readonly string[]> {
  for (let delayMs = 100; ; delayMs = Math.min(2 * delayMs, 10_000)) {
    try {
      return await store.runsWithWork(after, runsPerPage);
    } catch (error) {
      if (isClosed()) return [];
      report('', error);
      await new Promise<void>((resolve) => clock.schedule(clock.now() + delayMs, resolve));
    }
  }
}

/** What was under way in a run that has just been loaded is lost, but for what is outside the process. */
export function recoveryOf(actor: RunActor, at: number, executor: Executor): Command | null {
  const { state, row } = actor;
  if (state.outcome !== null || state.dispatched === 0) return null;
  const held = executor.heldTasks?.(row.runId) ?? [];
  const unclaimed = unclaimedOf(actor, executor);
  return {
    type: 'recover',
    at,
    ...(held.length > 0 ? { held } : {}),
    ...(unclaimed.length > 0 ? { unclaimed } : {}),
  };
}

function unclaimedOf({ state, row, graph }: RunActor, executor: Executor): readonly HandOut[] {
  return [...state.tokens.values()].flatMap(({ id, node, status, dispatch }) => {
    const work = status === 'dispatched' ? graph.nodes.get(node)?.work : undefined;
    const isUnclaimed =
      work?.type === 'action' &&
      executor.isUnclaimed?.(work.name, { runId: row.runId, tokenId: id, dispatch }) === true;
    return isUnclaimed ? [{ token: id, dispatch }] : [];
  });
}
