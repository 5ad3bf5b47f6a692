// What a board shows and tells of the events of real runs, with ids, times and spinners left out.

import type { RunEvent } from 'heddle';
import { virtualStart } from 'heddle/testing';
import { Board } from './board.ts';
import { drawRun } from './draw-board.ts';
import { eventLine } from './event-lines.ts';
import type { Terminal } from './terminal.ts';

const plain: Terminal = {
  isLive: true,
  columns: 80,
  rows: 24,
  write: () => undefined,
  line: () => undefined,
  paint: (_, text) => text,
};

/** Ids, times and places of a real run differ from one to the next. */
const settled = (line: string) =>
  line
    .replace(/\b01\w{24}\b/g, 'RUN')
    .replace(/ *\d+ ms/g, '')
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '*')
    .trimEnd();

export function follow(events: readonly RunEvent[]): { readonly board: Board; readonly lines: readonly string[] } {
  const board = new Board();
  const lines: string[] = [];
  for (const event of events) {
    const line = board.add(event) ? eventLine(board, event) : null;
    if (line) lines.push(settled(`${line.subject}: ${line.text}`));
  }
  return { board, lines };
}

export function draw(board: Board): string[] {
  const [root] = board.runs.values();
  return root ? drawRun({ to: plain, now: virtualStart, isStopped: false }, root).map(settled) : [];
}
