// WorkerProcess: a real worker of the server, with the actions of the kill loop. It writes down every effect, and all
// that it says to the server and hears from it about its tasks; now and then it comes to a standstill for longer than its
// leases last, and goes on as if nothing had happened.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../packages/heddle/src/actor/ports.ts';
import { systemClock } from '../../packages/heddle/src/actor/system-clock.ts';
import { HeddleError, startWorker } from '../../packages/heddle/src/client.ts';
import type { ActionArtifacts, ActionContext, Actions } from '../../packages/heddle/src/executor/action.ts';
import { actionsOf } from '../kill/actions.ts';
import { effectLog, type NoteEffect } from '../kill/effects.ts';
import { notingFetch } from './exchanges.ts';
import { obeyOrders, say } from './obey.ts';
import { leaseMs, type Order } from './protocol.ts';

type Working = Extract<Order, { type: 'work' }>;

const capacity = 20;
const standstillMs = 1.2 * leaseMs;
/** Up to longer than a lease lasts, but alive: it keeps its task by saying so, and over the death of a server. */
const slowMsMost = 1.2 * leaseMs;
const oneIsSlowIn = 16;
/** What a worker waits before it turns to a server that was away: here it is back in a fraction of that. */
const shortenedFromMs = 1_000;
const shortenedToMs = 100;

function work(order: Working): (graceMs: number) => Promise<void> {
  const { url, name, effects, exchanges } = order;
  const worker = startWorker({
    url,
    name,
    capacity,
    leaseMs,
    actions: persistent(actionsOf(standingStill(effectLog(effects), order.oneStandsStillIn))),
    fetch: notingFetch(exchanges),
    clock: impatientClock(),
    onError: (error) => {
      const isForeseen = error instanceof HeddleError && foreseen.has(error.code);
      if (!isForeseen) say({ type: 'broken', message: error.stack ?? error.message });
    },
  });
  return (graceMs) => worker.close({ graceMs });
}

/** Servers die and close; and whoever is slow loses a task. */
const foreseen = new Set(['SERVER_UNREACHABLE', 'LEASE_LOST', 'ENGINE_CLOSED']);

function standingStill(note: NoteEffect, oneIn: number): NoteEffect {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  return (phase, context, receipt) => {
    note(phase, context, receipt);
    if (phase === 'before' && Math.random() * oneIn < 1) Atomics.wait(nobody, 0, 0, standstillMs);
  };
}

/**
 * Now and then it takes its time. What asks a server that is away for artifacts asks until it is back, so that what it
 * comes to depends on its input alone.
 */
function persistent(actions: Actions): Actions {
  const made = Object.entries(actions as Record<string, Act>); // `actionsOf` made functions
  return Object.fromEntries(made.map(([name, act]) => [name, persistentAct(act)]));
}

type Act = (context: ActionContext) => Promise<unknown>;

const persistentAct =
  (act: Act): Act =>
  async (context) => {
    if (Math.random() * oneIsSlowIn < 1) await sleep(Math.random() * slowMsMost);
    return act(persistentContext(context));
  };

function persistentContext(context: ActionContext): ActionContext {
  const { input, signal, attempt, idempotencyKey, runId, nodeId, tokenId, workflow, publish, progress } = context;
  const { secrets, step } = context;
  const artifacts = persistentArtifacts(context.artifacts);
  const names = { idempotencyKey, runId, nodeId, tokenId, workflow };
  return { input, signal, attempt, ...names, publish, progress, secrets, step, artifacts };
}

function persistentArtifacts(artifacts: ActionArtifacts): ActionArtifacts {
  return {
    put: (data, mimeType) => untilReached(() => artifacts.put(data, mimeType)),
    get: (reference) => untilReached(() => artifacts.get(reference)),
    list: () => untilReached(() => artifacts.list()),
  };
}

async function untilReached<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isAway =
        error instanceof HeddleError && (error.code === 'SERVER_UNREACHABLE' || error.code === 'ENGINE_CLOSED');
      if (!isAway) throw error;
    }
  }
}

function impatientClock(): Clock {
  const clock = systemClock();
  const schedule: Clock['schedule'] = (at, callback) => {
    const now = clock.now();
    return clock.schedule(at - now >= shortenedFromMs ? now + shortenedToMs : at, callback);
  };
  return { ...clock, schedule };
}

obeyOrders((order) => {
  if (order.type !== 'work') throw new Error(`Expected to be told to work, but found ${order.type}`);
  return Promise.resolve(work(order));
});
