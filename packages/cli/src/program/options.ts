// Options: what several commands take, said once. Those that stand for members of requests are made by flags.ts.

import { type Command, Option } from 'commander';

/** A command answers with its exit code. */
export async function finish(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}

export const json = ['--json', 'for programs: the last line is JSON'] as const;
export const actions = [
  '--actions <module>',
  'a module that exports actions: functions, or objects with a run',
] as const;
export const answer = ['--answer <json>', 'the answer to the next prompt: JSON, or @FILE; may be given again'] as const;
export const quiet = ['--quiet', 'no progress'] as const;
export const input = ['--input <json>', 'the input: JSON, @FILE, or @- for what is piped in', '{}'] as const;

export const store = [
  '--store <path>',
  'the SQLite file, the folder of a fleet, or a database that several servers share: postgres://… (or HEDDLE_STORE; default: ./heddle.db)',
] as const;

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
