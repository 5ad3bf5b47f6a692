// Post: the engine as a client of a shared fleet has it: whichever process lives. Whoever does not answer in time is asked no
// longer, where asking another one changes nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Askable } from '../kill/client.ts';
import type { EngineProcess } from '../kill/processes.ts';
import type { Answer, Operation, Question } from '../kill/protocol.ts';
import { isAway } from './is-away.ts';
import type { Opening } from './protocol.ts';

const patienceMs = 3_000;
/** Whoever finds nobody there asks again so much later. */
const nobodyMs = 200;
/** These have no key: each that was sent may be done. */
const isOnce: ReadonlySet<string> = new Set(['pause', 'resume', 'cancel', 'delete']);

export class Post implements Askable {
  /** Those that are open, or were when they were last heard of. */
  readonly #open: () => readonly EngineProcess<Opening>[];
  readonly #dice: Dice;
  /** How many answers there were. */
  answers = 0;

  constructor(open: () => readonly EngineProcess<Opening>[], dice: Dice) {
    this.#open = open;
    this.#dice = dice;
  }

  async ask(ask: Operation | Question): Promise<Answer | null> {
    const engine = this.#dice.pick(this.#open());
    const answer = engine && (await (isOnce.has(ask.type) ? engine.ask(ask) : within(engine.ask(ask))));
    if (!answer || ('refusal' in answer && isAway(answer.refusal))) {
      await sleep(nobodyMs);
      return null;
    }
    this.answers++;
    return answer;
  }
}

function within(answer: Promise<Answer | null>): Promise<Answer | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), patienceMs);
    void answer.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
