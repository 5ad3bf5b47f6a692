// Simulate: a user's workflow with a user's actions, in many worlds that go wrong in many ways, and what is to be true
// in all of them. The first that is not is made as simple as can be and told as a timeline.
//
// Always true: the same seed gives the same report, as long as the actions answer the same.

import type { Commit } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import type { EngineOptions } from '../engine/engine.ts';
import { gatherActions } from '../engine/gather-actions.ts';
import type { Action, Actions } from '../executor/action.ts';
import { virtualStart } from '../testing/virtual-clock.ts';
import { Dice } from './dice.ts';
import { allFaults, drawFaults, type Fault, Faults } from './faults.ts';
import { Invariant } from './invariant.ts';
import { type AskedPrompt, type OutsideEvent, Play, type Script } from './play.ts';
import { RunViews } from './run-views.ts';
import { shrink } from './shrink.ts';
import { formatTimeline, Timeline, type TimelineEntry } from './timeline.ts';

type ActionSets = Pick<EngineOptions, 'actions' | 'executors' | 'nodeTypes'>;

export interface SimulateOptions {
  /** The last one is started; those before it are what it calls. */
  readonly definitions: readonly [unknown, ...unknown[]];
  readonly input?: JsonObject;
  /** Made anew for each run, if it is a function: what actions remember must not leak from one run to the next. */
  readonly actions?: ActionSets | (() => ActionSets);
  /** What a person answers to a prompt; an empty object if absent. */
  readonly reply?: (prompt: AskedPrompt) => Json;
  /** What is published while the run continues. */
  readonly events?: readonly OutsideEvent[];
  /** Expressions over `input`, `state`, `output`, `status` and `calls`, which hold after every commit. */
  readonly invariants?: readonly string[];
  /** How many runs, each in a world of its own; 1,000 if absent. */
  readonly runs?: number;
  /** The first seed; 1 if absent. */
  readonly seed?: number;
  /** Those that may happen; each run draws some of them. */
  readonly faults?: readonly Fault[];
  readonly limits?: Partial<Limits>;
}

export interface Simulation {
  readonly runs: number;
  /** How the runs ended. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How often each fault happened. */
  readonly faults: Readonly<Record<string, number>>;
  /** Invariants that speak of what never was there: they hold, and say nothing. */
  readonly unseen: readonly string[];
  /** The first, made simple. */
  readonly violation: Violation | null;
}

export interface Violation {
  /** As it was given, or `every run ends`. */
  readonly invariant: string;
  readonly message: string;
  /** Simulating one run from this seed shows it again, before it was made simple. */
  readonly seed: number;
  readonly timeline: readonly TimelineEntry[];
  /** The timeline, to be read. */
  readonly text: string;
}

/** What breaks the engine and no workflow is left to the engine's own proof. */
const usualFaults = allFaults.filter((fault) => fault !== 'garbled-result');
const shrinkTriesMax = 500;

export async function simulate(options: SimulateOptions): Promise<Simulation> {
  const { runs = 1_000, seed: firstSeed = 1, invariants: sources = [] } = options;
  const invariants = sources.map((source) => new Invariant(source));
  const statuses: Record<string, number> = {};
  const faults: Record<string, number> = {};
  const sum = (violation: Violation | null, count: number): Simulation => {
    const unseen = invariants.filter(({ wasSeen }) => !wasSeen).map(({ source }) => source);
    return { runs: count, statuses, faults, unseen, violation };
  };
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const trial = new Trial(options, invariants, new Dice(seed));
    await trial.play();
    statuses[trial.status] = (statuses[trial.status] ?? 0) + 1;
    for (const [fault, times] of trial.faults) faults[fault] = (faults[fault] ?? 0) + times;
    const { broken, choices } = trial;
    if (broken) return sum(await simplest(options, invariants, choices, { broken, seed }), seed - firstSeed + 1);
  }
  return sum(null, runs);
}

