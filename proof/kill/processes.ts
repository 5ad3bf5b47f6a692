// Processes: engine processes as the supervisor has them at hand: started beforehand, since a start takes longer than
// most of them live; told to open; asked; killed.
//
// Always true: every process that was started here has ended, or is killed by `endAll`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Dying } from './death.ts';
import type { Answer, Line, Operation, Order, Question } from './protocol.ts';

export interface Files {
  readonly file: string;
  readonly effects: string;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to stderr: nothing, if all is well. */
  readonly complaint: string;
}

export class EngineProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (answer: Answer | null) => void>();
  readonly #listeners = new Set<(line: Line) => void>();
  #asks = 0;
  #hasEnded = false;

  constructor(program: string) {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.stdin.on('error', () => undefined); // Its reader was killed.
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => this.#hear(JSON.parse(line) as Line)); // A process writes its lines in one piece.
    let complaint = '';
    child.stderr.on('data', (data: Buffer) => {
      complaint += data.toString();
    });
    this.ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => {
      this.#hasEnded = true;
      for (const answer of this.#asked.values()) answer(null);
      this.#asked.clear();
      return { code: child.exitCode, signal: child.signalCode, complaint };
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  open(files: Files, dying: Dying | null): void {
    this.#order({ type: 'open', ...files, dying });
  }

  /** Null if it ended without an answer. */
  ask(ask: Operation | Question): Promise<Answer | null> {
    const id = ++this.#asks;
    return new Promise((resolve) => {
      if (this.#hasEnded) return resolve(null);
      this.#asked.set(id, resolve);
      this.#order({ type: 'ask', id, ask });
    });
  }

  close(graceMs: number): void {
    this.#order({ type: 'close', graceMs });
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

  #order(order: Order): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  #hear(line: Line): void {
    if (line.type === 'answer') {
      this.#asked.get(line.id)?.(line.answer);
      this.#asked.delete(line.id);
    }
    for (const listener of this.#listeners) listener(line);
  }
}

/** One more than is wanted is always on its way. */
export class Nursery {
  readonly #program: string;
  readonly #all = new Set<EngineProcess>();
  #next: EngineProcess;

  constructor(program: string) {
    this.#program = program;
    this.#next = this.#start();
  }

  take(): EngineProcess {
    const taken = this.#next;
    this.#next = this.#start();
    return taken;
  }

  async endAll(): Promise<void> {
    for (const each of this.#all) each.signal('SIGKILL');
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  #start(): EngineProcess {
    const started = new EngineProcess(this.#program);
    this.#all.add(started);
    void started.ended.then(() => this.#all.delete(started));
    return started;
  }
}
