// Draw bar: a share of a whole, as a bar in eighths of a letter, and in per cent.

import type { Terminal } from './terminal.ts';

const width = 20;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** `fraction` is from 0 to 1. */
export function drawBar(to: Terminal, fraction: number): string {
  const share = Math.max(0, Math.min(1, fraction));
  const filled = Math.floor(share * width * 8);
  const bar = '█'.repeat(Math.floor(filled / 8)) + (eighths[filled % 8] ?? '');
  const rest = '░'.repeat(width - bar.length);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${to.paint('cyan', bar)}${to.paint('dim', rest)} ${percent}`;
}
