// A real server on a free port of this machine, for one test; and clients of it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, vi } from 'vitest';
import { Client } from '../../packages/heddle/src/client/client.ts';
import { Transport } from '../../packages/heddle/src/client/transport.ts';
import type { FleetFolder } from '../../packages/heddle/src/hosts/sqlite/fleet-folder.ts';
import { type RunningServer, type ServeOptions, serve } from '../../packages/heddle/src/server/serve.ts';

export interface Served extends RunningServer {
  readonly client: Client;
  /** With a key of these rights. */
  readonly clientWith: (scopes: readonly string[], tenant?: string) => Promise<Client>;
  readonly store: string;
  /** One request, as it is. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

export interface ServedOptions extends ServeOptions {
  readonly store?: string;
  readonly fleet?: FleetFolder;
}

const running = new Set<RunningServer>();
const folders: string[] = [];

afterEach(async () => {
  for (const server of running) await server.close({ graceMs: 0 });
  running.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-http-'));
  folders.push(folder);
  return folder;
}

/** On a new file, unless one is named; or on a fleet in a folder. */
export async function served({ fleet, ...options }: ServedOptions = {}): Promise<Served> {
  const store = options.store ?? fleet?.folder ?? join(newFolder(), 'heddle.db');
  const server = await serve({ port: 0, ...options, store: fleet ?? store });
  running.add(server);
  const clientWith = async (scopes: readonly string[], tenant = 'default') => {
    const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
    const { key } = await server.keys.create({ name: 'test', scopes, tenant }, operator);
    return new Client(new Transport({ url: server.url, key }));
  };
  return {
    ...server,
    store,
    client: new Client(new Transport({ url: server.url })),
    clientWith,
    ask: (path, init) => fetch(`${server.url}${path}`, init),
    close: async (how) => {
      running.delete(server);
      await server.close(how);
    },
  };
}

/** Waits for what comes of itself, such as the end of a connection: as soon as it holds, this goes on. */
export const eventually = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 600_000, interval: 5 });

/** Says hello to whoever the input names. */
export const greeting = {
  id: 'greeting',
  initialNode: 'greet',
  nodes: [
    {
      id: 'greet',
      action: 'core.echo',
      inputMapping: { text: '"Hello, " + input.name' },
      outputMapping: { 'output.text': 'result.text' },
    },
  ],
  transitions: [],
};
