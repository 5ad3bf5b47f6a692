// Exchanges: what a worker and the server told each other about tasks, written down where the bytes go in and out.
//
// Always true: what a worker says is in the log before it is sent; what it heard is there before the worker acts on it.

import { appendFileSync, readFileSync } from 'node:fs';
import type { Result } from '../kill/actions.ts';
import type { Exchange } from './protocol.ts';

type Told = Exchange extends infer Each ? (Each extends Exchange ? Omit<Each, 'pid'> : never) : never;

interface Sent {
  readonly tasks: readonly { readonly lease: string; readonly output?: Partial<Result> | null }[];
}

interface Heard {
  readonly tasks: readonly {
    readonly lease: string;
    readonly expiresAt?: number;
    readonly applied?: boolean;
    readonly reason?: string;
    readonly error?: { readonly code: string };
  }[];
}

/** In place of the runtime's own. */
export function notingFetch(file: string): typeof fetch {
  const { pid } = process;
  const note = (told: readonly Told[]): void => {
    if (told.length === 0) return;
    appendFileSync(file, told.map((each) => `${JSON.stringify({ ...each, pid })}\n`).join(''));
  };
  return async (input, init) => {
    const route = /\/v1\/tasks\/(lease|heartbeat|finish|release)$/.exec(addressOf(input))?.[1];
    if (typeof init?.body === 'string') note(saidIn(route, JSON.parse(init.body) as Sent)); // the worker wrote it
    const response = await fetch(input, init);
    if (!response.ok) note([{ type: 'refused', status: response.status, text: await response.clone().text() }]);
    else if (route !== undefined) note(heardIn(route, (await response.clone().json()) as Heard)); // by the contract
    return response;
  };
}

const addressOf = (input: Parameters<typeof fetch>[0]): string =>
  typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;

function saidIn(route: string | undefined, { tasks }: Sent): readonly Told[] {
  if (route === 'finish')
    return tasks.map(({ lease, output }) => ({ type: 'reporting', lease, receipt: output?.receipt ?? null }));
  if (route === 'release') return tasks.map(({ lease }) => ({ type: 'releasing', lease }));
  return [];
}

function heardIn(route: string, { tasks }: Heard): readonly Told[] {
  return tasks.flatMap(({ lease, expiresAt, applied = false, reason, error }): readonly Told[] => {
    if (route === 'finish') return [{ type: 'taken', lease, applied, because: error?.code ?? reason ?? null }];
    if (expiresAt === undefined) return [];
    return [{ type: route === 'lease' ? 'leased' : 'extended', lease, expiresAt }];
  });
}

export function readExchanges(file: string): readonly Exchange[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Exchange); // `notingFetch` wrote them.
}
