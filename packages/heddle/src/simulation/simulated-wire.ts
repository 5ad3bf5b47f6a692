// Simulated wire: what brings calls of one shard of a process to another. They are lost, done without an answer, done twice,
// late and overtaken, as a host with a network between its shards would do it.
//
// Always true: what is refused here may have been done; nothing is brought in a process that has ended.

import type { ShardPeer } from '../engine/peers.ts';
import { askPeer, peerLike } from '../fleet/peer-like.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Life, Schedule } from './schedule.ts';
import { simulatedFault } from './simulated-fault.ts';

interface WireWorld {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
}

const delaysMs = [0, 10, 200, 3_000] as const;

export function simulatedWire(life: Life, world: WireWorld): (peer: ShardPeer) => ShardPeer {
  const wire = new Wire(life, world);
  return (peer) =>
    peerLike(
      (name) =>
        (...args) =>
          wire.bring(() => askPeer(peer, name, args)),
    );
}

class Wire {
  readonly #life: Life;
  readonly #world: WireWorld;

  constructor(life: Life, world: WireWorld) {
    this.#life = life;
    this.#world = world;
  }

  // SM11: a call may fail or be late, be done without an answer, or twice; never in a process that has ended.
  async bring<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const { faults } = this.#world;
    if (faults.strikes('late-call')) await this.#pause();
    if (faults.strikes('lost-call')) return this.#lose();
    if (faults.strikes('doubled-call')) void this.#pause().then(call).catch(unheard);
    const isReplyLost = faults.strikes('lost-reply');
    const answer = await call();
    if (isReplyLost) return this.#lose();
    if (faults.strikes('late-call')) await this.#pause();
    return answer;
  }

  /** Whoever has called waits for a while before they take it for lost. */
  async #lose(): Promise<never> {
    await this.#pause();
    throw simulatedFault(
      'STORE_IN_DOUBT',
      'Another shard did not answer, and nobody knows whether it has done its part',
    );
  }

  #pause(): Promise<void> {
    const { schedule, dice } = this.#world;
    const at = schedule.now + dice.pick(delaysMs);
    return new Promise((resolve) => void schedule.at(at, this.#life, resolve));
  }
}

/** The one who asked hears the other answer. */
const unheard = (): void => undefined;
