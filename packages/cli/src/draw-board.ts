// Draw board: a run as a few lines of text. A line for each node in the order of the first visit, on it a sign for each
// token, and below a node the runs that it called.

import type { BoardNode, BoardRun, BoardToken, Phase } from './board.ts';
import { duration, printable, type Style, shortened, statusStyles, type Terminal } from './terminal.ts';

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const signs: Readonly<Record<Phase, readonly [string, Style]>> = {
  ready: ['·', 'dim'],
  running: ['●', 'cyan'],
  retrying: ['↻', 'yellow'],
  asking: ['?', 'magenta'],
  waiting: ['◷', 'blue'],
  arrived: ['◷', 'blue'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  cancelled: ['⊘', 'dim'],
};
/** The phase that a node with several tokens shows: the first of these that one of them is in. */
const mostTelling: readonly Phase[] = [
  'asking',
  'running',
  'retrying',
  'failed',
  'waiting',
  'arrived',
  'ready',
  'completed',
  'cancelled',
];
const inReadingOrder: readonly Phase[] = [
  'completed',
  'running',
  'retrying',
  'asking',
  'waiting',
  'arrived',
  'failed',
  'cancelled',
  'ready',
];
const tokensDrawnMax = 40;
const childrenDrawnMax = 3;

interface Drawing {
  readonly to: Terminal;
  readonly now: number;
  /** Nothing works on it. */
  readonly isStopped: boolean;
}

export function drawRun(drawing: Drawing, run: BoardRun, indent = '  '): string[] {
  const { to, now } = drawing;
  const nodes = [...run.nodes.values()];
  const width = Math.min(30, Math.max(8, ...nodes.map(({ id }) => id.length)));
  const lines = [headOf(drawing, run, indent)];
  for (const node of nodes) {
    lines.push(drawNode({ ...drawing, now: run.endedAt ?? now }, node, { indent: `${indent}  `, width }));
    const { called } = node;
    for (const child of called.slice(0, childrenDrawnMax)) lines.push(...drawRun(drawing, child, `${indent}      `));
    const rest = called.length - childrenDrawnMax;
    if (rest > 0) lines.push(to.paint('dim', `${indent}      … and ${rest} more sub-runs`));
  }
  return lines;
}

function headOf({ to, now, isStopped }: Drawing, run: BoardRun, indent: string): string {
  const time = to.paint('dim', duration((run.endedAt ?? now) - run.startedAt));
  const isLeft = isStopped && run.endedAt === null;
  const status = isLeft
    ? to.paint('red', 'no process is working on it')
    : to.paint(statusStyles[run.status] ?? 'cyan', run.status);
  return `${indent}${to.paint('bold', `${run.workflow} v${run.version}`)}  ${to.paint('dim', run.runId)}  ${status}  ${time}`;
}

function drawNode(drawing: Drawing, node: BoardNode, { indent, width }: { indent: string; width: number }): string {
  const tokens = [...node.visits, ...node.arrivals];
  const name = shortened(node.id, width).padEnd(width);
  const strip = tokens.length + node.expected > 1 ? `${drawStrip(drawing, tokens, node.expected)}  ` : '';
  return `${indent}${drawSign(drawing, phaseOf(tokens))} ${name}  ${strip}${describe(drawing, tokens, node)}`.trimEnd();
}

function phaseOf(tokens: readonly BoardToken[]): Phase {
  return mostTelling.find((phase) => tokens.some((token) => token.phase === phase)) ?? 'ready';
}

function drawSign({ to, now, isStopped }: Drawing, phase: Phase): string {
  const [sign, style] = signs[phase];
  if (isStopped && phase === 'running') return to.paint('red', '✗');
  return to.paint(style, phase === 'running' ? (spinner[Math.floor(now / 80) % spinner.length] ?? sign) : sign);
}

/** A sign for each token; for many, how many are in which phase. */
function drawStrip({ to }: Drawing, tokens: readonly BoardToken[], expected: number): string {
  const draw = (phase: Phase) => to.paint(signs[phase][1], signs[phase][0]);
  if (tokens.length + expected <= tokensDrawnMax) {
    const inOrder = tokens.toSorted((a, b) => (a.branch ?? 0) - (b.branch ?? 0));
    return inOrder.map(({ phase }) => draw(phase)).join('') + to.paint('dim', '·'.repeat(expected));
  }
  const counts = new Map<Phase, number>(expected > 0 ? [['ready', expected]] : []);
  for (const { phase } of tokens) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  const phases = inReadingOrder.filter((phase) => counts.has(phase));
  return phases.map((phase) => `${draw(phase)} ${counts.get(phase)?.toLocaleString('en')}`).join('  ');
}

/** The one thing about a node that is worth a few words. */
function describe(
  { to, now }: Drawing,
  tokens: readonly BoardToken[],
  { expected, done, arrivals }: BoardNode,
): string {
  const asking = tokens.find(({ phase }) => phase === 'asking');
  if (asking) return to.paint('magenta', shortened(asking.note ?? '', 60));
  const failed = tokens.find(({ phase }) => phase === 'failed');
  if (failed?.error) return to.paint('red', shortened(`${failed.error.code}: ${failed.error.message}`, 60));
  const retrying = tokens.find(({ phase }) => phase === 'retrying');
  if (retrying) return to.paint('yellow', describeRetry(retrying, now));
  const told = describeProgress(to, tokens);
  if (told !== null) return told;
  const again = tokens.find(({ phase, attempt }) => phase === 'running' && attempt > 1);
  if (again) return to.paint('yellow', `attempt ${again.attempt}`);
  if (tokens.some(({ phase, wasLost }) => phase === 'running' && wasLost))
    return to.paint('yellow', 'interrupted, handed out again');
  if (arrivals.size > 0) return to.paint('dim', 'waiting for the others');
  const waiting = tokens.find(({ phase }) => phase === 'waiting');
  if (waiting?.wakesAt) return to.paint('dim', `wakes in ${duration(Math.max(0, waiting.wakesAt - now))}`);
  if (waiting?.note) return to.paint('dim', shortened(waiting.note, 60));
  const total = tokens.length + expected;
  if (total > 1) return describeShare(to, done, total);
  if (tokens.some(({ wasLost }) => wasLost)) return to.paint('dim', 'after an interruption');
  const retried = tokens.find(({ phase, attempt }) => phase === 'completed' && attempt > 1);
  return retried ? to.paint('dim', `at attempt ${retried.attempt}`) : '';
}

/** What tasks that run say of how far they are: of several, how far they are together. */
function describeProgress(to: Terminal, tokens: readonly BoardToken[]): string | null {
  const told = tokens.flatMap(({ phase, progress }) => (phase === 'running' && progress ? [progress] : []));
  const fractions = told.flatMap(({ fraction }) => fraction ?? []);
  const message = told.find((progress) => progress.message !== null)?.message ?? '';
  const words = to.paint('dim', shortened(message, 50));
  if (fractions.length === 0) return message === '' ? null : words;
  const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
  return `${drawBar(to, mean)}  ${words}`.trimEnd();
}

/** How many of many have completed; with a bar where there are too many to draw each. */
function describeShare(to: Terminal, done: number, total: number): string {
  const words = to.paint('dim', `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`);
  return total > tokensDrawnMax && done < total ? `${drawBar(to, done / total)}  ${words}` : words;
}

function describeRetry({ attempt, wakesAt, error }: BoardToken, now: number): string {
  const inMs = Math.max(0, (wakesAt ?? now) - now);
  return printable(`${error?.code ?? 'failed'}; attempt ${attempt + 1} in ${duration(inMs)}`);
}

const barWidth = 20;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A share of a whole, as a bar in eighths of a letter, and in per cent. `fraction` is from 0 to 1. */
function drawBar(to: Terminal, fraction: number): string {
  const share = Math.max(0, Math.min(1, fraction));
  const filled = Math.floor(share * barWidth * 8);
  const bar = '█'.repeat(Math.floor(filled / 8)) + (eighths[filled % 8] ?? '');
  const rest = '░'.repeat(barWidth - bar.length);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${to.paint('cyan', bar)}${to.paint('dim', rest)} ${percent}`;
}
