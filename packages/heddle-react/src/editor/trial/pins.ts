// Pins: what nodes answer in a trial, in place of the world: by hand, made from a schema, or taken from a past run.

import type { Failure, Json, TokenInfo } from 'heddle';

/** What one visit to a node comes to. */
export type PinnedOutcome =
  | { readonly type: 'output'; readonly output: Json }
  | { readonly type: 'error'; readonly error: Pick<Failure, 'code' | 'message'> };

/** What a task is answered with. `own`: what the action itself makes of it, which is built in and asks nobody. */
export type TrialAnswer = PinnedOutcome | { readonly type: 'own' };

export interface NodePin {
  readonly source: 'hand' | 'run';
  /** Of every visit that is not among `visits`. */
  readonly outcome: PinnedOutcome;
  /** Of a past run: by the place in the tree of branches, in the order of the visits. */
  readonly visits?: Readonly<Record<string, readonly PinnedOutcome[]>>;
}

/** By node of the workflow that is tried. */
export type Pins = Readonly<Record<string, NodePin>>;

/** The first, second … time that a token came to the node in its branch. */
export interface Visit {
  readonly pathId: string;
  readonly number: number;
}

/** What a visit comes to: what came of the same one in the past run; later ones repeat the last. */
export function outcomeOf({ outcome, visits = {} }: NodePin, { pathId, number }: Visit): PinnedOutcome {
  const same = Object.hasOwn(visits, pathId) ? visits[pathId] : undefined;
  return same?.[number - 1] ?? same?.at(-1) ?? outcome;
}

/** Set by hand: of all visits. */
export function pinnedByHand(outcome: PinnedOutcome): NodePin {
  return { source: 'hand', outcome };
}

/** What every node of a past run gave, in the order of its visits. */
export function pinsFromTokens(tokens: readonly Pick<TokenInfo, 'node' | 'pathId' | 'output' | 'error'>[]): Pins {
  const byNode = new Map<string, Map<string, PinnedOutcome[]>>();
  for (const token of tokens) {
    const outcome = outcomeOfToken(token);
    if (outcome === null) continue;
    const paths = byNode.get(token.node) ?? new Map<string, PinnedOutcome[]>();
    byNode.set(token.node, paths);
    paths.set(token.pathId, [...(paths.get(token.pathId) ?? []), outcome]);
  }
  return Object.fromEntries(
    [...byNode].map(([node, paths]) => {
      const visits = Object.fromEntries(paths);
      // The last visit stands for those that the past run did not make.
      const last = [...paths.values()].at(-1)?.at(-1);
      return [node, { source: 'run', outcome: last ?? { type: 'output', output: {} }, visits }] as const;
    }),
  );
}

/** Null of one that gave nothing: it did no work, or has not ended. */
function outcomeOfToken({ output, error }: Pick<TokenInfo, 'output' | 'error'>): PinnedOutcome | null {
  if (output !== undefined) return { type: 'output', output };
  if (error === undefined) return null;
  return { type: 'error', error: { code: error.code, message: error.message } };
}
