// Attacks: what a tenant can send to take more than its share of processor and memory. Each is begun and left to itself;
// what it answers with takes back what is still open.

import { Follower } from './follower.ts';
import { RawRequest } from './raw-request.ts';
import type { Server } from './server.ts';

type Attack = (server: Server, key: string) => Promise<() => void>;

const nothing = (): void => undefined;
const megabyte = 1_048_576;
const nested = 'input.l.map(x, input.l.map(y, x + y))';
const list = Array.from({ length: 300 }, (_, index) => index);

interface Heavy {
  readonly id: string;
  readonly initialNode: string;
  readonly nodes: readonly object[];
  readonly transitions: readonly object[];
}

/** Registers and starts; whatever becomes of it. */
async function begin(server: Server, key: string, definition: Heavy, input: object): Promise<() => void> {
  await server.ask('/v1/definitions', { key, body: definition });
  await server.ask('/v1/runs', { key, body: { workflow: definition.id, input } });
  return nothing;
}

export const attacks: Readonly<Record<string, Attack>> = {
  mappings: (server, key) => {
    const inputMapping = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`m${index}`, nested]));
    const nodes = [{ id: 'a', action: 'core.echo', inputMapping }];
    return begin(server, key, { id: 'mappings', initialNode: 'a', nodes, transitions: [] }, { l: list });
  },
  conditions: (server, key) => {
    const nodes = [
      { id: 'a', action: 'core.echo' },
      { id: 'b', action: 'core.echo' },
    ];
    const condition = `size(${nested}) == 0`;
    const transitions = Array.from({ length: 500 }, () => ({ from: 'a', to: 'b', condition }));
    return begin(server, key, { id: 'conditions', initialNode: 'a', nodes, transitions }, { l: list });
  },
  loop: (server, key) => {
    const nodes = [{ id: 'a', outputMapping: { 'state.s': nested } }];
    const transitions = [{ from: 'a', to: 'a', loop: { maxIterations: 100_000 } }];
    return begin(server, key, { id: 'loop', initialNode: 'a', nodes, transitions }, { l: list });
  },
  'fan-out': (server, key) => {
    const nodes = [{ id: 'a' }, { id: 'b', action: 'core.echo', inputMapping: { l: 'input.l' } }];
    const transitions = [{ from: 'a', to: 'b', spawnCount: 5_000 }];
    return begin(server, key, { id: 'fan-out', initialNode: 'a', nodes, transitions }, { l: list });
  },
  'large inputs': async (server, key) => {
    const body = { workflow: 'mappings', input: { l: 'x'.repeat(3 * megabyte) } };
    await Promise.all(Array.from({ length: 8 }, () => server.ask('/v1/runs', { key, body })));
    return nothing;
  },
  'many keys': async (server, key) => {
    const input = Object.fromEntries(Array.from({ length: 350_000 }, (_, index) => [`k${index}`, 0]));
    await server.ask('/v1/runs', { key, body: { workflow: 'mappings', input } });
    return nothing;
  },
  'many values': async (server, key) => {
    await server.ask('/v1/runs', {
      key,
      body: `{"workflow":"mappings","input":{"l":[${'0,'.repeat(3_000_000)}0]}}`,
      headers: { 'content-type': 'application/json' },
    });
    return nothing;
  },
  'unfinished bodies': (server, key) => unfinished(server, { path: '/v1/runs', key, bodies: 60, bytes: 7 * megabyte }),
  'unfinished artifacts': (server, key) =>
    unfinished(server, { path: '/v1/artifacts', key, bodies: 14, bytes: 60 * megabyte }),
  'unfinished bodies without a key': (server) =>
    unfinished(server, { path: '/v1/webhooks/heavy/nothing', bodies: 60, bytes: 7 * megabyte }),
  'streams that nobody reads': async (server, key) => {
    const opened = await Promise.all(
      Array.from({ length: 50 }, () => server.fetch('/v1/events/stream', { key }).then((response) => response.body)),
    );
    return () => opened.forEach((body) => void body?.cancel().catch(nothing));
  },
  followers: async (server, key) => {
    const followers = await Promise.all(
      Array.from({ length: 5 }, () => Follower.open(server, '/v1/events/stream', key)),
    );
    return () => followers.forEach((follower) => follower.leave());
  },
};

interface Unfinished {
  readonly path: string;
  readonly key?: string;
  readonly bodies: number;
  readonly bytes: number;
}

/** All but the last byte of each, as far as the server takes them. */
async function unfinished(server: Server, { path, key, bodies, bytes }: Unfinished): Promise<() => void> {
  const part = new Uint8Array(bytes - 1).fill(0x20);
  const head = { path, length: bytes, ...(key === undefined ? {} : { key }) };
  const requests = Array.from({ length: bodies }, () => new RawRequest(server, head));
  for (const request of requests) {
    await request.begun();
    request.send(part);
  }
  return () => requests.forEach((request) => request.leave());
}
