// Options: what several commands take, said once, and how words of the command line become values.

import { type Command, InvalidArgumentError, Option } from 'commander';

export const json = ['--json', 'for programs: the last line is JSON'] as const;
export const actions = [
  '--actions <module>',
  'a module that exports actions: functions, or objects with a run',
] as const;
export const answer = ['--answer <json>', 'the answer to the next prompt: JSON, or @FILE; may be given again'] as const;
export const trace = ['--trace', 'keep how decisions come about, for heddle trace'] as const;
export const quiet = ['--quiet', 'no progress'] as const;
export const input = ['--input <json>', 'the input: JSON, @FILE, or @- for what is piped in', '{}'] as const;

export const store = ['--store <path>', 'the SQLite file (or HEDDLE_STORE; default: ./heddle.db)'] as const;

export const dialect = new Option(
  '--dialect <dialect>',
  'how to read a graph that does not say it, as editors save them',
).choices(['dataflow', 'handle']);

/** Where the runs are: in a file, or with a server. */
export function withPlaceOptions(command: Command): Command {
  return command
    .option(...store)
    .option('--url <url>', 'a server to use in place of a file (or HEDDLE_URL)')
    .option('--key <key>', 'the API key for the server (or HEDDLE_KEY)')
    .option(...json);
}

/** Which runs a list has. */
export function withFilterOptions(command: Command): Command {
  return command
    .option('--status <status>', 'only those with this status; may be given again', collect)
    .option('--workflow <id>', 'only those of this workflow')
    .option('--tag <key=value>', 'only those with this tag; may be given again', collectTag)
    .option('--search <text>', 'start of an id or workflow name, or the value of a tag')
    .option('--set-aside', 'only those that were set aside')
    .option('--since <time>', 'only those started since: 2h, 30m, 7d, or a date', pastTime)
    .option('--until <time>', 'only those started before', pastTime);
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function collectList(value: string, before: readonly string[] = []): readonly string[] {
  const given = value.split(',').map((each) => each.trim());
  return [...before, ...given.filter((each) => each !== '')];
}

export function collectTag(
  value: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}

/** A whole number from `least` to `most`. */
export function numberFrom(least: number, most: number = Number.MAX_SAFE_INTEGER): (value: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  return (value) => {
    const number = Number(value);
    const isRight = value.trim() !== '' && Number.isSafeInteger(number) && number >= least && number <= most;
    if (!isRight) throw new InvalidArgumentError(`Write a number ${range}.`);
    return number;
  };
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `2h`, `7d`, `500ms`. */
export function durationMs(value: string): number {
  const ms = readDuration(value);
  if (ms === null) throw new InvalidArgumentError('Write a time such as 500ms, 90s, 10m, 2h or 7d.');
  return ms;
}

function readDuration(value: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value) ?? [];
  const ms = Math.round(Number(amount) * (unitsMs[unit] ?? Number.NaN));
  return Number.isSafeInteger(ms) ? ms : null;
}

/** So long ago, or a date. */
function pastTime(value: string): number {
  return timeFrom(value, -1);
}

/** So long from now, or a date. */
export function futureTime(value: string): number {
  return timeFrom(value, 1);
}

function timeFrom(value: string, direction: 1 | -1): number {
  const ms = readDuration(value);
  const at = ms === null ? Date.parse(value) : Date.now() + direction * ms;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Write a time such as 30m, 2h or 7d, or a date: 2026-11-15T08:00.');
  return at;
}
