// Draw tokens: every token of a run as a tree (who came from whom), with what became of it and when, on a line of time.

import type { TokenInfo } from 'heddle';
import { describeStep } from './progress.ts';
import { table } from './table.ts';
import { count, duration, shortened, statusStyles, type Terminal } from './terminal.ts';

interface Span {
  readonly from: number;
  readonly until: number;
}

const signs: Readonly<Record<string, string>> = {
  completed: '✓',
  failed: '✗',
  timed_out: '✗',
  cancelled: '⊘',
  retrying: '↻',
  waiting_for_input: '?',
};
const barWidth = 24;
const childrenDrawnMax = 20;
const linesMax = 500;

export function drawTokens(to: Terminal, tokens: readonly TokenInfo[], span: Span): string[] {
  const lines = outline(tokens);
  const head = ['token', 'status', '', 'time', '', ''].map((title) => to.paint('dim', title));
  const rows = lines
    .slice(0, linesMax)
    .map(({ prefix, token, rest }) =>
      token === null
        ? [to.paint('dim', `${prefix}… ${count(rest, 'more token')}`)]
        : [to.paint('dim', prefix) + nameOf(to, token), statusOf(to, token), ...cellsOf(to, token, span)],
    );
  const left = lines.length - linesMax;
  return [
    ...table([head, ...rows], '  '),
    ...(left > 0 ? [to.paint('dim', `  … ${count(left, 'more line')}; --json has them all`)] : []),
  ];
}

interface OutlineLine {
  readonly prefix: string;
  /** What stands before the tokens that come from this one. */
  readonly below: string;
  /** Null for `rest` tokens that are not drawn one by one. */
  readonly token: TokenInfo | null;
  readonly rest: number;
}

/** The tree, depth first. A token that is the only one after its predecessor stays in the same column. */
function outline(tokens: readonly TokenInfo[]): OutlineLine[] {
  const children = new Map<number | null, TokenInfo[]>();
  for (const token of tokens) addTo(children, token);
  const lines: OutlineLine[] = [];
  const stack = (children.get(null) ?? []).map((token) => onPath(token, '')).toReversed();
  for (let line = stack.pop(); line; line = stack.pop()) {
    lines.push(line);
    if (line.token) stack.push(...childLines(children.get(line.token.id) ?? [], line.below).toReversed());
  }
  return lines;
}

function addTo(children: Map<number | null, TokenInfo[]>, token: TokenInfo): void {
  const siblings = children.get(token.from);
  if (siblings) siblings.push(token);
  else children.set(token.from, [token]);
}

const onPath = (token: TokenInfo, prefix: string): OutlineLine => ({ token, prefix, below: prefix, rest: 0 });

function childLines(children: readonly TokenInfo[], prefix: string): OutlineLine[] {
  // What follows a join belongs to the path of the token that fanned out, below its branches.
  const isBranch = ({ via }: TokenInfo) => via !== null && children.length > 1;
  const branches = children.filter(isBranch);
  const drawn = branches.slice(0, childrenDrawnMax).map((token) => {
    return { token, prefix: `${prefix}├ `, below: `${prefix}│ `, rest: 0 };
  });
  const rest = branches.length - drawn.length;
  const more = rest > 0 ? [{ token: null, prefix: `${prefix}├ `, below: '', rest }] : [];
  return [...drawn, ...more, ...children.filter((token) => !isBranch(token)).map((token) => onPath(token, prefix))];
}

function nameOf(to: Terminal, { id, node, branchIndex, branchTotal, groupId }: TokenInfo): string {
  const place = groupId === null ? '' : to.paint('dim', ` ${branchIndex + 1}/${branchTotal}`);
  return `${to.paint('dim', `${id} `)}${shortened(node, 40)}${place}`;
}

function statusOf(to: Terminal, { status, isExecuting }: TokenInfo): string {
  const word = (isExecuting ? 'executing' : status).replaceAll('_', ' ');
  return to.paint(statusStyles[status] ?? 'cyan', `${signOf(status)} ${word}`);
}

/** The signs of the live view, so that one legend does for both. */
function signOf(status: string): string {
  const sign = signs[status];
  if (sign !== undefined) return sign;
  return status.startsWith('waiting_') ? '◷' : '●';
}

function cellsOf(to: Terminal, token: TokenInfo, span: Span): string[] {
  const { attempt, createdAt, endedAt, arrivedAt, childRunId, error, progress, waitsFor, waitLabel, steps } = token;
  const tries = attempt > 1 ? to.paint('yellow', `attempt ${attempt}`) : '';
  const what = arrivedAt === undefined ? '' : 'at the join';
  const notes = [
    what,
    ...(childRunId ? [`called ${childRunId}`] : []),
    ...(waitsFor ? [`action "${waitsFor.action}" is not available`] : []),
    ...(waitLabel ? [waitLabel] : []),
    ...(steps ? [`steps done: ${steps.join(', ')}`] : []),
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...(progress ? [describeStep(progress)] : []),
  ];
  const took = duration((endedAt ?? span.until) - createdAt);
  return [tries, took, drawBar(to, token, span), to.paint('dim', shortened(notes.filter(Boolean).join('  '), 60))];
}

function drawBar(to: Terminal, { createdAt, endedAt, status }: TokenInfo, { from, until }: Span): string {
  const scale = barWidth / Math.max(1, until - from);
  const start = Math.max(0, Math.min(barWidth - 1, Math.floor((createdAt - from) * scale)));
  const length = Math.max(1, Math.round(((endedAt ?? until) - createdAt) * scale));
  const bar = '━'.repeat(Math.min(length, barWidth - start));
  return (
    ' '.repeat(start) +
    to.paint(statusStyles[status] ?? 'cyan', bar) +
    ' '.repeat(Math.max(0, barWidth - start - bar.length))
  );
}
