// Request flags: which members of which requests a command takes as flags. The flags themselves are made when the command
// is called or explained: the table that they follow from takes 13 ms to load, of 100 for `heddle --help`.

import type { Command } from 'commander';
import type { OperationName, RequestOf } from 'heddle/operations';

export type Member<Name extends OperationName> = keyof RequestOf<Name> & string;

interface RequestFlag {
  readonly operation: OperationName;
  readonly member: string;
  readonly byDefault: unknown;
}

const waiting = new WeakMap<Command, readonly RequestFlag[]>();

/** A flag for each of these members. */
export function withFlags<Name extends OperationName>(
  command: Command,
  operation: Name,
  members: readonly Member<Name>[],
  defaults: Partial<RequestOf<Name>> = {},
): Command {
  const flags = members.map((member) => ({ operation, member, byDefault: defaults[member] }));
  waiting.set(command, [...(waiting.get(command) ?? []), ...flags]);
  return command;
}

/** Adds the flags of a command and of those inside it. */
export async function makeFlags(command: Command): Promise<void> {
  const flags = waiting.get(command) ?? [];
  waiting.delete(command);
  for (const { operation, member, byDefault } of flags) {
    const { makeFlag } = await import('./flags.ts');
    const option = makeFlag(operation, member);
    command.addOption(byDefault === undefined ? option : option.default(byDefault));
  }
  for (const inner of command.commands) await makeFlags(inner);
}
