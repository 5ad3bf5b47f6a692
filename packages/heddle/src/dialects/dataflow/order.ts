// Dataflow order: the nodes of a graph without circles, each after all that it takes from (Kahn's algorithm).

interface Edge {
  readonly source: string;
  readonly target: string;
}

/** DA24: of the nodes that could come next it is the one that is listed first: a list in a right order stays as it is. */
export function orderNodes(ids: readonly string[], edges: readonly Edge[]): string[] {
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const followers: number[][] = ids.map(() => []);
  const waitsFor: number[] = ids.map(() => 0);
  for (const { source, target } of edges) {
    const to = numbers.get(target) ?? 0;
    followers[numbers.get(source) ?? 0]?.push(to);
    waitsFor[to] = (waitsFor[to] ?? 0) + 1;
  }
  // Descending, so that the first of the list is at the end, where taking it costs nothing.
  const ready = [...ids.keys()].filter((number) => waitsFor[number] === 0).toReversed();
  const order: string[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    order.push(ids[next] ?? '');
    for (const follower of followers[next] ?? []) {
      const left = (waitsFor[follower] ?? 0) - 1;
      waitsFor[follower] = left;
      if (left === 0) insert(ready, follower);
    }
  }
  return order;
}

function insert(descending: number[], number: number): void {
  let low = 0;
  let high = descending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((descending[middle] ?? 0) > number) low = middle + 1;
    else high = middle;
  }
  descending.splice(low, 0, number);
}
