// CommandError: why a command could not do what it was asked, as one sentence with the next step; never a stack trace.
//
// The exit codes, everywhere: 0 done, 1 the run did not complete or the audit found something, 2 nothing was begun.

import type { Problem } from 'heddle';

export const exitCodes = { done: 0, notCompleted: 1, refused: 2 } as const;

export class CommandError extends Error {
  override name = 'CommandError';
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number = exitCodes.refused) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** An error as data, for `--json`: whatever was thrown, it has a code and a sentence. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly Problem[];
}

/** What to do on a command line about what a client says. */
const nextSteps: Readonly<Record<string, string>> = {
  SERVER_UNREACHABLE: '. Start one with `npx heddle serve`, or check --url.',
  KEY_INVALID: '. Give a key with --key, or HEDDLE_KEY.',
  SCOPE_MISSING: '. Make a key that has it: `npx heddle keys create --scope …`.',
};

/** Of an error of ours, of Node or of a user's module: a member that it may have. */
export function memberOf(error: unknown, name: 'code' | 'problems' | 'exitCode'): unknown {
  return error instanceof Error && name in error ? Reflect.get(error, name) : undefined;
}

export function reportOf(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { code: 'FAILED', message: String(error) };
  const code = memberOf(error, 'code');
  const problems = memberOf(error, 'problems');
  return {
    code: typeof code === 'string' ? code : 'FAILED',
    message: typeof code === 'string' && code in nextSteps ? `${error.message}${nextSteps[code]}` : error.message,
    // Those of our errors that have problems have a list of them.
    ...(Array.isArray(problems) && problems.length > 0 ? { problems: problems as readonly Problem[] } : {}),
  };
}