/** SM6: the simplest list of choices that still breaks the same invariant. */
async function simplest(
  options: SimulateOptions,
  invariants: readonly Invariant[],
  choices: readonly number[],
  { broken, seed }: { readonly broken: Broken; readonly seed: number },
): Promise<Violation> {
  const again = (tried: readonly number[]) => new Trial(options, invariants, new Dice(seed, tried));
  const stillFails = async (tried: readonly number[]): Promise<boolean> => {
    const trial = again(tried);
    await trial.play();
    return trial.broken?.invariant === broken.invariant;
  };
  const last = again(await shrink(choices, stillFails, shrinkTriesMax));
  const timeline = await last.play();
  const { invariant, message } = last.broken ?? broken;
  return { invariant, message, seed, timeline, text: formatTimeline(timeline) };
}

interface Broken {
  readonly invariant: string;
  readonly message: string;
}

/** One run in one world. */
class Trial {
  broken: Broken | null = null;
  status = 'not started';
  readonly #options: SimulateOptions;
  readonly #invariants: readonly Invariant[];
  readonly #dice: Dice;
  readonly #faults: Faults;
  readonly #timeline = new Timeline(virtualStart);
  readonly #views = new RunViews();
  #brokenAt: number | null = null;

  constructor(options: SimulateOptions, invariants: readonly Invariant[], dice: Dice) {
    this.#options = options;
    this.#invariants = invariants;
    this.#dice = dice;
    this.#faults = new Faults(dice, drawFaults(dice, options.faults ?? usualFaults), 3);
  }

  get choices(): readonly number[] {
    return this.#dice.drawn;
  }

  get faults(): ReadonlyMap<string, number> {
    return this.#faults.injected;
  }

  /** Up to where an invariant was broken, or the end. */
  async play(): Promise<readonly TimelineEntry[]> {
    const play = new Play(this.#script(), {
      dice: this.#dice,
      faults: this.#faults,
      ...given({ limits: this.#options.limits }),
      onCommit: (commit) => this.#look(commit, play),
      onNote: (note, at) => this.#timeline.note(note, at),
    });
    const unfinished = await play.play();
    refuseDefinitions(play);
    this.status = this.#views.rootStatus ?? this.status;
    if (unfinished !== null)
      this.#break({ invariant: 'every run ends', message: this.#views.describeWaits(unfinished) });
    return this.#timeline.entries.slice(0, this.#brokenAt ?? undefined);
  }

  #script(): Script {
    const { definitions, input = {}, actions = {}, reply = () => ({}), events = [], limits } = this.#options;
    const sets = typeof actions === 'function' ? actions() : actions;
    const workflow = String((definitions.at(-1) as { readonly id?: unknown } | undefined)?.id); // definitions are objects
    return {
      definitions,
      starts: [{ workflow, input }],
      actions: namedActions(gatherActions(sets, { ...defaultLimits, ...limits })),
      delayOf: () => this.#dice.pick([0, 10, 50, 200, 1_000]),
      reply,
      outsideEvents: events,
      preparations: [],
      requests: [],
      hasMeddlers: false,
    };
  }

  #look(commit: Commit, { calls }: Play): void {
    this.#timeline.addCommit(commit);
    this.#views.add(commit);
    for (const { row } of commit.runs) {
      if (row.parentRunId !== null) continue;
      const view = this.#views.viewOf(row.runId, calls);
      for (const invariant of this.#invariants) {
        const message = view && invariant.check(view);
        if (message) this.#break({ invariant: invariant.source, message });
      }
    }
  }

  #break(broken: Broken): void {
    this.broken ??= broken;
    this.#brokenAt ??= this.#timeline.entries.length;
  }
}

const namedActions = (actions: Actions): Readonly<Record<string, Action>> =>
  Object.fromEntries(Array.isArray(actions) ? actions.map((action) => [action.name, action]) : Object.entries(actions));

/** What cannot be registered is no matter of chance. */
function refuseDefinitions({ refused }: Play): void {
  const [first] = refused;
  if (first) throw new HeddleError('DEFINITION_INVALID', `Expected a valid definition, but ${first}`);
}
