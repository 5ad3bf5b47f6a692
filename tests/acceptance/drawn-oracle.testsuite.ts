// The oracle for drawn graphs in parallel mode: what a graph comes to by the rules DR, EJ, RT9 and FL, played step by
// step in any order that chance picks. Shares nothing with the engine. It is slow and plain on purpose: before a join
// runs or a loop goes round, it looks at everything that is still alive and asks whether that can come there.
//
// Of a failed run only status and error code are told: what else ran until then is not determined.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';

export interface DrawnNode {
  readonly id: string;
  readonly type: string;
  readonly parentId?: string;
  readonly data: JsonObject;
}

export interface DrawnEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string | null;
  readonly targetHandle: string | null;
  readonly maxIterations?: number;
  readonly data?: { readonly maxIterations: number };
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly maxIterations: number;
}

export type Answer = { readonly output: JsonObject } | { readonly code: string };

/** What an action answers. `ran` says how often its node ran before in its place (see `placeOf`). */
export type World = (call: { readonly nodeId: string; readonly input: JsonObject; readonly ran: number }) => Answer;

export interface Outcome {
  readonly status: 'completed' | 'failed';
  /** Of a failed run: the codes that it may have failed with, by what came first. */
  readonly codes: readonly string[];
  /** Undefined where the rules do not say. */
  readonly output: Json | undefined;
  /** How often each action ran: `node@place`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Items that failed, as `container@place`: how often what is in them ran is not determined, and left out. */
  readonly failedItems: readonly string[];
}

/** Gives 0 … below - 1. */
export type Draw = (below: number) => number;

/** The item that an action runs for, told by its setting `at`. */
export const placeOf = (input: JsonObject): string => textOf(input['at']);

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

// ------------------------------------------------------------------------------------------------- what is drawn

/** EJ12: all that lies on a cycle, the node at which its rounds begin, and the ways back to that node. */
export interface Loop {
  readonly head: string;
  readonly nodes: ReadonlySet<string>;
  readonly back: ReadonlySet<DrawnEdge>;
}

/** What is drawn in one container, or in none. */
export interface Level {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly starts: readonly string[];
  readonly back: ReadonlySet<DrawnEdge>;
  readonly loops: readonly Loop[];
  readonly reachable: ReadonlySet<string>;
}

const isContainer = ({ type }: DrawnNode): boolean => type === 'core.foreach';
const isFrame = ({ type }: DrawnNode): boolean => type === 'group';
const handleOf = ({ sourceHandle }: DrawnEdge): string => sourceHandle ?? 'main';

/** DR4: the container that a node is drawn in, whatever frames are between. */
export function containerOf(graph: DrawnGraph, { parentId }: DrawnNode): string | null {
  const parent = graph.nodes.find(({ id }) => id === parentId);
  if (!parent) return null;
  return isContainer(parent) ? parent.id : containerOf(graph, parent);
}

export function levelOf(graph: DrawnGraph, container: string | null): Level {
  const nodes = graph.nodes.filter((node) => !isFrame(node) && containerOf(graph, node) === container);
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = graph.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
  const starts = startsOf(graph, nodes, edges, container);
  const reachable = new Set<string>();
  const back = new Set<DrawnEdge>();
  for (const start of starts) findBack(edges, start, [], reachable, back);
  const live = edges.filter(({ source }) => reachable.has(source));
  const loops = loopsOf([...reachable], live, back, nodes);
  return { nodes, edges, starts, back, loops, reachable };
}

/** DR2, DR4. */
function startsOf(
  graph: DrawnGraph,
  nodes: readonly DrawnNode[],
  edges: readonly DrawnEdge[],
  container: string | null,
): string[] {
  const isEntered = (id: string) =>
    container !== null && graph.edges.some(({ source, target }) => source === container && target === id);
  const free = nodes.filter(({ id }) => isEntered(id) || !edges.some(({ target }) => target === id));
  if (container !== null) return free.map(({ id }) => id);
  if (free.length === 0) return nodes.slice(0, 1).map(({ id }) => id);
  const trigger = free.find(isTrigger);
  return free.filter((node) => node === trigger || !isTrigger(node)).map(({ id }) => id);
}

const isTrigger = ({ type }: DrawnNode): boolean => type.toLowerCase().includes('trigger');

