// Processes: servers and workers as the supervisor has them at hand: started beforehand, since a start takes longer than
// most of them live; told to begin; killed.
//
// Always true: every process that was started here has ended, or is killed by `endAll`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Line, Order } from './protocol.ts';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to stderr: nothing, if all is well. */
  readonly complaint: string;
}

export class Mortal {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** When it has begun: false if it ended before. */
  readonly ready: Promise<boolean>;
  hasEnded = false;
  /** What nobody foresaw. */
  onBroken: (message: string) => void = () => undefined;
  readonly #child: ChildProcess;
  #onReady: (isReady: boolean) => void = () => undefined;

  constructor(program: string) {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.ready = new Promise((resolve) => {
      this.#onReady = resolve;
    });
    child.stdin.on('error', () => undefined); // Its reader was killed.
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => this.#hear(JSON.parse(line) as Line)); // A process writes its lines in one piece.
    let complaint = '';
    child.stderr.on('data', (data: Buffer) => {
      complaint += data.toString();
    });
    this.ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => {
      this.hasEnded = true;
      this.#onReady(false);
      return { code: child.exitCode, signal: child.signalCode, complaint };
    });
  }

  order(order: Order): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  /** SIGKILL: no handler, no flush, no farewell. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  #hear(line: Line): void {
    if (line.type === 'ready') this.#onReady(true);
    if (line.type === 'broken') this.onBroken(line.message);
  }
}

/** One more than is wanted is always on its way. */
export class Nursery {
  readonly #program: string;
  readonly #all = new Set<Mortal>();
  #next: Mortal;

  constructor(program: string) {
    this.#program = program;
    this.#next = this.#start();
  }

  take(): Mortal {
    const taken = this.#next;
    this.#next = this.#start();
    return taken;
  }

  async endAll(): Promise<void> {
    for (const each of this.#all) each.signal('SIGKILL');
    await Promise.all(Array.from(this.#all, ({ ended }) => ended));
  }

  #start(): Mortal {
    const started = new Mortal(this.#program);
    this.#all.add(started);
    void started.ended.then(() => this.#all.delete(started));
    return started;
  }
}
