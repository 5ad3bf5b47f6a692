// Processes: engine processes as the supervisor has them at hand: told to open; asked; killed.
//
// Always true: whatever is asked is answered, with null if the process ends before.

import { LineProcess } from './line-process.ts';
import type { Place } from './place.ts';
import type { Answer, Line, Opening, Operation, Order, Question } from './protocol.ts';

export interface Files {
  readonly place: Place;
  readonly effects: string;
}

export class EngineProcess<Opens = Opening> extends LineProcess<Order<Opens>, Line> {
  readonly #asked = new Map<number, (answer: Answer | null) => void>();
  #asks = 0;

  constructor(program: string) {
    super(program);
    this.listen((line) => {
      if (line.type === 'answer') this.#answer(line.id, line.answer);
    });
    void this.ended.then(() => {
      for (const id of this.#asked.keys()) this.#answer(id, null);
    });
  }

  open(opening: Opens): void {
    this.order({ type: 'open', ...opening });
  }

  /** Null if it ended without an answer. */
  ask(ask: Operation | Question): Promise<Answer | null> {
    const id = ++this.#asks;
    return new Promise((resolve) => {
      if (this.hasEnded) return resolve(null);
      this.#asked.set(id, resolve);
      this.order({ type: 'ask', id, ask });
    });
  }

  close(graceMs: number): void {
    this.order({ type: 'close', graceMs });
  }

  #answer(id: number, answer: Answer | null): void {
    this.#asked.get(id)?.(answer);
    this.#asked.delete(id);
  }
}
