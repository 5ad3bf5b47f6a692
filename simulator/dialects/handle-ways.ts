// Handle ways: where a run begins, which connections lead on, and which nodes become ready when one is done. A node is
// ready when nothing that could still lead to it is left, and something has. Rules HN12, HN13, HN15, EJ2 to EJ4.

import type { Connection, Drawing, HandleNode } from './handle-drawing.ts';

interface Way {
  readonly from: string;
  readonly to: string;
  readonly handle: string;
  state: 'open' | 'taken' | 'dead';
}

export class HandleWays {
  readonly entry: string;
  readonly #ways: readonly Way[];
  readonly #reached = new Set<string>();
  /** Ready, done, or never to be. */
  readonly #decided = new Set<string>();

  constructor({ nodes, connections }: Drawing) {
    this.entry = entryOf(nodes, connections);
    const forward: Connection[] = [];
    this.#explore(this.entry, new Set(), connections, forward);
    this.#ways = waysOf(connections.filter((connection) => forward.includes(connection)));
    this.#decided.add(this.entry);
  }

  isReached(node: string): boolean {
    return this.#reached.has(node);
  }

  /** How many came to a node where several ways meet. */
  arrivalsAt(node: string): number {
    const inbound = this.#into(node);
    return inbound.length > 1 ? inbound.filter(({ state }) => state === 'taken').length : 0;
  }

  /** A node is done and has taken a handle: how many ways that is, and which nodes are ready now. */
  follow(node: string, handle: string): { taken: number; ready: readonly string[] } {
    let taken = 0;
    for (const way of this.#ways) {
      if (way.from !== node) continue;
      way.state = way.handle === handle ? 'taken' : 'dead';
      if (way.state === 'taken') taken++;
    }
    return { taken, ready: this.#decide() };
  }

  #decide(): string[] {
    const ready: string[] = [];
    for (let count = -1; count < this.#decided.size; ) {
      count = this.#decided.size;
      for (const node of this.#reached) {
        const inbound = this.#into(node);
        if (this.#decided.has(node) || inbound.some(({ state }) => state === 'open')) continue;
        this.#decided.add(node);
        if (inbound.some(({ state }) => state === 'taken')) ready.push(node);
        else for (const way of this.#ways) if (way.from === node) way.state = 'dead';
      }
    }
    return ready;
  }

  #into(node: string): Way[] {
    return this.#ways.filter(({ to }) => to === node);
  }

  /** Depth first, in the order of the connections: a connection to a node on the way there leads back. */
  #explore(node: string, above: ReadonlySet<string>, all: readonly Connection[], forward: Connection[]): void {
    const path = new Set([...above, node]);
    this.#reached.add(node);
    for (const connection of all) {
      if (connection.from !== node || path.has(connection.to)) continue;
      forward.push(connection);
      if (!this.#reached.has(connection.to)) this.#explore(connection.to, path, all, forward);
    }
  }
}

function entryOf(nodes: readonly HandleNode[], connections: readonly Connection[]): string {
  const free = nodes.filter(({ id }) => connections.every(({ to }) => to !== id));
  const trigger = free.find(({ type }) => /trigger/i.test(type) || type === 'INITIAL');
  return (trigger ?? free[0] ?? nodes[0])?.id ?? '';
}

/** Ways from one handle to one node are one. */
function waysOf(connections: readonly Connection[]): Way[] {
  const ways: Way[] = [];
  for (const { from, to, handle } of connections) {
    const way: Way = { from, to, handle: handle ?? 'main', state: 'open' };
    if (!ways.some((other) => other.from === from && other.to === to && other.handle === way.handle)) ways.push(way);
  }
  return ways;
}
