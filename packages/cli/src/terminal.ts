// Terminal: what may be written to whom. Colours and redrawing are for terminals only; text that comes from users never
// steers a terminal.

import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta';

export interface Terminal {
  /** A person looks at it, and lines can be drawn again. */
  readonly isLive: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly write: (text: string) => void;
  readonly line: (text?: string) => void;
  readonly paint: (style: Style | readonly Style[], text: string) => string;
}

function terminalOn(stream: NodeJS.WriteStream): Terminal {
  const isLive = stream.isTTY && process.env['TERM'] !== 'dumb';
  const isColoured = isLive && !process.env['NO_COLOR'];
  return {
    isLive,
    get columns() {
      return stream.columns || 100;
    },
    get rows() {
      return stream.rows || 40;
    },
    write: (text) => void stream.write(text),
    line: (text = '') => void stream.write(`${text}\n`),
    paint: (style, text) => (isColoured ? styleText(style as Style, text, { validateStream: false }) : text), // by the names of `styleText`
  };
}

/** Where results go: what a program reads. */
export const output = terminalOn(process.stdout);
/** Where progress and complaints go: what a person reads meanwhile. */
export const progress = terminalOn(process.stderr);

/** Text from users on one line, without anything that a terminal would obey. */
export function printable(text: string): string {
  return text
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .replace(/\p{Cc}/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same, cut to a length. */
export function shortened(text: string, lengthMax: number): string {
  const line = printable(text);
  return line.length <= lengthMax ? line : `${line.slice(0, Math.max(0, lengthMax - 1))}…`;
}

/** The beginning of a text that is too long to be read, and where the rest is. */
export function cut(text: string, lengthMax: number): string {
  const left = text.length - lengthMax;
  return left <= 0 ? text : `${text.slice(0, lengthMax)}… (${count(left, 'more character')}; --json for all)`;
}

/** JSON for people: on one line if it is short, without anything that a terminal would obey. */
export function prettyJson(value: unknown, widthMax = 100): string {
  const compact = JSON.stringify(value) ?? 'null';
  const text = compact.length <= widthMax ? compact : JSON.stringify(value, null, 2);
  return text.replace(/[\u007f-\u009f]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor((ms % 60_000) / 1_000)];
  if (minutes < 60) return `${minutes} min ${seconds} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** In the time zone of whoever reads it. */
export function timeOf(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** How a status is painted, wherever it is shown. */
export const statusStyles: Readonly<Record<string, Style>> = {
  completed: 'green',
  failed: 'red',
  timed_out: 'red',
  exhausted: 'red',
  cancelled: 'yellow',
  paused: 'yellow',
  suspended: 'magenta',
};

export function count(howMany: number, one: string, several = `${one}s`): string {
  return `${howMany.toLocaleString('en')} ${howMany === 1 ? one : several}`;
}
