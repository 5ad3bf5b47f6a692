// Live view: a few lines at the bottom of a terminal that are drawn again and again, with ordinary lines above them.
//
// Always true: the cursor stands below the view; however the process ends, the cursor is visible again.

import type { Terminal } from './terminal.ts';

const frameMs = 80;
const [hideCursor, showCursor, clearBelow] = ['\u001b[?25l', '\u001b[?25h', '\u001b[0J'];

export class LiveView {
  readonly #to: Terminal;
  readonly #draw: () => readonly string[];
  #timer: NodeJS.Timeout | null = null;
  #height = 0;
  readonly #showCursor = () => this.#to.write(showCursor);

  constructor(to: Terminal, draw: () => readonly string[]) {
    this.#to = to;
    this.#draw = draw;
  }

  start(): void {
    if (this.#timer) return;
    this.#to.write(hideCursor);
    process.once('exit', this.#showCursor);
    this.#timer = setInterval(() => this.#redraw(), frameMs);
    this.#redraw();
  }

  /** A line that stays, above the view. */
  line(text: string): void {
    this.#to.write(`${this.#rewind()}${text}\n`);
    this.#height = 0;
    if (this.#timer) this.#redraw();
  }

  /** Draws for the last time and leaves it there. */
  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#redraw();
    this.#height = 0;
    process.removeListener('exit', this.#showCursor);
    this.#to.write(showCursor);
  }

  #redraw(): void {
    const { columns, rows } = this.#to;
    const drawn = this.#draw();
    const heightMax = Math.max(1, rows - 2);
    const lines =
      drawn.length <= heightMax
        ? drawn
        : [...drawn.slice(0, heightMax - 1), `  … ${drawn.length - heightMax + 1} more lines`];
    this.#to.write(this.#rewind() + lines.map((line) => `${cut(line, columns - 1)}\n`).join(''));
    this.#height = lines.length;
  }

  #rewind(): string {
    return this.#height > 0 ? `\u001b[${this.#height}A\r${clearBelow}` : '';
  }
}

/** Cuts to what fits on a line, counting what is seen only. */
function cut(line: string, widthMax: number): string {
  let width = 0;
  let text = '';
  for (const [part] of line.matchAll(/\p{Cc}\[[0-9;]*m|./gsu)) {
    const isVisible = !part.startsWith('\u001b');
    if (isVisible && width >= widthMax) continue;
    if (isVisible) width++;
    text += part;
  }
  return text;
}
