// Test engine: an engine on virtual time, with the means to let it come to rest. Published, for users' own tests too.
//
// Always true: after `settle` and `advance` nothing is left to do but what waits for an action, a timer or a person.

import type { Store } from '../actor/ports.ts';
import type { Engine, EngineOptions, TestSeams } from '../engine/engine.ts';
import { openEngine } from '../engine/local-engine.ts';
import type { Action } from '../executor/action.ts';
import type { StandIn } from '../executor/registry.ts';
import { type FleetSeams, openFleet } from '../fleet/open-fleet.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { ScriptedActions } from './scripted-actions.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface TestEngineOptions extends Omit<EngineOptions, 'clock' | 'actions'> {
  readonly actions?: Readonly<Record<string, Action>>;
  /** A store to continue with, as after a restart; a new one in memory if absent. */
  readonly store?: Store;
  /** Several of them: the engine is a fleet. */
  readonly stores?: readonly (Store | Error)[];
  /** What stands between the shards of a fleet. */
  readonly wire?: FleetSeams['wire'];
  /** A clock to continue with. */
  readonly clock?: VirtualClock;
  /** Names of actions whose calls wait for the test. */
  readonly scripted?: readonly string[];
  /** Asked in place of every action, built-in ones too; `run` of the call does what the action itself would. */
  readonly standIn?: StandIn;
}

export interface TestEngine {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly script: ScriptedActions;
  /** Lets everything happen that can happen now. */
  readonly settle: () => Promise<void>;
  /** Moves time on, letting everything happen at its time. */
  readonly advance: (ms: number) => Promise<void>;
}

/** What a test engine stands on. */
export interface TestHost {
  readonly store: Store;
  readonly open: (options: EngineOptions, seams: TestSeams) => Promise<Engine>;
  /** What the host has not answered yet, where that is more than the engine knows of; null if there is nothing. */
  readonly unanswered?: () => Promise<unknown> | null;
}

export function createTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const { stores, store = firstOf(stores) ?? memoryStore(), wire, ...rest } = options;
  const open: TestHost['open'] = (given, seams) =>
    stores ? openFleet(stores, given, { ...seams, wire }) : openEngine(store, given, seams);
  return createTestEngineOn({ store, open }, rest);
}

/** On a host of the test's own. */
export async function createTestEngineOn(
  host: TestHost,
  options: Omit<TestEngineOptions, 'store' | 'stores' | 'wire'> = {},
): Promise<TestEngine> {
  const { clock = new VirtualClock(), scripted = [], actions = {}, standIn, ...rest } = options;
  const script = new ScriptedActions();
  const all = { ...script.actions(...scripted), ...actions };
  // In a test nobody else brings an action: a name that is misspelt fails at once.
  const given: EngineOptions = { missingActions: 'fail', ...rest, clock, actions: all };
  const engine = await host.open(given, { standIn });
  const settle = () => settleEngine(engine, clock, host);
  const { store } = host;
  return { engine, clock, store, script, settle, advance: (ms) => advance(clock, clock.now() + ms, settle) };
}

const firstOf = ([first]: TestEngineOptions['stores'] & {} = []): Store | undefined =>
  first instanceof Error ? undefined : first;

/** Quiet for several turns in a row: a result that is on its way has then arrived. */
const quietTurns = 4;

async function settleEngine(engine: Engine, clock: VirtualClock, { unanswered }: TestHost): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; ) {
    await new Promise<void>((resolve) => clock.defer(resolve));
    const answer = unanswered?.() ?? null;
    await answer;
    quiet = answer === null && engine.isIdle ? quiet + 1 : 0;
    if (quiet < quietTurns || !isDue(clock)) continue;
    // SM8: what is due now happens now, such as a retry without a delay.
    await clock.advanceTo(clock.now());
    quiet = 0;
  }
}

const isDue = (clock: VirtualClock): boolean => clock.nextAt !== null && clock.nextAt <= clock.now();

async function advance(clock: VirtualClock, until: number, settle: () => Promise<void>): Promise<void> {
  await settle();
  for (let next = clock.nextAt; next !== null && next <= until; next = clock.nextAt) {
    await clock.advanceTo(next);
    await settle();
  }
  await clock.advanceTo(until);
  await settle();
}