/** DR3: depth first, in the order of the list of edges. */
function findBack(
  edges: readonly DrawnEdge[],
  at: string,
  way: readonly string[],
  seen: Set<string>,
  back: Set<DrawnEdge>,
): void {
  if (seen.has(at)) return;
  seen.add(at);
  const onWay = [...way, at];
  for (const edge of edges.filter(({ source }) => source === at)) {
    if (onWay.includes(edge.target)) back.add(edge);
    else findBack(edges, edge.target, onWay, seen, back);
  }
}

/** What can be come to from a node, itself only by a cycle. */
export function reach(edges: readonly DrawnEdge[], from: string, not?: string): Set<string> {
  const found = new Set<string>();
  const queue = [from];
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const { source, target } of edges) {
      if (source !== at || target === not || found.has(target)) continue;
      found.add(target);
      queue.push(target);
    }
  return found;
}

/** EJ12: the cycles, each with the loops inside it, which are what is left without the ways back to its head. */
function loopsOf(
  ids: readonly string[],
  edges: readonly DrawnEdge[],
  back: ReadonlySet<DrawnEdge>,
  order: readonly DrawnNode[],
): Loop[] {
  const cycles: string[][] = [];
  for (const id of ids) {
    if (cycles.some((cycle) => cycle.includes(id)) || !reach(edges, id).has(id)) continue;
    cycles.push(ids.filter((other) => reach(edges, id).has(other) && reach(edges, other).has(id)));
  }
  return cycles.flatMap((cycle) => {
    const inside = edges.filter(({ source, target }) => cycle.includes(source) && cycle.includes(target));
    const head = headOf(inside, back, order);
    const ways = inside.filter((edge) => back.has(edge) && edge.target === head);
    const rest = inside.filter((edge) => !ways.includes(edge));
    return [{ head, nodes: new Set(cycle), back: new Set(ways) }, ...loopsOf(cycle, rest, back, order)];
  });
}

function headOf(inside: readonly DrawnEdge[], back: ReadonlySet<DrawnEdge>, order: readonly DrawnNode[]): string {
  const heads = new Set(inside.filter((edge) => back.has(edge)).map(({ target }) => target));
  const forward = inside.filter((edge) => !back.has(edge));
  const isFirst = (head: string) => ![...heads].some((other) => other !== head && reach(forward, other).has(head));
  const first = order.find(({ id }) => heads.has(id) && isFirst(id));
  if (!first) throw new Error('Expected a cycle to have a way back, but there is none');
  return first.id;
}

/** EJ13: the ways back of loops inside another. */
function insideOf({ loops }: Level, outer: Loop): Set<DrawnEdge> {
  const inner = loops.filter((loop) => loop !== outer && [...loop.nodes].every((id) => outer.nodes.has(id)));
  return new Set(inner.flatMap(({ back }) => [...back]));
}

// --------------------------------------------------------------------------------------------------- expressions

interface Names {
  readonly input: Json;
  readonly nodes: Readonly<Record<string, Json>>;
  readonly item: Json | undefined;
  readonly failure: string | null;
}

/** A path such as `nodes.a.v`. */
function read(path: string, { input, nodes, item, failure }: Names): Json | undefined {
  const roots: Record<string, unknown> = {
    input,
    nodes,
    item,
    state: failure === null ? {} : { _failure: { code: failure } },
  };
  let value: unknown = roots;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key]; // an object, as was just seen
  }
  return value as Json | undefined; // what is below the roots is JSON
}

/** DR5, DR6. */
function settings(data: JsonObject, names: Names): JsonObject {
  const made: Record<string, Json> = {};
  for (const [key, setting] of Object.entries(data)) {
    const value = valueOf(setting, names);
    if (value !== undefined) made[key] = value;
  }
  return made;
}

function valueOf(setting: Json, names: Names): Json | undefined {
  if (typeof setting === 'string') return setting.startsWith('=') ? read(setting.slice(1), names) : setting;
  if (Array.isArray(setting)) return setting.map((one: Json) => valueOf(one, names) ?? null);
  return typeof setting === 'object' && setting !== null ? settings(setting as JsonObject, names) : setting; // no list
}

// ------------------------------------------------------------------------------------------------------- playing

type Counts = ReadonlyMap<DrawnEdge, number>;

/** A node that is about to run, runs, or has failed with nobody to handle it; then it stays there for ever. */
interface Visit {
  readonly node: string;
  readonly counts: Counts;
  readonly failure: string | null;
  input: JsonObject | null;
  ran: number;
  isStuck: boolean;
}

