// ReplaceFact: the same command with another value from outside: what a task, a sub-run, a person or an event brought, or
// what the run was started with. Rule RD7.

import type { Failure } from '../../base/failure.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { Json } from '../../base/json.ts';
import type { Command } from '../commands.ts';

export type Instead =
  /** Of a task or a sub-run; the answer to a prompt; the payload of an event. */
  | { readonly output: Json }
  /** Of a task or a sub-run: it failed. */
  | { readonly error: Pick<Failure, 'code' | 'message' | 'details'> }
  /** Of a run: what it was started with. */
  | { readonly input: Json };

/** RD7: only what came from outside can be replaced, by something of the same kind. */
export function replaceFact(command: Command, instead: Instead): Command {
  const replaced =
    'output' in instead
      ? withOutput(command, instead.output)
      : 'error' in instead
        ? withError(command, instead.error)
        : withInput(command, instead.input);
  if (replaced) return replaced;
  const kind = 'output' in instead ? 'output' : 'error' in instead ? 'error' : 'input';
  const message = `Expected a commit that began with ${brings[kind]}, to replace its ${kind}, but it began with ${command.type}`;
  throw new HeddleError('FACT_NOT_REPLACEABLE', message);
}

const brings = {
  output: 'a result, an answer or an event',
  error: 'the result of a task or of a sub-run',
  input: 'the start of a run',
} as const;

function withOutput(command: Command, output: Json): Command | null {
  if (command.type === 'task.result') return { ...command, outcome: { type: 'completed', output } };
  if (command.type === 'reply' || command.type === 'event') return { ...command, payload: output };
  if (command.type !== 'child.ended') return null;
  const { error: _, ...rest } = command;
  return { ...rest, status: 'completed', output };
}

function withError(command: Command, error: Failure): Command | null {
  if (command.type === 'child.ended') {
    const { output: _, ...rest } = command;
    return { ...rest, status: 'failed', error };
  }
  if (command.type !== 'task.result') return null;
  const asked = { retryable: true, retryAfterMs: null, retry: null };
  return { ...command, outcome: { type: 'failed', failure: error, ...asked } };
}

function withInput(command: Command, input: Json): Command | null {
  return command.type === 'start' ? { ...command, start: { ...command.start, input } } : null;
}
