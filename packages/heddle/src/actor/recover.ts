// Recover: what a new engine finds left undone in its store: messages on their way, and what was running in its runs.
// Rules RV1 and RV2.

import { given } from '../base/given.ts';
import type { Command, HandOut } from '../core/commands.ts';
import type { Message } from '../core/effects.ts';
import type { TokenId } from '../core/events.ts';
import type { Inbox } from './inbox.ts';
import type { Observers } from './observers.ts';
import type { Clock, Executor, OutboxRow, Store } from './ports.ts';
import type { RunActor } from './run-actor.ts';

/** What recovering needs. */
export interface Recovery {
  readonly store: Store;
  readonly clock: Clock;
  readonly observers: Observers;
  readonly inbox: Inbox;
}

const messagesPerPage = 1_000;
const runsPerPage = 200;

/** Messages that were committed and not received. */
export async function deliverAgain({ store, inbox, observers }: Recovery): Promise<void> {
  for (const { to, message, id } of await undelivered(store)) {
    // RV1: a message that cannot be read is reported and left where it is; the others continue.
    try {
      inbox.deliver(to, JSON.parse(message) as Message, id); // a run wrote it
    } catch (error) {
      const damage = new Error(`Expected message ${id} to be JSON, but it is damaged`, { cause: error });
      observers.broken(damage, { runId: to });
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

/** Somebody has these actions now: runs with tasks that wait for one of them are told. */
export function offerActions(world: Recovery, names: readonly string[]): void {
  const command: Command = { type: 'actions.available', at: world.clock.now(), names };
  tellPages(world, command).catch((error: unknown) => world.observers.broken(error));
}

async function tellPages(world: Recovery, command: Command): Promise<void> {
  const { inbox } = world;
  for (let after: string | null = null; !inbox.isClosed; ) {
    const runIds = await runsWithWork(world, after);
    await Promise.allSettled(runIds.map((runId) => inbox.command(runId, command)));
    after = runIds.at(-1) ?? null;
    if (after === null) return;
  }
}

export function runsWithWork(world: Recovery, after: string | null): Promise<readonly string[]> {
  return ask(world, () => world.store.runsWithWork(after, runsPerPage));
}

/** RV2: a store that fails is asked again until it answers: a run that is not woken would wait for ever. */
export async function ask<T>(
  { clock, observers, inbox }: Recovery,
  question: () => readonly T[] | Promise<readonly T[]>,
): Promise<readonly T[]> {
  for (let delayMs = 100; ; delayMs = Math.min(2 * delayMs, 10_000)) {
    try {
      return await question();
    } catch (error) {
      if (inbox.isClosed) return [];
      observers.broken(error, { runId: '' });
      await new Promise<void>((resolve) => clock.schedule(clock.now() + delayMs, resolve));
    }
  }
}

/** What was running in a run that has just been loaded is lost, but for what is outside the process. */
export function planRecovery(actor: RunActor, at: number, executor: Executor): Command | null {
  const { state, row } = actor;
  const offered = findOffered(actor, executor);
  if (state.outcome !== null || state.dispatched + offered.length === 0) return null;
  const held = executor.heldTasks?.(row.runId) ?? [];
  const unclaimed = findUnclaimed(actor, executor);
  return {
    type: 'recover',
    at,
    ...given({ held: unlessEmpty(held), unclaimed: unlessEmpty(unclaimed), offered: unlessEmpty(offered) }),
  };
}

const unlessEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined => (list.length > 0 ? list : undefined);

// TS13: tasks whose action the last engine did not have are handed out by one that has it; others keep waiting.
function findOffered({ state, graph }: RunActor, executor: Executor): readonly TokenId[] {
  if (state.waitingForActions === 0) return [];
  return [...state.tokens.values()].flatMap(({ id, node, status }) => {
    const work = status === 'waiting_for_action' ? graph.nodes.get(node)?.work : undefined;
    return work?.type === 'action' && executor.has?.(work.name, work.version) !== false ? [id] : [];
  });
}

function findUnclaimed({ state, row, graph }: RunActor, executor: Executor): readonly HandOut[] {
  return [...state.tokens.values()].flatMap(({ id, node, status, dispatch }) => {
    const work = status === 'dispatched' ? graph.nodes.get(node)?.work : undefined;
    const isUnclaimed =
      work?.type === 'action' &&
      executor.isUnclaimed?.(work.name, { runId: row.runId, tokenId: id, dispatch }) === true;
    return isUnclaimed ? [{ token: id, dispatch }] : [];
  });
}