/** What lives in a place: a visit, a join that waits, or a loop that will go round. */
type Life =
  | { readonly is: 'visit'; readonly at: string; readonly visit: Visit }
  | { readonly is: 'join'; readonly at: string }
  | { readonly is: 'round'; readonly at: string; readonly loop: Loop };

/** What the whole run shares. */
interface Shared {
  readonly graph: DrawnGraph;
  readonly levels: Map<string | null, Level>;
  readonly input: Json;
  readonly world: World;
  readonly draw: Draw;
  readonly counts: Map<string, number>;
  /** Items that failed, as `container@place`. */
  readonly failed: Set<string>;
  ended: Map<string, Json>;
}

const highest = (all: readonly Counts[]): Counts => {
  const made = new Map<DrawnEdge, number>();
  for (const counts of all) for (const [edge, count] of counts) made.set(edge, Math.max(count, made.get(edge) ?? 0));
  return made;
};

/** A run, or one item of a container. */
class Place {
  readonly outputs: Record<string, Json> = {};
  readonly codes = new Set<string>();
  readonly #shared: Shared;
  readonly #level: Level;
  readonly #around: Readonly<Record<string, Json>>;
  readonly #item: Json | undefined;
  #visits: Visit[] = [];
  /** By join: the edges that were taken. */
  readonly #taken = new Map<string, Map<DrawnEdge, Counts>>();
  readonly #decided = new Set<string>();
  readonly #rounds = new Map<Loop, Counts[]>();

  constructor(shared: Shared, container: string | null, around: Readonly<Record<string, Json>>, item?: Json) {
    this.#shared = shared;
    this.#around = around;
    this.#item = item;
    const level = shared.levels.get(container) ?? levelOf(shared.graph, container);
    shared.levels.set(container, level);
    this.#level = level;
  }

  play(): this {
    for (const start of this.#level.starts) this.#begin(start, new Map(), null);
    for (let left = 5_000; ; left--) {
      if (left === 0) throw new Error('Expected the oracle to come to an end, but it goes on and on');
      const ready = this.#lives().filter((life) => this.#canStep(life));
      const next = ready[this.#shared.draw(Math.max(1, ready.length))];
      if (!next) break;
      this.#step(next);
    }
    if (this.codes.size === 0 && this.#lives().length > 0) throw new Error('The oracle has come to a dead lock');
    return this;
  }

  #lives(): Life[] {
    const joins = [...this.#taken.keys()].filter((id) => !this.#decided.has(id));
    return [
      ...this.#visits.map((visit): Life => ({ is: 'visit', at: visit.node, visit })),
      ...joins.map((at): Life => ({ is: 'join', at })),
      ...[...this.#rounds.keys()].map((loop): Life => ({ is: 'round', at: loop.head, loop })),
    ];
  }

  #step(life: Life): void {
    if (life.is === 'join') this.#decide(life.at);
    else if (life.is === 'round') this.#goRound(life.loop);
    else if (life.visit.input === null) this.#enter(life.visit);
    else this.#finish(life.visit, life.visit.input);
  }

  // ------------------------------------------------------------------------------------------ joins and loops

  #inbound(id: string): DrawnEdge[] {
    return this.#level.edges.filter(({ target }) => target === id);
  }

  /** DR20: a node that several edges lead to. */
  #isJoin(id: string): boolean {
    return this.#inbound(id).length > 1;
  }

  /** EJ12: ways back are not waited for. */
  #waitedFor(id: string): DrawnEdge[] {
    return this.#inbound(id).filter((edge) => !this.#level.back.has(edge));
  }

