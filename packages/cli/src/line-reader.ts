// Line reader: questions to whoever sits at the terminal, one line of answer each.
//
// Always true: what was typed ahead, or pasted, answers the questions that follow.

import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './command-error.ts';

export class LineReader {
  readonly #reader: Interface;
  readonly #isUnseen: boolean;
  readonly #lines: string[] = [];
  #waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | null = null;
  #isOver = false;

  /** What is typed unseen is not echoed. */
  constructor({ isUnseen = false }: { readonly isUnseen?: boolean } = {}) {
    this.#isUnseen = isUnseen;
    const output = isUnseen ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
    this.#reader = createInterface({ input: process.stdin, output, terminal: true });
    this.#reader.on('line', (line) => {
      if (isUnseen) process.stderr.write('\n');
      if (this.#waiting === null) this.#lines.push(line);
      else this.#waiting.resolve(line);
      this.#waiting = null;
    });
    // Ctrl-C, and the end of what there is to read.
    this.#reader.on('SIGINT', () => this.#reader.close());
    this.#reader.on('close', () => {
      this.#isOver = true;
      this.#waiting?.reject(notAnswered());
    });
  }

  ask(question: string): Promise<string> {
    if (this.#isUnseen) process.stderr.write(question);
    this.#reader.setPrompt(question);
    this.#reader.prompt();
    const line = this.#lines.shift();
    if (line !== undefined && !this.#isUnseen) process.stderr.write(`${line}\n`);
    if (line !== undefined) return Promise.resolve(line);
    if (this.#isOver) return Promise.reject(notAnswered());
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  close(): void {
    this.#reader.close();
  }
}

function notAnswered(): CommandError {
  return new CommandError('NOT_ANSWERED', 'Expected an answer, but none was given; nothing changed.');
}
