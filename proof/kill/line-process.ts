// LineProcess: a process that is killed, as whoever kills it has it: it is told and tells in lines of JSON. And where
// they come from: started beforehand, since a start takes longer than most of them live.
//
// Always true: every process that a nursery started has ended, or is killed by `endAll`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to stderr: nothing, if all is well. */
  readonly complaint: string;
}

export class LineProcess<Order, Line> {
  readonly pid: number;
  /** Of which program it is. */
  readonly program: string;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<(line: Line) => void>();
  #hasEnded = false;

  constructor(program: string) {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.program = path.basename(program, '-whole.mjs');
    child.stdin.on('error', () => undefined); // Its reader was killed.
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => this.#hear(JSON.parse(line) as Line)); // A process writes its lines in one piece.
    let complaint = '';
    child.stderr.on('data', (data: Buffer) => {
      complaint += data.toString();
    });
    this.ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => {
      this.#hasEnded = true;
      return { code: child.exitCode, signal: child.signalCode, complaint };
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  order(order: Order): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  /** Whatever it says; the answer ends it. */
  listen(listener: (line: Line) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** SIGKILL: no handler, no flush, no farewell. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  #hear(line: Line): void {
    for (const listener of this.#listeners) listener(line);
  }
}

/** One more than is wanted is always on its way. */
export class Nursery<Each extends Pick<LineProcess<never, never>, 'signal' | 'ended'>> {
  readonly #begin: () => Each;
  readonly #all = new Set<Each>();
  #next: Each;

  constructor(begin: () => Each) {
    this.#begin = begin;
    this.#next = this.#start();
  }

  take(): Each {
    const taken = this.#next;
    this.#next = this.#start();
    return taken;
  }

  async endAll(): Promise<void> {
    for (const each of this.#all) each.signal('SIGKILL');
    await Promise.all(Array.from(this.#all, ({ ended }) => ended));
  }

  #start(): Each {
    const started = this.#begin();
    this.#all.add(started);
    void started.ended.then(() => this.#all.delete(started));
    return started;
  }
}
