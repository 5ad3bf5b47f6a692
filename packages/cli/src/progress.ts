// Progress: shows a person what a run is doing: drawn live on a terminal, as plain lines elsewhere.

import type { RunEvent, TaskProgress } from 'heddle';
import { Board, type TokenProgress } from './board.ts';
import { drawRun } from './draw-board.ts';
import { type EventLine, eventLine, subjectOf } from './event-lines.ts';
import { LiveView } from './live-view.ts';
import { shortened, type Terminal } from './terminal.ts';
import { inTimeOrder } from './time-order.ts';

export interface Progress {
  readonly board: Board;
  add(event: RunEvent): void;
  /** How far a task says that it is. */
  tell(progress: TaskProgress): void;
  /** A sentence in between. */
  say(text: string): void;
  /** Leaves the last picture standing. */
  stop(): void;
}

const rootsDrawnMax = 5;
const namesWidth = 14;
/** How much later than others the events of a run may come and still be told in the order of time. */
const heldMs = 250;

export interface Showing {
  /** Since when nothing works on what is shown; null while something does. */
  readonly stoppedAt?: () => number | null;
  /** From when on the times of plain lines count. Default: now. */
  readonly startedAt?: number;
}

export function showProgress(to: Terminal, { stoppedAt = () => null, startedAt }: Showing = {}): Progress {
  return to.isLive ? drawProgress(to, stoppedAt) : printProgress(to, startedAt ?? Date.now());
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
    tell: (progress) => void board.tell(progress),
    say: (text) => view.line(text),
    stop: () => {
      isOver = true;
      view.stop();
    },
  };
}

function printProgress(to: Terminal, startedAt: number): Progress {
  const board = new Board();
  const seconds = (at: number) => `${(Math.max(0, at - startedAt) / 1_000).toFixed(2)} s`.padStart(9);
  let held: { readonly event: RunEvent; readonly line: EventLine | null }[] = [];
  let timer: NodeJS.Timeout | null = null;
  const tell = (until: number) => {
    const ready = held.filter(({ event }) => event.at <= until);
    held = held.filter(({ event }) => event.at > until);
    for (const { event, line } of inTimeOrder(ready))
      if (line) to.line(`${seconds(event.at)}  ${line.subject.padEnd(namesWidth)}  ${line.text}`);
    if (timer) clearTimeout(timer);
    timer = held.length === 0 ? null : setTimeout(() => tell(Date.now() - heldMs), heldMs / 2);
  };
  const tellAll = () => tell(Number.POSITIVE_INFINITY);
  const steps = new Steps();
  return {
    board,
    add: (event) => {
      if (board.add(event)) held.push({ event, line: eventLine(board, event) });
      timer ??= setTimeout(() => tell(Date.now() - heldMs), heldMs / 2);
    },
    tell: (progress) => {
      const token = board.tell(progress);
      if (token === null || !steps.isNew(`${progress.runId}/${token.id}`, progress)) return;
      tellAll();
      to.line(`${seconds(progress.at)}  ${subjectOf(token).padEnd(namesWidth)}  ${describeStep(progress)}`);
    },
    say: (text) => {
      tellAll();
      to.line(text);
    },
    stop: tellAll,
  };
}

/** Of how far a task is, a line for each tenth and for each new message. */
class Steps {
  readonly #last = new Map<string, string>();

  isNew(key: string, { fraction, message }: TokenProgress): boolean {
    const step = `${fraction === null ? '' : Math.floor(fraction * 10)} ${message ?? ''}`;
    if (this.#last.get(key) === step) return false;
    this.#last.set(key, step);
    return true;
  }
}

/** `42 %  frame 42`. */
export function describeStep({ fraction, message }: TokenProgress): string {
  const share = fraction === null ? [] : [`${Math.floor(fraction * 100)} %`];
  return [...share, ...(message === null ? [] : [shortened(message, 200)])].join('  ');
}

/** For `--quiet`: sentences still come through. */
export function hideProgress(to: Terminal): Progress {
  return {
    board: new Board(),
    add: () => undefined,
    tell: () => undefined,
    say: (text) => to.line(text),
    stop: () => undefined,
  };
}
