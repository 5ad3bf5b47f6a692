// Edge loops, found plainly: for oracles and checks, which share nothing with the compiler. By rule EJ12.

export interface Link {
  readonly from: string;
  readonly to: string;
  /** The id of a loop transition into an edge join. */
  readonly loop: string | null;
}

/** A loop that goes back to an edge join. */
export interface PlainLoop {
  readonly header: string;
  /** With its header. */
  readonly body: ReadonlySet<string>;
  /** Ids of the transitions that lead back to the header. */
  readonly back: ReadonlySet<string>;
}

/** `nodes` stand in the order of their author. */
export function findPlainLoops(nodes: readonly string[], links: readonly Link[]): PlainLoop[] {
  if (links.every(({ loop }) => loop === null)) return [];
  const found: PlainLoop[] = [];
  for (const body of findCycles(nodes, links)) {
    const inside = links.filter(({ from, to }) => body.has(from) && body.has(to));
    const headers = new Set(inside.filter(({ loop }) => loop !== null).map(({ to }) => to));
    const forward = inside.filter(({ loop }) => loop === null);
    const isBehind = (node: string): boolean =>
      [...headers].some((other) => other !== node && reach(other, forward).has(node));
    const header = nodes.find((node) => headers.has(node) && !isBehind(node));
    if (header === undefined) continue;
    const isBack = ({ to, loop }: Link): boolean => to === header && loop !== null;
    const back = inside.filter(isBack).map(({ loop }) => loop ?? '');
    found.push({ header, body, back: new Set(back) });
    const own = nodes.filter((node) => body.has(node));
    found.push(
      ...findPlainLoops(
        own,
        inside.filter((link) => !isBack(link)),
      ),
    );
  }
  return found;
}

/** Sets of nodes in which each leads to each. */
function findCycles(nodes: readonly string[], links: readonly Link[]): Set<string>[] {
  const reached = new Map(nodes.map((node) => [node, reach(node, links)]));
  const cycles: Set<string>[] = [];
  for (const node of nodes) {
    if (!reached.get(node)?.has(node) || cycles.some((cycle) => cycle.has(node))) continue;
    cycles.push(new Set(nodes.filter((other) => reached.get(node)?.has(other) && reached.get(other)?.has(node))));
  }
  return cycles;
}

/** Where links lead to from a node; itself only if they lead back to it. */
function reach(from: string, links: readonly Link[]): Set<string> {
  const reached = new Set(links.filter((link) => link.from === from).map(({ to }) => to));
  for (const node of reached) for (const link of links) if (link.from === node) reached.add(link.to);
  return reached;
}
