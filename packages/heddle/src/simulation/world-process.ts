// World process: the place of one process in a world. Whatever happens to the process that is there (it dies, is cut off, gives a
// store up, is restarted), another takes its place.
//
// Always true: one process at a time is open here, but for one that was cut off and does not know.

import type { Engine } from '../engine/engine.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { type Schedule, worldLife } from './schedule.ts';
import type { ProcessLife } from './simulated-store.ts';

/** An engine while it lives. */
export interface OpenProcess {
  readonly engine: Engine;
  readonly life: ProcessLife;
  /** Answers when it has died. */
  readonly death: Promise<typeof died>;
}

export const died = Symbol('died');

export interface PlaceOptions {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly note: (note: string) => void;
  /** Opens an engine; null if a store failed. */
  readonly start: (life: ProcessLife, place: WorldProcess) => Promise<Engine | null>;
  /** It is open. */
  readonly onOpen: (process: OpenProcess) => void;
  /** How long one that was cut off goes on. */
  readonly zombieMs: number;
}

export class WorldProcess {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  /** By how much its clock stands wrong now. */
  skewMs = 0;
  /** How many processes there were here. */
  lives = 0;
  readonly #options: PlaceOptions;
  #open: OpenProcess | null = null;
  #life: ProcessLife | null = null;
  /** The newest that has given a store up, or left it out. */
  #givenUp: ProcessLife | null = null;
  #die: () => void = () => undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
    this.schedule = options.schedule;
    this.faults = options.faults;
    this.dice = options.dice;
  }

  /** Null while there is none, or it is not open yet. */
  get current(): OpenProcess | null {
    return this.#open;
  }

  /** A process is started, and started again until it is open. */
  async open(): Promise<void> {
    for (;;) {
      const life: ProcessLife = { hasEnded: false, isZombie: false, isOpen: false };
      this.#life = life;
      this.lives++;
      const death = new Promise<typeof died>((resolve) => {
        this.#die = () => resolve(died);
      });
      const engine = await Promise.race([this.#options.start(life, this), death]);
      if (engine !== died && engine !== null && !life.hasEnded) {
        life.isOpen = true;
        this.#open = { engine, life, death };
        this.#options.onOpen(this.#open);
        if (this.#givenUp === life) this.leaveSoon(life);
        return;
      }
      await new Promise<void>((resolve) => this.schedule.at(this.schedule.now + 50, worldLife, resolve));
    }
  }

  /** The process dies, or is cut off and continues for a while as if it were alone. */
  crash(): void {
    const life = this.#life;
    if (life === null || life.hasEnded || life.isZombie) return;
    if (this.faults.strikes('zombie')) {
      life.isZombie = true;
      this.schedule.at(this.schedule.now + this.#options.zombieMs, worldLife, () => {
        life.hasEnded = true;
      });
    }
    this.#end(life);
  }

  /** Of its own accord, at a write or as it opens. */
  die(life: ProcessLife): void {
    // One that was replaced has its successor already.
    if (life.isZombie) life.hasEnded = true;
    else this.#end(life);
  }

  /** It stands still, and does not know that time passes. */
  standStill(ms: number): void {
    if (this.#life === null || this.#open === null) return;
    this.#options.note('the engine stands still');
    this.#life.stillUntil = this.schedule.now + ms;
  }

  /** It is closed as a program does at its end, and started again. */
  async restart(): Promise<void> {
    const process = this.#open;
    if (process === null) return;
    this.#options.note('the engine is restarted');
    this.#open = null;
    const { engine, life, death } = process;
    // A store that fails is no reason to stay.
    await Promise.race([engine.close({ graceMs: 0 }).catch(() => undefined), death]);
    if (!life.hasEnded && !life.isZombie) this.#end(life);
  }

  /** A store was given up, or left out: the other shards of the process go on for a while. */
  giveUp(life: ProcessLife): void {
    this.#givenUp = life;
  }

  leaveSoon(life: ProcessLife): void {
    const delayMs = this.dice.pick([0, 100, 5_000]);
    this.schedule.at(this.schedule.now + delayMs, worldLife, () => this.leave(life));
  }

  leave(life: ProcessLife): void {
    if (!life.isOpen || life.hasEnded || life.isZombie) return;
    this.#end(life);
  }

  #end(life: ProcessLife): void {
    if (!life.isZombie) life.hasEnded = true;
    this.#options.note('the engine dies');
    const wasOpen = life.isOpen;
    this.#open = null;
    this.#die();
    if (wasOpen) this.schedule.at(this.schedule.now + this.dice.pick([0, 10, 1000]), worldLife, () => void this.open());
  }
}
