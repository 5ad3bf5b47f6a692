// Campaign: plays one world for each seed, and says what was wrong with it.
//
// Always true: a seed is a workload and a world, each from dice of its own, so that either can be made simpler alone. The
// same seed can be played on any number of shards; on one it is what it was before there were shards.

import type { FeedEvent } from '../packages/heddle/src/exports.ts';
import { Dice } from '../packages/heddle/src/simulation/dice.ts';
import {
  type AnyFault,
  allFaults,
  drawFaults,
  type Fault,
  Faults,
  type ProcessFault,
  processFaults,
  type WireFault,
  wireFaults,
} from '../packages/heddle/src/simulation/faults.ts';
import { Play } from '../packages/heddle/src/simulation/play.ts';
import { shrink } from '../packages/heddle/src/simulation/shrink.ts';
import { formatTimeline, Timeline } from '../packages/heddle/src/simulation/timeline.ts';
import { virtualStart } from '../packages/heddle/src/testing/virtual-clock.ts';
import { FeedCheck } from './checks/check-feed.ts';
import { LeaseCheck } from './checks/check-leases.ts';
import { followCommits, judge } from './judge.ts';
import { scriptOf } from './script-of.ts';
import type { MakeWorkload, Workload } from './workload.ts';

/** What a world was made of. */
export interface Choices {
  readonly shards: number;
  readonly processes: number;
  readonly workload: readonly number[];
  readonly world: readonly number[];
}

export interface Played {
  readonly seed: number;
  readonly kind: string;
  /** Root runs. */
  readonly runs: number;
  /** Of the engine that they had. */
  readonly shards: number;
  readonly processes: number;
  /** Something went wrong in their world. */
  readonly isFaulty: boolean;
  readonly choices: Choices;
  readonly violation: string | null;
  /** What happened in it, of what must happen sometimes. */
  readonly marks: ReadonlySet<string>;
  /** Of all that was committed, in order: the same for the same seed. */
  readonly history: string;
  readonly timeline: Timeline | null;
  readonly workload: Workload;
}

export interface PlaySettings {
  /** 1 if absent. */
  readonly shards?: number;
  /** How many share the shards; 1 if absent. */
  readonly processes?: number;
  readonly choices?: Choices;
  readonly hasTimeline?: boolean;
}

export class Campaign {
  readonly #kinds: readonly MakeWorkload[];
  readonly #fleetKinds: readonly MakeWorkload[];
  readonly #faults: readonly Fault[];
  readonly #wireFaults: readonly WireFault[];
  readonly #processFaults: readonly ProcessFault[];

  /** `fleetKinds`: for worlds of several shards, if they have others. */
  constructor(
    kinds: readonly MakeWorkload[],
    faults: readonly AnyFault[] = [...allFaults, ...wireFaults, ...processFaults],
    fleetKinds = kinds,
  ) {
    this.#kinds = kinds;
    this.#fleetKinds = fleetKinds;
    this.#faults = allFaults.filter((fault) => faults.includes(fault));
    this.#wireFaults = wireFaults.filter((fault) => faults.includes(fault));
    this.#processFaults = processFaults.filter((fault) => faults.includes(fault));
  }

  async play(
    seed: number,
    {
      choices,
      shards = choices?.shards ?? 1,
      processes = choices?.processes ?? 1,
      hasTimeline = false,
    }: PlaySettings = {},
  ): Promise<Played> {
    const workloadDice = new Dice(2 * seed, choices?.workload ?? null);
    const worldDice = new Dice(2 * seed + 1, choices?.world ?? null);
    const kinds = shards === 1 ? this.#kinds : this.#fleetKinds;
    const workload = crowded((workloadDice.pick(kinds) as MakeWorkload)(workloadDice), workloadDice);
    const timeline = hasTimeline ? new Timeline(virtualStart) : null;
    const feed = new FeedCheck();
    const leases = new LeaseCheck();
    let history = '';
    const play: Play = new Play(scriptOf(workload), {
      dice: worldDice,
      shards,
      processes,
      faults: this.#drawFaults(worldDice, { shards, processes }),
      ...(workload.limits === undefined ? {} : { limits: workload.limits }),
      onCommit: (commit, place) => {
        for (const { runId, hash } of commit.journal) history = play.world.hash(`${history} ${runId} ${hash}`);
        commits.add(commit, place);
        feed.add(commit, place.shard);
        timeline?.addCommit(commit);
      },
      ...(shards > 1 ? { onRead: (event: FeedEvent) => feed.addRead(event) } : {}),
      onAnswer: (answer) => leases.add(answer),
      onOwners: (owners, at) => leases.look({ owners, at, injected: play.world.faults.injected }),
      onCall: (call) => commits.addCall(call),
      onCallEnd: (call) => commits.endCall(call),
      onNote: (note, at) => timeline?.note(note, at),
    });
    const commits = followCommits(play.world);
    const { violation, marks } = await judge(workload, play, { commits, feed, leases });
    return {
      seed,
      kind: workload.kind,
      runs: workload.starts.length,
      isFaulty: play.world.faults.injected.size > 0,
      shards,
      processes,
      choices: { shards, processes, workload: workloadDice.drawn, world: worldDice.drawn },
      violation,
      marks,
      history,
      timeline,
      workload,
    };
  }

  #drawFaults(dice: Dice, { shards, processes }: Pick<Choices, 'shards' | 'processes'>): Faults {
    const drawn: AnyFault[] = drawFaults(dice, this.#faults);
    if (shards > 1) drawn.push(...drawFaults(dice, this.#wireFaults));
    if (processes > 1) drawn.push(...drawFaults(dice, this.#processFaults));
    return new Faults(dice, drawn);
  }

  /** The simplest world that is wrong in the same way: first less chance, then less to do, then less chance again. */
  async simplest({ seed, choices, violation }: Played, triesMax: number): Promise<Played> {
    const { processes } = choices;
    let { shards, workload, world } = choices;
    const isWrong = async (tried: Choices): Promise<boolean> =>
      kindOf((await this.play(seed, { choices: tried })).violation) === kindOf(violation);
    const simplerWorld = (tried: readonly number[]) => isWrong({ shards, processes, workload, world: tried });
    const simplerWorkload = (tried: readonly number[]) => isWrong({ shards, processes, workload: tried, world });
    for (let fewer = 2; fewer < choices.shards; fewer++) {
      if (!(await isWrong({ ...choices, shards: fewer }))) continue;
      shards = fewer;
      break;
    }
    world = await shrink(world, simplerWorld, triesMax);
    workload = await shrink(workload, simplerWorkload, triesMax);
    world = await shrink(world, simplerWorld, triesMax);
    return this.play(seed, { choices: { shards, processes, workload, world }, hasTimeline: true });
  }
}

/** Several runs of the same, which share commits, workers and events. */
function crowded(workload: Workload, dice: Dice): Workload {
  const times = 1 + dice.draw(14);
  return { ...workload, starts: Array.from({ length: times }, () => workload.starts).flat() };
}

/** The same wrong: its invariant, or its first words. */
function kindOf(violation: string | null): string | null {
  return violation && (/\bI\d+\b/.exec(violation)?.[0] ?? violation.replaceAll(/[0-9A-Z]{26}/g, '').slice(0, 30));
}

/** To be read, with the definitions that it is about. */
export function describePlayed({ timeline, workload, violation }: Played): string {
  return [
    violation ?? 'nothing is wrong any more',
    ...workload.definitions.map((definition) => JSON.stringify(definition)),
    formatTimeline(timeline?.entries ?? []),
  ].join('\n');
}
