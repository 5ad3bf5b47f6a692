import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveView } from './live-view.ts';
import type { Terminal } from './terminal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A screen that understands the few things that a view says to it. */
function screen(columns: number, rows: number) {
  const lines: string[] = [''];
  let isCursorVisible = true;
  const write = (text: string) => {
    for (const [part] of text.matchAll(/\p{Cc}\[[?0-9;]*[A-Za-z]|./gsu)) {
      if (part.endsWith('A') && part.startsWith('\u001b')) lines.length -= Number(/\d+/.exec(part)?.[0]);
      else if (part === '\u001b[0J') lines[lines.length - 1] = '';
      else if (part === '\u001b[?25l') isCursorVisible = false;
      else if (part === '\u001b[?25h') isCursorVisible = true;
      else if (part === '\n') lines.push('');
      else if (part !== '\r' && !part.startsWith('\u001b')) lines[lines.length - 1] += part;
    }
  };
  const terminal: Terminal = {
    isLive: true,
    columns,
    rows,
    write,
    line: (text) => write(`${text}\n`),
    paint: (_, text) => text,
  };
  return { terminal, shown: () => lines, isCursorVisible: () => isCursorVisible };
}

test('draws again in place, keeps lines above, and leaves the last picture', () => {
  let frame = 0;
  const { terminal, shown, isCursorVisible } = screen(20, 10);
  const view = new LiveView(terminal, () => [`frame ${frame}`, ...(frame > 1 ? ['more'] : [])]);
  view.start();
  expect([shown(), isCursorVisible()]).toEqual([['frame 0', ''], false]);
  frame = 2;
  vi.advanceTimersByTime(100);
  expect(shown()).toEqual(['frame 2', 'more', '']);
  view.line('a note');
  expect(shown()).toEqual(['a note', 'frame 2', 'more', '']);
  frame = 1;
  view.stop();
  expect([shown(), isCursorVisible()]).toEqual([['a note', 'frame 1', ''], true]);
  vi.advanceTimersByTime(1_000);
  expect(shown()).toEqual(['a note', 'frame 1', '']);
});

test('never draws more than fits, and cuts long lines without cutting colours', () => {
  const { terminal, shown } = screen(10, 6);
  const view = new LiveView(terminal, () => ['\u001b[31m0123456789abc\u001b[39m', 'b', 'c', 'd', 'e']);
  view.start();
  view.stop();
  expect(shown()).toEqual(['012345678', 'b', 'c', '  … 2 mor', '']);
});
