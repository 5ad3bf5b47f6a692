// Death: the named points at which the engine's process is killed. Most of them the process comes to by itself, and kills
// itself with the signal that nobody can handle; those inside SQLite's own code are announced, and the supervisor kills.
//
// Always true: without an order to die nothing here does anything; what is counted is counted in this process alone.

import { writeSync } from 'node:fs';
import type { Line } from './protocol.ts';

/** By name: where the process then is. */
const points = {
  opening: 'while the file is opened, or made',
  recovering: 'while the engine looks for what was left',
  'recovery-commit': 'in the transaction that takes back what was lost',
  'before-transaction': 'before a transaction',
  'in-transaction': 'between two statements of a transaction',
  'before-commit': 'at the end of a transaction, before its commit',
  committing: 'inside a commit',
  'after-commit': 'after a commit, before anything that follows from it',
  'before-dispatch': 'after the commit of a hand-out, before the task is handed out',
  'before-reply': 'after the commit, before the client is answered',
  'before-effect': 'after the hand-out, before the effect',
  'after-effect': 'after the effect, before its result is reported',
  snapshot: 'in the transaction of a snapshot',
  checkpoint: 'inside a checkpoint of the write-ahead log',
  'file-made': 'after a file for an artifact (or the key) was made, before it is written',
  'file-written': 'after an artifact (or the key) was written, before it is synced',
  'file-synced': 'before an artifact (or the key) gets its name',
  'file-renamed': 'after an artifact (or the key) got its name, before the folder is synced',
  deleting: 'in the transaction that removes a run',
  removing: 'in one that removes what a deleted run has left',
  'removing-file': 'before an artifact is removed that nobody has any more',
  'backup-begun': 'after the database was copied for a backup, before anything else was',
  'backup-unnamed': 'after everything was copied for a backup, before it gets its name',
  closing: 'while the engine closes',
  'closing-file': 'while the file is closed',
} as const;

/** Of a fleet of several shards. */
const fleetPoints = {
  'between-shards': 'after a commit of one shard, before the next of another',
  'letter-posting': 'in the transaction that posts a letter',
  'letter-posted': 'after that, before the letter is sent',
  'letter-arriving': 'in the transaction that receives a letter, with its effect',
  'letter-arrived': 'after that, before its sender hears so',
  'letter-leaving': 'in the transaction that removes a letter that has arrived',
  'mark-leaving': 'in the transaction that removes the marks of letters',
  'copy-noted': 'in the transaction that notes that a backup begins, or that it has ended',
  'copy-named': 'after the copy of one shard got its name, before that of the next',
} as const;

export const allPoints = { ...points, ...fleetPoints };

export type Point = keyof typeof allPoints;

export const pointNames = Object.keys(points) as readonly Point[];
export const fleetPointNames = Object.keys(allPoints) as readonly Point[];

export interface Dying {
  readonly point: Point;
  /** The how-manieth time that the process comes there. */
  readonly count: number;
}

/** Out at once: what was said before a kill has been heard. */
export const say = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);

export class Death {
  /** What the process is about. */
  phase: 'opening' | 'recovering' | 'working' | 'closing' = 'opening';
  /** The file that was committed to last. */
  #committed: string | null = null;
  readonly #point: Point | null;
  #left: number;

  constructor(dying: Dying | null) {
    this.#point = dying?.point ?? null;
    this.#left = dying?.count ?? 0;
  }

  /** Does not return, if it is time. */
  reach(point: Point): void {
    if (!this.#isTime(point)) return;
    say({ type: 'at', outside: false });
    process.kill(process.pid, 'SIGKILL');
  }

  /** One more step of what it is about. */
  step(): void {
    if (this.phase !== 'working') this.reach(this.phase);
  }

  /** A commit to one of several files begins. */
  beginCommit(file: string): void {
    if (this.#committed !== null && this.#committed !== file) this.reach('between-shards');
    this.#committed = file;
  }

  /** If it is time, says so and goes on, into code that cannot be stopped from here: the supervisor kills. */
  announce(point: Point, prepare?: () => void): boolean {
    if (!this.#isTime(point)) return false;
    prepare?.();
    say({ type: 'at', outside: true });
    return true;
  }

  #isTime(point: Point): boolean {
    return this.#point === point && --this.#left === 0;
  }
}
