// `heddle copy`: a store made anew with another number of shards, while nobody has it open.

import { existsSync, readdirSync } from 'node:fs';
import { exitCodes } from './command-error.ts';
import { quoted } from './quoted.ts';
import { count, output, progress } from './terminal.ts';

export interface CopyOptions {
  readonly shards?: number;
  readonly json?: boolean;
}

export async function copyCommand(from: string, to: string, { shards, json }: CopyOptions): Promise<number> {
  const { copyStore } = await import('heddle/sqlite');
  const { runs, rows } = await copyStore({ from, to, ...(shards === undefined ? {} : { shards }) });
  const what = `${count(runs, 'run')}, ${count(rows, 'journal row')}`;
  if (json) output.line(JSON.stringify({ path: to, runs, rows }));
  else output.line(`${from} was copied to ${to}: ${what}, and its audit is clean. Go on with the copy alone.`);
  sayTenants(from, to);
  return exitCodes.done;
}

/** Those of a server are stores of their own. */
function sayTenants(from: string, to: string): void {
  const [folder, next] = [from, to].map((store) => `${store.replace(/\/+$/, '')}.tenants`) as [string, string]; // as many
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  progress.line(
    `The other tenants of a server are stores of their own: copy each from ${quoted(folder)} to ${quoted(next)}.`,
  );
}
