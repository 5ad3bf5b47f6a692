// Log: one line of JSON for everything that an operator may want to know, with the ids that it is about.
//
// Always true: no key, secret, input or output is in it.

export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogEntry {
  readonly message: string;
  readonly runId?: string | undefined;
  readonly tokenId?: number | undefined;
  readonly [name: string]: string | number | boolean | null | undefined;
}

export type Log = (level: Level, entry: LogEntry) => void;

const levels: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** Lines from this level on. */
export function jsonLog(least: Level, write: (line: string) => void): Log {
  const from = levels.indexOf(least);
  return (level, entry) => {
    if (levels.indexOf(level) < from) return;
    write(`${JSON.stringify({ time: new Date().toISOString(), level, ...entry })}\n`);
  };
}
