// Token nodes: which node each token of a run visits, told from its journal: most events name the token alone.
//
// Always true: tokens are numbered as they are created, so that the ranges stand in order.

import type { RunEvent } from 'heddle/journal';

interface Range {
  readonly first: number;
  readonly last: number;
  readonly node: string;
}

export class TokenNodes {
  readonly #ranges: Range[] = [];

  constructor(events: Iterable<RunEvent> = []) {
    for (const event of events) this.add(event);
  }

  add(event: RunEvent): void {
    if (event.type === 'token.created') {
      const { token, count = 1, node } = event;
      this.#ranges.push({ first: token, last: token + count - 1, node });
    } else if (event.type === 'workflow.restored') this.#ranges.push(...restoredRanges(event.state));
  }

  nodeOf(token: number): string | null {
    let [low, high] = [0, this.#ranges.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = this.#ranges[middle];
      if (range === undefined) return null;
      if (token < range.first) high = middle - 1;
      else if (token > range.last) low = middle + 1;
      else return range.node;
    }
    return null;
  }
}

/** Of a run that was retried: its tokens, as the snapshot has them. */
function restoredRanges(state: unknown): readonly Range[] {
  const { tokens } = (state ?? {}) as { readonly tokens?: unknown }; // whatever it is, only what fits is taken
  if (!Array.isArray(tokens)) return [];
  const ranges = tokens.flatMap((token: unknown) => {
    const { id, node } = (token ?? {}) as { readonly id?: unknown; readonly node?: unknown }; // as above
    return typeof id === 'number' && typeof node === 'string' ? [{ first: id, last: id, node }] : [];
  });
  return ranges.toSorted((a, b) => a.first - b.first);
}
