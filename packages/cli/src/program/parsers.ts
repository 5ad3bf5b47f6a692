// Parsers: how words of a command line become values. What is no such value is refused with how to write one.

import { InvalidArgumentError } from 'commander';

/** `before`: what the same option has given already. */
export function collect(word: string, before: readonly string[] = []): readonly string[] {
  return [...before, word];
}

/** With commas between them, and again. */
export function collectList(word: string, before: readonly string[] = []): readonly string[] {
  const given = word.split(',').map((each) => each.trim());
  return [...before, ...given.filter((each) => each !== '')];
}

export function collectPair(
  word: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = word.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...before, [word.slice(0, at)]: word.slice(at + 1) };
}

export function oneOf(
  choices: readonly string[],
  findNearest: (word: string, known: readonly string[]) => string | undefined,
): (word: string) => string {
  return (word) => {
    if (choices.includes(word)) return word;
    const nearest = findNearest(word, choices);
    const hint = nearest === undefined ? '' : `Did you mean ${nearest}? `;
    throw new InvalidArgumentError(`${hint}Allowed choices are ${choices.join(', ')}.`);
  };
}

/** A whole number from `least` to `most`. */
export function numberFrom(least: number, most: number = Number.MAX_SAFE_INTEGER): (word: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  return (word) => {
    const number = Number(word);
    const isRight = word.trim() !== '' && Number.isSafeInteger(number) && number >= least && number <= most;
    if (!isRight) throw new InvalidArgumentError(`Write a number ${range}.`);
    return number;
  };
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `2h`, `7d`, `500ms`. */
export function durationMs(word: string): number {
  const ms = readDuration(word);
  if (ms === null) throw new InvalidArgumentError('Write a time such as 500ms, 90s, 10m, 2h or 7d.');
  return ms;
}

function readDuration(word: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(word) ?? [];
  const ms = Math.round(Number(amount) * (unitsMs[unit] ?? Number.NaN));
  return Number.isSafeInteger(ms) ? ms : null;
}

/** A date, or so long ago (-1) or from now (1). */
export function timeFrom(direction: 1 | -1): (word: string) => number {
  return (word) => {
    const ms = readDuration(word);
    const at = ms === null ? Date.parse(word) : Date.now() + direction * ms;
    if (Number.isNaN(at))
      throw new InvalidArgumentError('Write a time such as 30m, 2h or 7d, or a date: 2026-11-15T08:00.');
    return at;
  };
}
