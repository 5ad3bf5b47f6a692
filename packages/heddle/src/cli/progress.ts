// Progress: shows a person what a run is doing: drawn live on a terminal, as plain lines elsewhere.

import type { RunEvent } from '../index.ts';
import { Board } from './board.ts';
import { drawRun } from './draw-board.ts';
import { eventLine } from './event-lines.ts';
import { LiveView } from './live-view.ts';
import type { Terminal } from './terminal.ts';

export interface Progress {
  readonly board: Board;
  add(event: RunEvent): void;
  /** A sentence in between. */
  say(text: string): void;
  /** Leaves the last picture standing. */
  stop(): void;
}

const rootsDrawnMax = 5;
const namesWidth = 14;

/** `stoppedAt`: since when nothing works on what is shown; null while something does. */
export function showProgress(to: Terminal, stoppedAt: () => number | null = () => null): Progress {
  return to.isLive ? drawProgress(to, stoppedAt) : printProgress(to);
}

function drawProgress(to: Terminal, stoppedAt: () => number | null): Progress {
  const board = new Board();
  const view = new LiveView(to, () => {
    const stopped = stoppedAt();
    const drawing = { to, now: stopped ?? Date.now(), isStopped: stopped !== null };
    const roots = [...board.runs.values()].filter(({ parent }) => parent === null || !board.runs.has(parent.runId));
    const lines = roots.slice(0, rootsDrawnMax).flatMap((run) => drawRun(drawing, run));
    const rest = roots.length - rootsDrawnMax;
    return rest > 0 ? ['', ...lines, to.paint('dim', `  … and ${rest} more runs`)] : ['', ...lines];
  });
  let isOver = false;
  return {
    board,
    add: (event) => {
      board.add(event);
      if (!isOver) view.start();
    },
    say: (text) => view.line(text),
    stop: () => {
      isOver = true;
      view.stop();
    },
  };
}

function printProgress(to: Terminal): Progress {
  const board = new Board();
  const startedAt = Date.now();
  const seconds = (at: number) => `${(Math.max(0, at - startedAt) / 1_000).toFixed(2)} s`.padStart(9);
  return {
    board,
    add: (event) => {
      const line = board.add(event) ? eventLine(board, event) : null;
      if (line) to.line(`${seconds(event.at)}  ${line.subject.padEnd(namesWidth)}  ${line.text}`);
    },
    say: (text) => to.line(text),
    stop: () => undefined,
  };
}

/** For `--quiet`: sentences still come through. */
export function hideProgress(to: Terminal): Progress {
  return { board: new Board(), add: () => undefined, say: (text) => to.line(text), stop: () => undefined };
}