  #canStep(life: Life): boolean {
    if (life.is === 'visit') return !life.visit.isStuck;
    const others = this.#lives().filter(({ is, at }) => is !== life.is || at !== life.at);
    if (life.is === 'join') {
      const open = this.#waitedFor(life.at).filter((edge) => !this.#taken.get(life.at)?.has(edge));
      const sources = new Set(open.map(({ source }) => source));
      return !others.some((other) => this.#canCome(other, sources, life.at));
    }
    return !others.some((other) => this.#canCome(other, life.loop.nodes, life.at));
  }

  /**
   * EJ2, EJ7: whether what lives can come to one of these nodes, for somebody at `waiting`: not by ways back of loops
   * around that node, for these begin when all in them is over; and not through joins that are decided, unless they
   * begin anew by a way back.
   */
  #canCome(life: Life, targets: ReadonlySet<string>, waiting: string): boolean {
    if (life.is === 'round' && life.loop.nodes.has(waiting) && life.at !== waiting) return false;
    const renewed = new Set(life.is === 'round' ? [life.loop] : []);
    for (let known = -1; known < renewed.size; ) {
      known = renewed.size;
      if (this.#comesTo(life.at, waiting, renewed).some((id) => targets.has(id))) return true;
    }
    return false;
  }

  #comesTo(from: string, waiting: string, renewed: Set<Loop>): string[] {
    const found = [from];
    for (const at of found)
      for (const edge of this.#level.edges.filter(({ source }) => source === at)) {
        const loop = this.#level.loops.find(({ back }) => back.has(edge));
        if (loop?.nodes.has(waiting) || found.includes(edge.target)) continue;
        if (loop) renewed.add(loop);
        const isAnew = [...renewed].some(({ nodes }) => nodes.has(edge.target));
        if (this.#decided.has(edge.target) && !isAnew) continue;
        found.push(edge.target);
      }
    return found;
  }

  /** EJ3, EJ8. */
  #decide(id: string): void {
    const came = this.#taken.get(id) ?? new Map<DrawnEdge, Counts>();
    this.#decided.add(id);
    const needsAll = this.#nodeOf(id).data['require'] === 'all';
    if (!needsAll || came.size === this.#waitedFor(id).length) this.#visit(id, highest([...came.values()]), null);
  }

  /** EJ13. */
  #goRound(loop: Loop): void {
    const came = this.#rounds.get(loop) ?? [];
    this.#rounds.delete(loop);
    for (const id of loop.nodes) {
      this.#taken.delete(id);
      this.#decided.delete(id);
    }
    const inside = insideOf(this.#level, loop);
    const counts = [...highest(came)].filter(([edge]) => !inside.has(edge));
    this.#begin(loop.head, new Map(counts), null);
  }

  #begin(id: string, counts: Counts, failure: string | null): void {
    if (this.#isJoin(id)) this.#decided.add(id);
    this.#visit(id, counts, failure);
  }

  #visit(node: string, counts: Counts, failure: string | null): void {
    this.#visits.push({ node, counts, failure, input: null, ran: 0, isStuck: false });
  }

  // ---------------------------------------------------------------------------------------------------- nodes

