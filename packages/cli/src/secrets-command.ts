// `heddle secrets …`: values that actions may send and nobody may see.
//
// Always true: a value is read from what is piped in, or typed unseen; never from the command line, which others on the
// machine can read and shells remember. No command shows one.

import { readFileSync } from 'node:fs';
import type { SecretInfo, SetSecretOptions } from 'heddle';
import { CommandError, exitCodes } from './command-error.ts';
import { LineReader } from './line-reader.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { table } from './table.ts';
import { output, printable, timeOf } from './terminal.ts';

export interface SecretsOptions extends PlaceOptions {
  readonly json?: boolean;
}

export async function setSecret(
  name: string,
  { json, hosts = [], ...where }: SecretsOptions & SetSecretOptions,
): Promise<number> {
  const value = process.stdin.isTTY ? await readTyped(name) : readFileSync(0, 'utf8').replace(/\r?\n$/, '');
  if (value === '') throw valueMissing(name);
  return withPlace(where, 'make', async ({ heddle }) => {
    const secret = await heddle.secrets.set(name, value, { hosts });
    if (json) output.line(JSON.stringify(secret));
    else output.line(`${secret.name}  version ${secret.version}, for ${describeHosts(secret)}`);
    return exitCodes.done;
  });
}

function valueMissing(name: string): CommandError {
  const message = `Expected the value of ${printable(name)} to be piped in or typed, but it is empty`;
  return new CommandError(
    'VALUE_MISSING',
    `${message}; for example: printf %s "$TOKEN" | npx heddle secrets set NAME.`,
  );
}

async function readTyped(name: string): Promise<string> {
  const reader = new LineReader({ isUnseen: true });
  try {
    return await reader.ask(`The value of ${printable(name)} (it is not shown): `);
  } finally {
    reader.close();
  }
}

const describeHosts = ({ hosts }: SecretInfo): string => (hosts.length === 0 ? 'no host yet' : hosts.join(', '));

export function listSecrets({ json, ...where }: SecretsOptions): Promise<number> {
  return withPlace(where, 'look', async ({ heddle, name }) => {
    const secrets = await heddle.secrets.list();
    if (json) output.line(JSON.stringify(secrets));
    else if (secrets.length === 0) output.line(`No secrets in ${name}.`);
    else {
      const head = ['secret', 'version', 'set', 'for'].map((title) => output.paint('dim', title));
      const rows = secrets.map((each) => [each.name, `${each.version}`, timeOf(each.updatedAt), describeHosts(each)]);
      for (const line of table([head, ...rows])) output.line(line);
    }
    return exitCodes.done;
  });
}

export function removeSecret(name: string, { json, ...where }: SecretsOptions): Promise<number> {
  return withPlace(where, 'change', async ({ heddle }) => {
    const removed = await heddle.secrets.remove(name);
    if (json) output.line(JSON.stringify({ removed }));
    else output.line(removed ? `${name}  removed` : `There was no secret ${printable(name)}.`);
    return exitCodes.done;
  });
}
