// Edge oracle: what must be decided about the edge joins of a branch, by plain search over the drawing and over the
// tokens and groups that are there. It shares nothing with planning: it begins anew at every look, keeps no counters,
// and goes round until nothing more is found.

import type { Definition, TransitionDefinition } from '../definition/definition.ts';
import { findPlainLoops } from './edge-loops.testsuite.ts';
import type { Branch, RunState, SpawnProgress } from './state.ts';

/** `open`: it must wait. */
type Verdict = 'open' | 'runs' | 'skipped' | 'again';

/** A loop that goes back to an edge join. */
interface Loop {
  readonly header: string;
  readonly body: ReadonlySet<string>;
  readonly back: readonly Way[];
}

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
    const reachable = this.#spread(branch, { present: nothing, loops: [] }, new Set(this.#starts(branch)));
    const loops = this.#loops(branch, reachable);
    const present = presentIn(state, branch);
    const running = this.#spread(branch, { present, loops }, this.#held(state, branch));
    const hasWayIn = (node: string): boolean => this.#inbound(node).some((edge) => !isBack(edge, loops));
    const undecided = this.#joins.filter((node) => !present.decided.has(node) && hasWayIn(node));
    const concerned = undecided.filter((node) => reachable.has(node) || this.#inbound(node).some(present.isTaken));
    const verdicts = concerned.map((node): [string, Verdict] => [
      node,
      this.#verdict(node, { present, loops }, running),
    ]);
    const over = loops.filter(
      ({ body, back }) => ![...body].some((node) => running.has(node)) && !back.some(present.isComing),
    );
    const isWanted = ({ header, back }: Loop, node: string): boolean => header === node && back.some(present.isTaken);
    const isWayBackTaken = ([node, verdict]: [string, Verdict]): boolean =>
      verdict === 'skipped' && loops.some((loop) => isWanted(loop, node));
    const again = over.filter(({ back }) => back.some(present.isTaken));
    return new Map([
      ...verdicts.filter((verdict) => !isWayBackTaken(verdict)),
      ...again.map(({ header }): [string, Verdict] => [header, 'again']),
    ]);
  }

  #verdict(node: string, { present, loops }: Place, running: ReadonlySet<string>): Verdict {
    const { isTaken, isComing } = present;
    const edges = this.#inbound(node).filter((edge) => !isBack(edge, loops));
    if (edges.some(isComing)) return 'open';
    const lost = edges.filter((edge) => !isTaken(edge) && !canBeTaken(edge, { present, loops }, running));
    const waits = edges.some((edge) => !isTaken(edge) && !lost.includes(edge));
    if (this.#needsAll(node)) return lost.length > 0 ? 'skipped' : waits ? 'open' : 'runs';
    return waits ? 'open' : edges.some(isTaken) ? 'runs' : 'skipped';
  }

  /** All nodes that may run in the branch, if those given do. */
  #spread(branch: Branch, place: Place, from: ReadonlySet<string>): Set<string> {
    const running = new Set(from);
    for (let size = -1; size !== running.size; ) {
      size = running.size;
      for (const way of this.#ways)
        for (const to of this.#follow(way, branch)) if (mayLeave(way.from, to, place, running)) running.add(to);
      for (const node of this.#joins)
        if (!place.present.decided.has(node) && this.#mayRun(node, place, running)) running.add(node);
    }
    return running;
  }

  /** Loops that go back to edge joins. */
  #loops(branch: Branch, reachable: ReadonlySet<string>): Loop[] {
    const isPlainEdge = (way: Way): boolean => isEdge(way) && opened(way) === null && way.on !== 'slice';
    const links = this.#ways.flatMap((way) => {
      const ends = isPlainEdge(way) ? [way.to] : this.#follow(way, branch);
      const loop = isPlainEdge(way) && way.loop !== undefined ? way.id : null;
      return reachable.has(way.from) ? ends.map((to) => ({ from: way.from, to, loop })) : [];
    });
    const nodes = this.#definition.nodes.map(({ id }) => id);
    return findPlainLoops(nodes, links).map(({ back, ...loop }) => ({
      ...loop,
      back: this.#ways.filter(({ id }) => back.has(id)),
    }));
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

  #mayRun(node: string, place: Place, running: ReadonlySet<string>): boolean {
    const { isTaken, isComing, isDrawing } = place.present;
    const comes = (edge: Way): boolean => isTaken(edge) || isComing(edge) || canBeTaken(edge, place, running);
    const needsAll = this.#needsAll(node) && !isDrawing;
    const edges = this.#inbound(node).filter((edge) => !isBack(edge, place.loops));
    return needsAll && edges.length > 0 ? edges.every(comes) : edges.some(comes);
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

/** What is known, and the loops that may go round again. */
interface Place {
  readonly present: Present;
  readonly loops: readonly Loop[];
}

const isBack = (edge: Way, loops: readonly Loop[]): boolean => loops.some(({ back }) => back.includes(edge));

/** Whether somebody may come from one node to another: now, or from a loop that may go round again. */
function mayLeave(from: string, to: string, { present, loops }: Place, running: ReadonlySet<string>): boolean {
  const left = loops.filter(({ body }) => body.has(from) && !body.has(to));
  const goesOn = ({ body, back }: Loop): boolean =>
    [...body].some((node) => running.has(node)) || back.some((way) => present.isTaken(way) || present.isComing(way));
  return running.has(from) || left.some(goesOn);
}

const canBeTaken = (edge: Way, place: Place, running: ReadonlySet<string>): boolean =>
  mayLeave(edge.from, edge.to, place, running) && opened(edge) === null && edge.on !== 'slice';
