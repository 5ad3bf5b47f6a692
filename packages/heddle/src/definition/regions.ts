// Regions: the strongly connected parts of a graph. Nodes on a common cycle share a region; regions are numbered so
// that a way between two of them always leads to a lower number.
//
// Tarjan's algorithm with its own stack: linear, and no recursion over what an author wrote.

/** The region of each node 0 … `next.length - 1`; `next` lists the nodes that each one leads to. */
export function findRegions(next: readonly (readonly number[])[]): number[] {
  const search = new RegionSearch(next);
  for (let node = 0; node < next.length; node += 1) search.visit(node);
  return search.region;
}

class RegionSearch {
  readonly region: number[];
  readonly #next: readonly (readonly number[])[];
  readonly #order: number[];
  readonly #lowest: number[];
  readonly #open: number[] = [];
  readonly #trail: { node: number; edge: number }[] = [];
  #visited = 0;
  #regions = 0;

  constructor(next: readonly (readonly number[])[]) {
    this.#next = next;
    this.region = next.map(() => -1);
    this.#order = next.map(() => -1);
    this.#lowest = next.map(() => -1);
  }

  visit(root: number): void {
    if (this.#order[root] !== -1) return;
    this.#enter(root);
    for (let step = this.#trail.at(-1); step !== undefined; step = this.#trail.at(-1)) {
      const target = this.#next[step.node]?.[step.edge];
      step.edge += 1;
      if (target === undefined) this.#leave(step.node);
      else if (this.#order[target] === -1) this.#enter(target);
      else if (this.region[target] === -1) this.#lower(step.node, this.#order[target]);
    }
  }

  #enter(node: number): void {
    this.#order[node] = this.#visited;
    this.#lowest[node] = this.#visited;
    this.#visited += 1;
    this.#open.push(node);
    this.#trail.push({ node, edge: 0 });
  }

  #leave(node: number): void {
    this.#trail.pop();
    const lowest = this.#lowest[node];
    if (lowest === this.#order[node]) this.#close(node);
    const parent = this.#trail.at(-1);
    if (parent !== undefined) this.#lower(parent.node, lowest);
  }

  #lower(node: number, order: number | undefined): void {
    this.#lowest[node] = Math.min(this.#lowest[node] ?? Infinity, order ?? Infinity);
  }

  #close(node: number): void {
    for (let member = this.#open.pop(); member !== undefined; member = this.#open.pop()) {
      this.region[member] = this.#regions;
      if (member === node) break;
    }
    this.#regions += 1;
  }
}