  #nodeOf(id: string): DrawnNode {
    return this.#level.nodes.find((node) => node.id === id) as DrawnNode; // edges name nodes that there are
  }

  #names({ failure }: Visit): Names {
    const nodes = { ...this.#around, ...this.outputs };
    return { input: this.#shared.input, nodes, item: this.#item, failure };
  }

  #enter(visit: Visit): void {
    const names = this.#names(visit);
    const input: Record<string, Json> = {
      ...settings(this.#nodeOf(visit.node).data, names),
      ...this.#ports(visit, names),
    };
    visit.input = input;
    if (this.#nodeOf(visit.node).type.startsWith('core.') || this.#beginsRun(visit.node)) return;
    const key = `${visit.node}@${placeOf(input)}`;
    visit.ran = this.#shared.counts.get(key) ?? 0;
    this.#shared.counts.set(key, visit.ran + 1);
  }

  /** DR7. */
  #ports({ node }: Visit, { nodes }: Names): JsonObject {
    const made: Record<string, Json> = {};
    for (const { targetHandle, source } of this.#inbound(node)) {
      const output = nodes[source];
      if (targetHandle === null || targetHandle === 'main' || output === undefined) continue;
      if (!Object.hasOwn(made, targetHandle)) made[targetHandle] = output;
    }
    return made;
  }

  #finish(visit: Visit, input: JsonObject): void {
    const node = this.#nodeOf(visit.node);
    if (this.#beginsRun(node.id)) this.#done(visit, this.#shared.input, this.#handlesOf(node.id));
    else if (node.type === 'core.condition') this.#condition(visit, node);
    else if (node.type === 'core.switch') this.#switch(visit, node, input);
    else if (node.type === 'core.merge') this.#done(visit, this.#merged(visit), ['main']);
    else if (node.type === 'core.foreach') this.#foreach(visit, node, input);
    else if (node.type === 'core.end') this.#end(visit, input);
    else this.#action(visit, input);
  }

  /** DR6: a trigger that no edge leads to. */
  #beginsRun(id: string): boolean {
    return isTrigger(this.#nodeOf(id)) && this.#inbound(id).length === 0;
  }

  /** All but that for failures. */
  #handlesOf(id: string): string[] {
    const own = this.#level.edges.filter(({ source }) => source === id).map(handleOf);
    return own.filter((handle) => handle !== 'error');
  }

  /** DR8. */
  #action(visit: Visit, input: JsonObject): void {
    const answer = this.#shared.world({ nodeId: visit.node, input, ran: visit.ran });
    if ('code' in answer) this.#failed(visit, answer.code);
    else {
      const { _branch: named, ...output } = answer.output;
      const all = this.#handlesOf(visit.node);
      const list = Array.isArray(named) ? named.map((one: Json) => textOf(one)) : [textOf(named)];
      this.#done(visit, output, named === undefined ? all : list);
    }
  }

  #failed(visit: Visit, code: string): void {
    const ways = this.#level.edges.filter((edge) => edge.source === visit.node && handleOf(edge) === 'error');
    if (ways.length === 0) this.#failPath(visit, [code]);
    else this.#route(visit, ways, code);
  }

  /** DR10. */
  #condition(visit: Visit, { data }: DrawnNode): void {
    const value = read(textOf(data['condition']).replace(/^=/u, ''), this.#names(visit));
    if (typeof value === 'boolean') this.#done(visit, value, [String(value)]);
    else this.#failed(visit, value === undefined ? 'VALUE_MISSING' : 'EXPRESSION_FAILED');
  }

  /** DR11. */
  #switch(visit: Visit, { data }: DrawnNode, input: JsonObject): void {
    const cases = data['cases'] as readonly JsonObject[]; // so drawn
    const holds = ({ when, equals }: JsonObject) =>
      when === undefined ? equals === input['value'] : read(textOf(when), this.#names(visit)) === true;
    const handle = textOf(cases.find(holds)?.['handle'] ?? 'default');
    this.#done(visit, handle, [handle]);
  }

  /** DR18. */
  #merged(visit: Visit): JsonObject {
    const { nodes } = this.#names(visit);
    return Object.fromEntries(this.#inbound(visit.node).map(({ source }) => [source, nodes[source] ?? null]));
  }

  /** DR19. */
  #end(visit: Visit, input: JsonObject): void {
    this.#shared.ended.set(visit.node, input['output'] ?? null);
    this.#done(visit, undefined, []);
  }

  /** DR16. */
  #foreach(visit: Visit, { id, data }: DrawnNode, input: JsonObject): void {
    const items = input['items'] as readonly Json[]; // so drawn
    const nodes = this.#names(visit).nodes;
    const places = items.map((item) => new Place(this.#shared, id, nodes, item).play());
    const failed = places.filter(({ codes }) => codes.size > 0);
    places.forEach((place, index) => {
      if (place.codes.size > 0) this.#shared.failed.add(`${id}@${placeOf({ at: keyOf(items[index] ?? null) })}`);
    });
    const { tolerateFailures: tolerated = 0 } = data;
    if (tolerated !== true && failed.length > Number(tolerated)) {
      const codes = failed.flatMap((place) => [...place.codes]);
      const ways = this.#level.edges.filter((edge) => edge.source === id && handleOf(edge) === 'error');
      if (ways.length === 0) return this.#failPath(visit, codes);
      // BA12: the others are called off, wherever they are.
      for (const item of items) this.#shared.failed.add(`${id}@${placeOf({ at: keyOf(item) })}`);
      return this.#route(visit, ways, codes[0] ?? null);
    }
    const isEmpty = !this.#shared.graph.nodes.some((node) => containerOf(this.#shared.graph, node) === id);
    const tells = tolerated !== 0 && !isEmpty;
    const list = places.map((place, index) => (tells ? place.#report(id, index) : place.#comesToValue(id)));
    this.#done(visit, list, ['main']);
  }

  #comesToValue(container: string): Json {
    const { output } = this.#shared.graph.nodes.find(({ id }) => id === container)?.data ?? {};
    const names = {
      input: this.#shared.input,
      nodes: { ...this.#around, ...this.outputs },
      item: this.#item,
      failure: null,
    };
    if (this.#level.nodes.length === 0) return null;
    if (output !== undefined) return valueOf(output, names) ?? null;
    const { nodes, edges, back } = this.#level;
    const last = nodes.filter(({ id }) => !edges.some((edge) => edge.source === id && !back.has(edge)));
    const [only] = last;
    if (only && last.length === 1) return this.outputs[only.id] ?? null;
    return Object.fromEntries(last.map(({ id }) => [id, this.outputs[id] ?? null]));
  }

  #report(container: string, index: number): Json {
    if (this.codes.size > 0) return { index, status: 'failed', error: { codes: [...this.codes].toSorted() } };
    return { index, status: 'completed', output: this.#comesToValue(container) };
  }

  // -------------------------------------------------------------------------------------------------- routing

  #done(visit: Visit, output: Json | undefined, handles: readonly string[]): void {
    if (output !== undefined) this.outputs[visit.node] = output;
    const isNamed = (edge: DrawnEdge) => edge.source === visit.node && handles.includes(handleOf(edge));
    this.#route(visit, this.#level.edges.filter(isNamed), null);
  }

  #route(visit: Visit, edges: readonly DrawnEdge[], failure: string | null): void {
    // RT9: the limit of one way back is enough.
    const limits = edges.filter((edge) => this.#level.back.has(edge));
    if (limits.some((edge) => (visit.counts.get(edge) ?? 0) >= this.#limitOf(edge))) {
      this.#failPath(visit, ['LOOP_EXHAUSTED']);
      return;
    }
    this.#visits = this.#visits.filter((one) => one !== visit);
    for (const edge of edges) this.#arrive(edge, visit, failure ?? visit.failure);
  }

  #limitOf(edge: DrawnEdge): number {
    return edge.maxIterations ?? edge.data?.maxIterations ?? this.#shared.graph.maxIterations;
  }

  #arrive(edge: DrawnEdge, { counts }: Visit, failure: string | null): void {
    const loop = this.#level.loops.find(({ back }) => back.has(edge));
    if (loop) {
      const next = new Map(counts);
      next.set(edge, (counts.get(edge) ?? 0) + 1);
      this.#rounds.set(loop, [...(this.#rounds.get(loop) ?? []), next]);
    } else if (!this.#isJoin(edge.target)) this.#visit(edge.target, counts, failure);
    else if (!this.#decided.has(edge.target)) {
      // EJ1: a second token on an edge has no effect.
      const taken = this.#taken.get(edge.target) ?? new Map<DrawnEdge, Counts>();
      if (!taken.has(edge)) taken.set(edge, counts);
      this.#taken.set(edge.target, taken);
    }
  }

  #failPath(visit: Visit, codes: readonly string[]): void {
    visit.isStuck = true;
    for (const code of codes) this.codes.add(code);
  }
}

const keyOf = (item: Json): Json => (item as JsonObject)['k'] ?? null; // items are drawn with a key

/** Plays the run once, in an order that `draw` picks. */
export function playDrawn(graph: DrawnGraph, input: Json, world: World, draw: Draw): Outcome {
  const counts = new Map<string, number>();
  const failed = new Set<string>();
  const shared: Shared = { graph, levels: new Map(), input, world, draw, counts, failed, ended: new Map() };
  const place = new Place(shared, null, {}).play();
  if (place.codes.size > 0)
    return { status: 'failed', codes: [...place.codes], output: undefined, counts: {}, failedItems: [] };
  const certain = [...counts].filter(([key]) => ![...failed].some((item) => isWithin(graph, key, item)));
  const sorted = certain.toSorted(([left], [right]) => (left < right ? -1 : 1));
  const output = outputOf(shared, place);
  return { status: 'completed', codes: [], output, counts: Object.fromEntries(sorted), failedItems: [...failed] };
}

/** DR9. */
function outputOf({ graph, ended }: Shared, { outputs }: Place): Json | undefined {
  const ends = graph.nodes.filter(({ type }) => type === 'core.end');
  if (ends.length === 0) return outputs;
  const first = ends.find(({ id }) => ended.has(id));
  return first && ended.get(first.id);
}

/** Whether `node@place` is in the item `container@place`. */
export function isWithin(graph: DrawnGraph, key: string, item: string): boolean {
  const [node = '', place = ''] = key.split('@');
  const [container = '', at = ''] = item.split('@');
  if (place !== at && !place.startsWith(`${at}.`)) return false;
  for (let outer = outerOf(graph, node); outer !== null; outer = outerOf(graph, outer))
    if (outer === container) return true;
  return false;
}

function outerOf(graph: DrawnGraph, id: string): string | null {
  const node = graph.nodes.find((one) => one.id === id);
  return node ? containerOf(graph, node) : null;
}
