// Edge oracle: what must be decided about the edge joins of a branch, by plain search over the drawing and over the
// tokens and groups that are there. It shares nothing with planning: it begins anew at every look, keeps no counters,
// and goes round until nothing more is found.

import type { Definition, TransitionDefinition } from '../definition/definition.ts';
import type { Branch, RunState, SpawnProgress } from './state.ts';

/** `open`: it must wait. */
type Verdict = 'open' | 'runs' | 'skipped';

/** A transition with an id of its author's. */
export type Way = TransitionDefinition & { readonly id: string };

const isEdge = ({ synchronization }: Way): boolean => synchronization !== undefined && 'over' in synchronization;

const opened = ({ siblingGroup, foreach, spawnCount = 1, from }: Way): string | null =>
  siblingGroup ?? (foreach !== undefined || spawnCount > 1 ? from : null);

/** The group that a way is joined over: a name, `innermost`, or null for none. */
function joined(way: Way): string | null {
  const { synchronization } = way;
  if (synchronization === undefined || isEdge(way)) return null;
  return ('siblingGroup' in synchronization ? synchronization.siblingGroup : undefined) ?? innermost;
}

const innermost = '(innermost)';

export class EdgeOracle {
  readonly #definition: Definition;
  readonly #ways: readonly Way[];
  readonly #joins: readonly string[];

  constructor(definition: Definition) {
    this.#definition = definition;
    this.#ways = (definition.transitions ?? []) as readonly Way[]; // the authors of these tests give them ids
    this.#joins = [...new Set(this.#ways.filter(isEdge).map(({ to }) => to))];
  }

  /** What must become of each edge join of the branch that is not decided and that it could ever come to. */
  judge(state: RunState, branch: Branch): Map<string, Verdict> {
    const present = presentIn(state, branch);
    const running = this.#spread(branch, present, this.#held(state, branch));
    const reachable = this.#spread(branch, nothing, new Set(this.#starts(branch)));
    const undecided = this.#joins.filter((node) => !present.decided.has(node));
    const concerned = undecided.filter((node) => reachable.has(node) || this.#inbound(node).some(present.isTaken));
    return new Map(concerned.map((node) => [node, this.#verdict(node, present, running)]));
  }

  #verdict(node: string, { isTaken, isComing }: Present, running: ReadonlySet<string>): Verdict {
    const edges = this.#inbound(node);
    if (edges.some(isComing)) return 'open';
    const lost = edges.filter((edge) => !isTaken(edge) && !canBeTaken(edge, running));
    const waits = edges.some((edge) => !isTaken(edge) && !lost.includes(edge));
    if (this.#needsAll(node)) return lost.length > 0 ? 'skipped' : waits ? 'open' : 'runs';
    return waits ? 'open' : edges.some(isTaken) ? 'runs' : 'skipped';
  }

  /** All nodes that may run in the branch, if those given do. */
  #spread(branch: Branch, present: Present, from: ReadonlySet<string>): Set<string> {
    const running = new Set(from);
    for (let size = -1; size !== running.size; ) {
      size = running.size;
      for (const way of this.#ways)
        if (running.has(way.from)) for (const to of this.#follow(way, branch)) running.add(to);
      for (const node of this.#joins)
        if (!present.decided.has(node) && this.#mayRun(node, present, running)) running.add(node);
    }
    return running;
  }

  #follow(way: Way, branch: Branch): readonly string[] {
    if (way.on === 'slice') return [];
    const name = opened(way);
    if (name !== null) return this.#ends(way.from, name);
    return isEdge(way) || this.#leaves(way, branch) ? [] : [way.to];
  }

  /** Whether whoever takes the way comes to the join of the branch's own group. */
  #leaves(way: Way, { group }: Branch): boolean {
    const own = group && group.batch === null ? group.name : null;
    const over = joined(way);
    return over !== null && own !== null && (over === innermost || over === own);
  }

  #mayRun(node: string, { isTaken, isComing, isDrawing }: Present, running: ReadonlySet<string>): boolean {
    const comes = (edge: Way): boolean => isTaken(edge) || isComing(edge) || canBeTaken(edge, running);
    const needsAll = this.#needsAll(node) && !isDrawing;
    return needsAll ? this.#inbound(node).every(comes) : this.#inbound(node).some(comes);
  }

  /** Where the branch may resume that opened a group: at the joins over it behind the node. */
  #ends(node: string, name: string): string[] {
    const ends = new Set<string>();
    const reached = new Set<string>();
    let from = this.#ways.filter((way) => way.from === node && opened(way) === name);
    while (from.length > 0) {
      for (const way of from) if (joined(way) === name || joined(way) === innermost) ends.add(way.to);
      const next = from.map(({ to }) => to).filter((to) => !reached.has(to));
      for (const to of next) reached.add(to);
      from = this.#ways.filter((way) => next.includes(way.from) && way.on !== 'slice');
    }
    return [...ends];
  }

  /** Nodes at which somebody is who will continue from there, and those at which open groups may resume. */
  #held(state: RunState, branch: Branch): Set<string> {
    const held = new Set<string>();
    for (const token of state.tokens.values()) {
      const way = this.#ways.find(({ id }) => id === token.via);
      const isOnItsWay = token.status === 'ready' && way !== undefined && this.#leaves(way, branch);
      if (token.branch !== branch || (way && isEdge(way)) || token.status === 'waiting_for_siblings') continue;
      if (!isOnItsWay) held.add(token.node);
    }
    for (const group of state.groups.values()) {
      if (group.parent !== branch || group.joined || group.batch !== null) continue;
      for (const end of this.#ends(group.node, group.name)) held.add(end);
    }
    return held;
  }

  #starts({ group, index }: Branch): string[] {
    if (!group) return [this.#definition.initialNode];
    const slices = this.#ways.filter(({ from, on }) => from === group.node && on === 'slice');
    if (group.batch !== null) return slices.map(({ to }) => to);
    const isIts = ({ first, count }: SpawnProgress): boolean => first <= index && index < first + count;
    return group.spawns.filter(isIts).map(({ node }) => node);
  }

  #inbound(node: string): readonly Way[] {
    return this.#ways.filter((way) => way.to === node && isEdge(way));
  }

  #needsAll(node: string): boolean {
    const { synchronization } = this.#inbound(node)[0] ?? {};
    return synchronization !== undefined && 'require' in synchronization && synchronization.require === 'all';
  }
}

/** What is known of the edges of a branch. */
interface Present {
  readonly decided: ReadonlySet<string>;
  readonly isTaken: (edge: Way) => boolean;
  /** A token has set out on it and has not arrived. */
  readonly isComing: (edge: Way) => boolean;
  /** Nothing has happened yet: only where ways lead to counts. */
  readonly isDrawing?: true;
}

const nothing: Present = { decided: new Set(), isTaken: () => false, isComing: () => false, isDrawing: true };

function presentIn(state: RunState, branch: Branch): Present {
  const taken = branch.edges?.taken ?? new Map<string, number>();
  const tokens = [...state.tokens.values()].filter((token) => token.branch === branch && token.status === 'ready');
  const coming = new Set(tokens.map(({ via }) => via));
  return {
    decided: branch.edges?.done ?? new Set(),
    isTaken: ({ id }) => taken.has(id),
    isComing: ({ id }) => coming.has(id),
  };
}

const canBeTaken = (edge: Way, running: ReadonlySet<string>): boolean =>
  running.has(edge.from) && opened(edge) === null && edge.on !== 'slice';
