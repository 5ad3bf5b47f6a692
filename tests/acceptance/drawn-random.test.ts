// Random drawn graphs in parallel mode: ways beside each other, joins, loops in loops, containers in containers, ways
// for failures. Their actions are answered in random order, some runs at a time, and each run must come to what the
// oracle says (`drawn-oracle.testsuite.ts`). Graphs whose end depends on what comes first are left out: the oracle plays
// each in several orders. `HEDDLE_SEEDS=5000` tries that many, `HEDDLE_SEED=7` begins at another seed.

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import { dice } from '../../packages/heddle/src/core/dice.testsuite.ts';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import {
  containerOf,
  type Draw,
  type DrawnEdge,
  type DrawnGraph,
  type DrawnNode,
  isWithin,
  type Level,
  levelOf,
  type Outcome,
  placeOf,
  playDrawn,
  reach,
  type World,
} from './drawn-oracle.testsuite.ts';
import { type AcceptanceHost, alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import { memoryStage } from './play.testsuite.ts';
import { callAt, register } from './token-engine.testsuite.ts';

const seeds = Number(process.env['HEDDLE_SEEDS'] ?? 400);
const firstSeed = Number(process.env['HEDDLE_SEED'] ?? 1);
const atATime = 20;
/** A task may be lost at every restart. */
const actions = { scripted: ['work', 'work.trigger'], limits: { dispatchesMax: 10_000 } } as const;
const timeout = 60_000 + seeds * 200;

// ------------------------------------------------------------------------------------------------------- drawing

/** What a suite wants more of. */
interface Taste {
  readonly loops: boolean;
  readonly containers: boolean;
  readonly failures: boolean;
  readonly types: boolean;
  readonly triggers: boolean;
}

const oneOf = <Item>(draw: Draw, items: readonly Item[]): Item => items[draw(items.length)] as Item; // never empty
const chance = (draw: Draw, percent: number): boolean => draw(100) < percent;

function shuffled<Item>(draw: Draw, items: readonly Item[]): Item[] {
  const left = [...items];
  return items.map(() => left.splice(draw(left.length), 1)[0] as Item); // one for each
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type NodeDraft = Writable<Omit<DrawnNode, 'data'>> & { data: Record<string, Json> };
type EdgeDraft = Writable<DrawnEdge>;

class Pencil {
  readonly nodes: NodeDraft[] = [];
  readonly edges: EdgeDraft[] = [];
  readonly #draw: Draw;
  readonly #taste: Taste;
  readonly #maxIterations: number;

  constructor(draw: Draw, taste: Taste) {
    this.#draw = draw;
    this.#taste = taste;
    this.#maxIterations = 2 + draw(3);
  }

  graph(): DrawnGraph {
    this.#level(null, 3 + this.#draw(7), 0);
    const isMixed = chance(this.#draw, 50);
    const nodes = isMixed ? shuffled(this.#draw, this.nodes) : this.nodes;
    const edges = isMixed ? shuffled(this.#draw, this.edges) : this.edges;
    const graph = { nodes, edges, maxIterations: this.#maxIterations };
    for (const node of this.nodes) if (node.type !== 'group') this.#fill(graph, node);
    return graph;
  }

  #level(container: string | null, size: number, depth: number): void {
    const own: NodeDraft[] = [];
    for (let index = 0; index < size; index++) {
      const parent = container !== null && chance(this.#draw, 10) ? this.#frame(container) : container;
      const id = `n${this.nodes.length}`;
      const node: NodeDraft = { id, type: 'work', data: {}, ...(parent === null ? {} : { parentId: parent }) };
      this.nodes.push(node);
      if (own.length > 0) this.#lead(own, node);
      node.type = this.#type(node, container, depth);
      own.push(node);
    }
    for (let count = this.#taste.loops ? 1 + this.#draw(3) : 0; count > 0; count--) this.#leadBack(own, container);
    for (const node of own) if (node.type === 'core.foreach') this.#level(node.id, 1 + this.#draw(4), depth + 1);
  }

  #frame(container: string): string {
    const id = `frame${this.nodes.length}`;
    this.nodes.push({ id, type: 'group', parentId: container, data: {} });
    return id;
  }

  #type({ id }: NodeDraft, container: string | null, depth: number): string {
    const isStart = !this.edges.some(({ target }) => target === id);
    if (this.#taste.triggers && isStart && container === null && chance(this.#draw, 15)) return 'work.trigger';
    if (this.#taste.containers && depth < 2 && chance(this.#draw, 20)) return 'core.foreach';
    const hasPorts = this.edges.some(({ target, targetHandle }) => target === id && targetHandle !== null);
    if (!this.#taste.types || hasPorts) return 'work';
    const end = container === null && !isStart && chance(this.#draw, 30) ? ['core.end'] : [];
    const types = ['work', 'work', 'work', 'core.condition', 'core.switch', ...(isStart ? [] : ['core.merge']), ...end];
    return oneOf(this.#draw, types);
  }

  #handle({ type }: NodeDraft): string | null {
    if (type === 'core.condition') return oneOf(this.#draw, ['true', 'false']);
    if (type === 'core.switch') return oneOf(this.#draw, ['p', 'q', 'default']);
    if (type === 'core.foreach') return this.#taste.failures && chance(this.#draw, 30) ? 'error' : null;
    if (type.startsWith('core.')) return null;
    return oneOf(this.#draw, [null, null, null, 'x', 'x', 'y', ...(this.#taste.failures ? ['error'] : [])]);
  }

  #edge(source: NodeDraft, target: NodeDraft): EdgeDraft {
    const ends = { source: source.id, target: target.id };
    const edge = { id: `e${this.edges.length}`, ...ends, sourceHandle: this.#handle(source), targetHandle: null };
    this.edges.push(edge);
    return edge;
  }

  /** Ways to a node from some of those before it. */
  #lead(before: readonly NodeDraft[], node: NodeDraft): void {
    const from = before.filter(({ type }) => type !== 'core.end');
    if (from.length === 0) return;
    for (let count = oneOf(this.#draw, [0, 1, 1, 1, 1, 1, 2, 2, 2, 3]); count > 0; count--) {
      const near = chance(this.#draw, 70) ? from.slice(-3) : from;
      const edge = this.#edge(oneOf(this.#draw, near), node);
      if (chance(this.#draw, 20)) edge.targetHandle = oneOf(this.#draw, ['in1', 'in2']);
    }
  }

  #leadBack(own: readonly NodeDraft[], container: string | null): void {
    const sources = own.filter(({ type }) => !['core.end', 'core.merge', 'core.foreach'].includes(type));
    if (sources.length === 0) return;
    const from = oneOf(this.#draw, sources.slice(this.#draw(sources.length)));
    const isInner = (id: string) => this.edges.some(({ target }) => target === id);
    // DR2: an edge to a node where the run begins would leave it where no way leads, unless edges lead to every node.
    const canLead = (id: string) =>
      container !== null ||
      isInner(id) ||
      own.every((other) => other.id === id || isInner(other.id)) ||
      chance(this.#draw, 5);
    const heads = own.filter(({ id }) => id === from.id || reach(this.edges, id).has(from.id));
    const fit = heads.filter(({ id, type }) => type !== 'core.merge' && canLead(id));
    if (fit.length === 0) return;
    const head = oneOf(this.#draw, fit);
    // DR4: what is in a container can begin at a node that edges lead to, if the container leads to it.
    if (container !== null && !isInner(head.id))
      this.edges.push({
        id: `e${this.edges.length}`,
        source: container,
        target: head.id,
        sourceHandle: null,
        targetHandle: null,
      });
    const edge = this.#edge(from, head);
    if (from.type.startsWith('work') && chance(this.#draw, 92)) edge.sourceHandle = 'again';
    const limit = 1 + this.#draw(4);
    const place = this.#draw(3);
    if (place === 0) edge.maxIterations = limit;
    if (place === 1) edge.data = { maxIterations: limit };
  }

  // ------------------------------------------------------------------------------------------------- settings

  #fill(graph: DrawnGraph, node: NodeDraft): void {
    const chain = chainOf(graph, node);
    const inside = chain.length > 1;
    const sure = chain.flatMap(({ level, id }) => surelyBefore(level, id));
    const before = chain.flatMap(({ level, id }) => readable(level, id));
    const root = inside ? 'item' : 'input';
    const readSure = (key: string) => oneOf(this.#draw, [`${root}.${key}`, ...sure.map((id) => `nodes.${id}.${key}`)]);
    const { data } = node;
    if (node.type === 'core.condition') {
      // What is no truth value has a test of its own below.
      data['condition'] = `${chance(this.#draw, 50) ? '=' : ''}${readSure('yes')}`;
    } else if (node.type === 'core.switch') {
      data['value'] = `=${readSure('v')}`;
      const cases = [
        { equals: 0, handle: 'p' },
        { when: readSure('yes'), handle: 'q' },
        { equals: 1, handle: 'p' },
      ];
      data['cases'] = cases.slice(this.#draw(2));
    } else if (node.type === 'core.foreach') this.#fillForeach(graph, node, inside);
    else if (node.type === 'core.merge') this.#fillMerge(graph, node);
    else if (node.type === 'core.end') data['output'] = { of: node.id, v: `=${readSure('v')}` };
    else this.#fillWork(graph, node, { inside, before });
  }

  #fillWork(
    graph: DrawnGraph,
    { id, data }: NodeDraft,
    { inside, before }: { inside: boolean; before: string[] },
  ): void {
    if (inside) data['at'] = '=item.k';
    if (before.length > 0 && chance(this.#draw, 50)) data['r'] = `=nodes.${oneOf(this.#draw, before)}`;
    if (before.length > 0 && chance(this.#draw, 20)) data['in1'] = `=nodes.${oneOf(this.#draw, before)}.v`;
    if (chance(this.#draw, 20)) data['deep'] = { c: 1, v: '=input.v' };
    const [only, ...more] = graph.edges.filter(({ target }) => target === id);
    // Which of its items failed first is not determined.
    const isItem = graph.nodes.some((node) => node.id === only?.source && node.type === 'core.foreach');
    if (only?.sourceHandle === 'error' && more.length === 0 && only.source !== id && !isItem)
      data['why'] = '=state._failure.code';
  }

  #fillMerge(graph: DrawnGraph, node: NodeDraft): void {
    const level = levelAround(graph, node);
    // A merge that requires an edge from where no way leads to has a test of its own below.
    const isMet = level.edges.every(({ source, target }) => target !== node.id || level.reachable.has(source));
    if (isMet && chance(this.#draw, 40)) node.data['require'] = 'all';
  }

  #fillForeach(graph: DrawnGraph, { id, data }: NodeDraft, inside: boolean): void {
    data['items'] = inside ? '=item.sub' : '=input.list';
    if (chance(this.#draw, 60)) data['parallel'] = 1 + this.#draw(3);
    if (this.#taste.failures && chance(this.#draw, 60)) data['tolerateFailures'] = chance(this.#draw, 70) ? true : 1;
    const level = levelOf(graph, id);
    const fails = (from: string) =>
      level.edges.some(({ source, sourceHandle }) => source === from && sourceHandle === 'error');
    const start = level.nodes.find((node) => level.starts.includes(node.id) && node.type === 'work' && !fails(node.id));
    const onlyBack = level.nodes.some((node) => {
      const ways = level.edges.filter(({ source }) => source === node.id);
      return ways.length > 0 && ways.every((edge) => level.back.has(edge));
    });
    // What the last node is, is not said where nothing but a way back leaves it.
    const hasOutput = onlyBack || chance(this.#draw, 25);
    // The output of a container that tolerates failures has a test of its own below.
    if (hasOutput && data['tolerateFailures'] === undefined)
      data['output'] = start ? `=nodes.${start.id}.v` : '=item.v';
  }
}

function levelAround(graph: DrawnGraph, node: DrawnNode): Level {
  return levelOf(graph, containerOf(graph, node));
}

/** The levels around a node, its own first, each with the node there that it is or is in. */
function chainOf(graph: DrawnGraph, node: DrawnNode): { level: Level; id: string }[] {
  const container = containerOf(graph, node);
  const here = { level: levelOf(graph, container), id: node.id };
  const outer = graph.nodes.find(({ id }) => id === container);
  return outer ? [here, ...chainOf(graph, outer)] : [here];
}

const forward = ({ edges, back, reachable }: Level): DrawnEdge[] =>
  edges.filter((edge) => !back.has(edge) && reachable.has(edge.source));

/** What is settled in this round when the node runs: what leads to it, and is in no loop that it is not in. */
function readable(level: Level, id: string): string[] {
  const ways = forward(level);
  const isOutside = (other: string) => level.loops.some(({ nodes }) => nodes.has(other) && !nodes.has(id));
  const isBefore = (other: string) => other !== id && reach(ways, other).has(id) && !isOutside(other);
  return level.nodes.filter((node) => isBefore(node.id) && node.type !== 'core.end').map((node) => node.id);
}

/** Actions that every way to the node leads through, and that cannot have failed. */
function surelyBefore(level: Level, id: string): string[] {
  const canAvoid = (other: string) =>
    level.starts.some((start) => start !== other && (start === id || reach(level.edges, start, other).has(id)));
  const mayFail = (other: string) =>
    level.edges.some(({ source, sourceHandle }) => source === other && sourceHandle === 'error');
  const isWork = (other: string) => level.nodes.some((node) => node.id === other && node.type.startsWith('work'));
  return readable(level, id).filter((other) => isWork(other) && !canAvoid(other) && !mayFail(other));
}

// ----------------------------------------------------------------------------------------------------- answering

function stable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => stable(one)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // Of an item that failed, which of several failures came first and what was done before is not determined.
  const entries = Object.entries(value).filter(
    ([key]) => !isFailedItem(value) || (key !== 'error' && key !== 'output'),
  );
  const sorted = entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([key, one]) => `${key}:${stable(one)}`).join()}}`;
}

const isFailedItem = (value: object): boolean => 'status' in value && value.status === 'failed' && 'index' in value;

function hash(text: string): number {
  let made = 7;
  for (const letter of text) made = (made * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return made;
}

/** Answers that depend on the seed, the node, its place, and how often it ran there. */
function worldOf(graph: DrawnGraph, seed: number, taste: Taste): World {
  const steady = steadyNodes(graph);
  return ({ nodeId, input, ran }) => {
    const times = steady.has(nodeId) ? 0 : ran;
    const draw = dice(hash(`${seed} ${nodeId} ${placeOf(input)} ${times}`));
    const handles = [...new Set(graph.edges.filter(({ source }) => source === nodeId).map(handleName))];
    const isHandled = handles.includes('error');
    if (taste.failures && chance(draw, isHandled ? 40 : 2)) return { code: `E_${nodeId}` };
    const output = {
      of: nodeId,
      ran: times,
      got: steady.has(nodeId) ? 0 : hash(stable(input)),
      yes: chance(draw, 50),
      v: draw(3),
    };
    return { output: { ...output, ...takenHandles(draw, handles, times) } };
  };
}

const handleName = ({ sourceHandle }: DrawnEdge): string => sourceHandle ?? 'main';

/** Ways back are taken less and less. */
function takenHandles(draw: Draw, handles: readonly string[], times: number): JsonObject {
  const plain = handles.filter((handle) => handle !== 'error' && handle !== 'again');
  const again = handles.includes('again') && chance(draw, 75 - 20 * times) ? ['again'] : [];
  if (handles.includes('again') ? chance(draw, 5) : chance(draw, 60)) return {};
  if (again.length + plain.length > 0 && chance(draw, 35))
    return { _branch: oneOf(draw, [...again, ...again, ...plain]) };
  return { _branch: [...again, ...plain.filter(() => chance(draw, 75)), ...(chance(draw, 10) ? ['nowhere'] : [])] };
}

/**
 * Nodes that answer the same however often they ran before, for that is not determined: where a failure ends an item and
 * the item may come again, and behind a loop, where a node may run several times at once.
 */
function steadyNodes(graph: DrawnGraph): Set<string> {
  const tolerates = (id: string) => graph.nodes.some((node) => node.id === id && 'tolerateFailures' in node.data);
  const isBehindLoop = ({ level, id }: { level: Level; id: string }) =>
    level.loops.some(({ head, nodes }) => !nodes.has(id) && reach(level.edges, head).has(id));
  const isSteady = (node: DrawnNode) => {
    const [, ...outer] = chainOf(graph, node);
    if (chainOf(graph, node).some(isBehindLoop)) return true;
    return outer.some(({ id }) => tolerates(id)) && outer.some(({ level }) => level.loops.length > 0);
  };
  return new Set(graph.nodes.filter((node) => node.type !== 'group' && isSteady(node)).map(({ id }) => id));
}

function inputOf(draw: Draw): JsonObject {
  const values = () => ({ yes: chance(draw, 50), v: draw(3) });
  const items = (prefix: string, depth: number): JsonObject[] =>
    Array.from({ length: draw(4) }, (_, index) => {
      const k = `${prefix}${index}`;
      return { k, ...values(), ...(depth > 0 ? { sub: items(`${k}.`, depth - 1) } : {}) };
    });
  return { ...values(), list: items('', 1) };
}

// --------------------------------------------------------------------------------------------------------- trials

interface Trial {
  readonly seed: number;
  readonly graph: DrawnGraph;
  readonly input: JsonObject;
  readonly world: World;
  readonly outcome: Outcome;
}

const schedules = 6;

/** Null if what comes of the graph depends on what comes first. */
function trialOf(seed: number, taste: Taste): Trial | null {
  const draw = dice(seed);
  // Graphs of actions alone go furthest.
  const graph = new Pencil(draw, { ...taste, types: taste.types && chance(draw, 50) }).graph();
  if (hasLostParts(graph)) return null;
  const input = inputOf(draw);
  const world = worldOf(graph, seed, taste);
  const trial = { seed, graph, input, world, outcome: playDrawn(graph, input, world, dice(0)) };
  return isDependent(trial, schedules) ? null : trial;
}

/** Containers that no way leads to, and edges from there into what runs: they have tests of their own below. */
function hasLostParts(graph: DrawnGraph): boolean {
  const containers = graph.nodes.filter(({ type }) => type === 'core.foreach');
  const isLost = (node: DrawnNode) => !levelAround(graph, node).reachable.has(node.id);
  const levels = [null, ...containers.map(({ id }) => id)].map((id) => levelOf(graph, id));
  const joins = ({ edges, reachable }: Level) =>
    edges.some(({ source, target }) => reachable.has(target) && !reachable.has(source));
  return containers.some(isLost) || levels.some(joins);
}

/** Whether another order gives something else. */
function isDependent({ graph, input, world, outcome }: Trial, orders: number): boolean {
  const textOf = (one: Outcome) => stable(JSON.parse(JSON.stringify({ ...one, codes: one.codes.toSorted() })) as Json); // JSON
  const text = textOf(outcome);
  return Array.from({ length: orders }, (_, index) => index + 1).some(
    (seed) => textOf(playDrawn(graph, input, world, dice(seed))) !== text,
  );
}

/** One run, and which of its actions have been called so far. */
interface Played extends Trial {
  readonly runId: string;
  /** By idempotency key: how often the node had run before. */
  readonly ran: Map<string, number>;
  readonly counts: Map<string, number>;
}

async function launch(t: TestEngine, trial: Trial, index: number): Promise<Played> {
  const { graph, input } = trial;
  const place = (node: DrawnNode) => ({ ...node, position: { x: 0, y: 0 } });
  const drawn = { ...graph, id: `g${index}`, nodes: graph.nodes.map(place), ...alarmsAreMeant };
  await register(t.engine, drawn).catch((error: unknown) =>
    Promise.reject(new Error(`${label(trial)}: ${String(error)}`)),
  );
  const run = await t.engine.start(drawn.id, input);
  return { ...trial, runId: run.id, ran: new Map(), counts: new Map() };
}

/** Counts a call when it is seen first: handed out again after a restart, it is the same. */
function ranBefore({ ran, counts }: Played, { nodeId, input, idempotencyKey }: ScriptedCall): number {
  const key = `${nodeId}@${placeOf(input)}`;
  const times = ran.get(idempotencyKey) ?? counts.get(key) ?? 0;
  if (!ran.has(idempotencyKey)) counts.set(key, times + 1);
  ran.set(idempotencyKey, times);
  return times;
}

function answer(played: Played, call: ScriptedCall): void {
  const made = played.world({ nodeId: call.nodeId, input: call.input, ran: ranBefore(played, call) });
  if ('code' in made) call.fail(new ActionError('no', { code: made.code }));
  else call.complete(made.output);
}

/** Shows a graph in few words. */
function label({ seed, graph, input }: Trial): string {
  const nodes = graph.nodes.map(
    ({ id, type, parentId, data }) => `  ${id} ${type} in ${parentId ?? '-'} ${JSON.stringify(data)}`,
  );
  const edges = graph.edges.map(
    ({ source, sourceHandle, target, targetHandle, maxIterations, data }) =>
      `  ${source}:${sourceHandle ?? ''}->${target}:${targetHandle ?? ''} ${maxIterations ?? data?.maxIterations ?? ''}`,
  );
  return [
    `seed ${seed}, input ${JSON.stringify(input)}, maxIterations ${graph.maxIterations}`,
    ...nodes,
    ...edges,
  ].join('\n');
}

/** What the oracle leaves open of an item that failed is taken from what was found, if it may be so. */
function settled(expected: Json | undefined, found: Json | undefined): Json | undefined {
  if (typeof expected !== 'object' || expected === null || typeof found !== 'object' || found === null) return expected;
  // Members of JSON are JSON, by index as by key.
  const of = (value: object, key: string) => (value as Record<string, Json | undefined>)[key];
  if (Array.isArray(expected))
    return expected.map((one: Json, index) => settled(one, of(found, String(index))) ?? null);
  if (isFailedItem(expected) && isFailedItem(found)) return mayBe(expected as JsonObject, found as JsonObject); // no lists
  const entries = Object.entries(expected).map(([key, one]) => [key, settled(one, of(found, key))]);
  return Object.fromEntries(entries) as JsonObject; // made of JSON
}

function mayBe(expected: JsonObject, found: JsonObject): JsonObject {
  const { codes } = expected['error'] as { codes: string[] }; // so made by the oracle
  const { code } = found['error'] as { code: string }; // so are all errors
  return codes.includes(code) && expected['index'] === found['index'] ? found : expected;
}

async function check(t: TestEngine, played: Played): Promise<void> {
  const { outcome, graph, counts } = played;
  const { status, output, error } = (await t.engine.run(played.runId).summary()) as unknown as {
    status: string;
    output: Json;
    error?: { code: string } | null;
  }; // the fields that are looked at
  const known = [...counts].filter(([key]) => !outcome.failedItems.some((item) => isWithin(graph, key, item)));
  const isFailed = outcome.status === 'failed';
  const code = error?.code ?? null;
  const found = { status, code, ...(isFailed ? {} : { output, counts: Object.fromEntries(known) }) };
  const expectedCode = isFailed && !outcome.codes.includes(String(code)) ? outcome.codes : code;
  const expected = {
    status: outcome.status,
    code: isFailed ? expectedCode : null,
    ...(isFailed ? {} : { output: settled(outcome.output, output) ?? output, counts: outcome.counts }),
  };
  expect(found, label(played)).toEqual(expected);
}

/** Few orders may have missed that what comes first decides: then what was found comes of another order. */
async function checkOrders(t: TestEngine, played: Played, error: unknown): Promise<void> {
  for (let order = 1; order <= schedules * 50; order++) {
    const outcome = playDrawn(played.graph, played.input, played.world, dice(order));
    const isSame = await check(t, { ...played, outcome }).then(
      () => true,
      () => false,
    );
    if (isSame) return;
  }
  throw error;
}

interface Playing {
  readonly host: AcceptanceHost;
  /** After every step the engine is closed, without waiting for what was answered, and opened again. */
  readonly isRestarting: boolean;
}

const stepsMax = 2_000;

async function playBatch({ host, isRestarting }: Playing, trials: readonly Trial[]): Promise<void> {
  let t = await host.open(actions);
  const draw = dice(trials[0]?.seed ?? 0);
  const all: Played[] = [];
  for (const trial of trials) all.push(await launch(t, trial, all.length));
  const byRun = new Map(all.map((played) => [played.runId, played]));
  for (let step = 0; ; step++) {
    await t.settle();
    const open = t.script.calls.filter(({ isAnswered, signal }) => !isAnswered && !signal.aborted);
    if (open.length === 0) break;
    if (step > stepsMax) throw new Error(`Expected the runs to end, but they go on: seeds from ${trials[0]?.seed}`);
    for (const call of open) ranBefore(byRun.get(call.runId) as Played, call); // only these runs are there
    const share = 10 + draw(100);
    const some = shuffled(draw, open).filter(() => chance(draw, share));
    for (const call of some) answer(byRun.get(call.runId) as Played, call); // only these runs are there
    // Where everything is a request, the restart would cut off the answers.
    if (isRestarting && host.stride > 1) await t.settle();
    if (isRestarting) t = await host.restart(t, actions);
  }
  for (const played of all) await check(t, played).catch((error: unknown) => checkOrders(t, played, error));
  await t.engine.close({ graceMs: 0 });
}

async function playAll(playing: Playing, taste: Taste, count: number): Promise<void> {
  let batch: Trial[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const trial = trialOf(seed, taste);
    if (trial) batch.push(trial);
    if (batch.length < atATime && seed + 1 < firstSeed + count) continue;
    await playBatch(playing, batch);
    batch = [];
  }
}

const plain: Taste = { loops: false, containers: false, failures: false, types: false, triggers: false };

const everything: Taste = { ...plain, loops: true, containers: true, failures: true, types: true };

const suites: readonly (readonly [string, Taste])[] = [
  ['[DR20][EJ3][DR2][DR7] joins, several ways and named inputs', { ...plain, types: true }],
  [
    '[DR8][DR10][DR11][DR18] handles, failures, conditions, switches and merges',
    { ...plain, failures: true, types: true },
  ],
  ['[DR3][EJ12][EJ13] loops, nested and with joins in them', { ...plain, loops: true, failures: true, types: true }],
  ['[DR16][DR4] containers in containers', { ...plain, containers: true, failures: true, types: true }],
  ['[DR3][DR16][EJ5] all of it together', everything],
];

// ------------------------------------------------------------------------------------------------- drawn by hand

type Answers = Readonly<Record<string, readonly JsonObject[]>>;

/** A graph drawn by hand: edges as `a:handle->b`, and what nodes answer, run by run; `{}` after that. */
function drawnByHand(
  nodes: Readonly<Record<string, Partial<DrawnNode>>>,
  ways: readonly string[],
  { input = {}, answers = {} }: { input?: JsonObject; answers?: Answers } = {},
): Trial {
  const graph: DrawnGraph = {
    nodes: Object.entries(nodes).map(([id, node]) => ({ id, type: 'work', data: {}, ...node })),
    edges: ways.map((way, index) => {
      const [from = '', target = ''] = way.split('->');
      const [source = '', sourceHandle = null] = from.split(':');
      return { id: `e${index}`, source, target, sourceHandle, targetHandle: null };
    }),
    maxIterations: 3,
  };
  const world: World = ({ nodeId, ran }) => {
    const { code, ...output } = answers[nodeId]?.[ran] ?? {};
    return typeof code === 'string' ? { code } : { output };
  };
  return { seed: 0, graph, input, world, outcome: playDrawn(graph, input, world, dice(0)) };
}

const each = (more: JsonObject = {}) => ({ type: 'core.foreach', data: { items: '=input.list', ...more } });
const list = { list: [{ k: '0' }, { k: '1' }] };
const at = { at: '=item.k' };
const inF = { parentId: 'f', data: at };
const inG = { parentId: 'g', data: at };
const round = { _branch: ['again', 'main'] };

/** What random graphs have brought to light, as small as it gets. */
const found: readonly (readonly [string, Trial])[] = [
  [
    '[DR10] a condition that is no truth value fails, though no edge leaves it',
    drawnByHand({ c: { type: 'core.condition', data: { condition: 'input.v' } } }, [], { input: { v: 1 } }),
  ],
  [
    '[DR10] a condition that is no truth value fails, with an edge too',
    drawnByHand({ c: { type: 'core.condition', data: { condition: 'input.v' } }, a: {} }, ['c:true->a'], {
      input: { v: 1 },
    }),
  ],
  [
    '[DR10] a condition that reads what is not there fails',
    drawnByHand({ c: { type: 'core.condition', data: { condition: 'input.v' } }, a: {} }, ['c:true->a']),
  ],
  [
    '[DR18][EJ6] a merge that requires an edge from where no way leads to never runs',
    drawnByHand({ lost: {}, a: {}, m: { type: 'core.merge', data: { require: 'all' } } }, [
      'lost->lost',
      'lost->m',
      'a->m',
    ]),
  ],
  [
    '[DR20][EJ1][EJ6] a node that several edges lead to runs once, though no way leads to one of them',
    drawnByHand({ s: {}, a: {}, lost: {}, z: {} }, ['s->a', 'a:again->a', 'a->z', 'lost->lost', 'lost->z'], {
      answers: { a: [round, round, { _branch: 'main' }] },
    }),
  ],
  [
    '[DR16][DR27] what is in a container runs on, though no way leads to another container',
    drawnByHand({ lost: {}, f: each(), g: each(), x: inF, y: inG, z: inG }, ['lost->lost', 'lost->f', 'y->z'], {
      input: list,
    }),
  ],
  [
    '[DR4][DR27] what is in a container runs for its items, though no way leads to another container',
    drawnByHand({ lost: {}, f: each(), g: each(), x: inF, w: inF, y: inG }, ['lost->lost', 'lost->f', 'x->w'], {
      input: list,
    }),
  ],
  [
    '[DR16] what each item comes to is its `output`, where failures are tolerated too',
    drawnByHand({ f: each({ tolerateFailures: true, output: '=item.k' }), x: inF }, [], {
      input: list,
    }),
  ],
  ['[DR16] the output of a container with nothing in it is a list', drawnByHand({ f: each() }, [], { input: list })],
  [
    '[DR6][DR2] a trigger at the beginning puts out the input of the run',
    drawnByHand({ t: { type: 'work.trigger' } }, [], { answers: { t: [{ v: 1 }] } }),
  ],
];

describe('drawn graphs: what random ones brought to light', () => {
  test.each(found)('%s', (_, trial) => playBatch({ host: memoryStage, isRestarting: false }, [trial]));

  test('[DR8][DR16] of an item that failed the error is told, and no output', async () => {
    const nodes = { f: each({ tolerateFailures: true }), a: { parentId: 'f' }, b: { parentId: 'f' } };
    const options = { input: { list: [{ k: '0' }] }, answers: { a: [{ v: 1, _branch: 'x' }], b: [{ code: 'E_b' }] } };
    const t = await memoryStage.open(actions);
    const played = await launch(t, drawnByHand(nodes, ['a:x->b'], options), 0);
    for (const node of ['a', 'b']) {
      await t.settle();
      answer(played, callAt(t, node));
    }
    await t.settle();
    const { output } = await t.engine.run(played.runId).summary();
    await t.engine.close({ graceMs: 0 });
    const error = expect.objectContaining({ code: 'E_b' });
    expect(output).toEqual({ f: [{ index: 0, status: 'failed', error }] });
  });
});

onEveryHost('drawn graphs: random ones', (host) => {
  const share = Math.ceil(seeds / suites.length / host.stride);

  test.each(suites)('%s come to what the oracle says', { timeout }, (_, taste) =>
    playAll({ host, isRestarting: false }, taste, share),
  );

  test('[DR3][DR16][DR20] with a restart after every step they come to the same', { timeout }, () =>
    playAll({ host, isRestarting: true }, everything, Math.ceil(share / 2)),
  );
});
