// Random graphs: drawn in layers, with edges that skip layers and double each other, so that most of them are not
// series-parallel; some nodes fail. The nodes of many runs are answered in random order, one or several at a time, at
// times with a restart in between. Each run must come to what a plain interpreter says, which shares no code with the
// engine. `HEDDLE_RUNS=20000` tries more of them, `HEDDLE_SEED=7` others.

import { describe, expect, test } from 'vitest';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import {
  compute,
  type Drawn,
  drawGraph,
  errorOf,
  type Fate,
  interpret,
  takenFrom,
} from './dataflow-random.testsuite.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { memoryStage, type Random, randomOf } from './play.testsuite.ts';
import { register } from './token-engine.testsuite.ts';

const graphs = Number(process.env['HEDDLE_RUNS'] ?? 1_500);
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_260_101);
const graphsAtATime = 25;
const scripted = { scripted: ['work'] } as const;

/** One run, and what is known of it so far. */
interface Played {
  readonly runId: string;
  readonly drawn: Drawn;
  readonly sources: ReadonlyMap<string, readonly string[]>;
  readonly fates: ReadonlyMap<string, Fate>;
  /** Nodes whose action has been answered. */
  readonly answered: Set<string>;
}

async function launch(t: TestEngine, random: Random, index: number): Promise<Played> {
  const drawn = drawGraph(random);
  const nodes = drawn.nodes.map(({ fails: _, ...node }) => node);
  await register(t.engine, { dialect: 'dataflow', id: `g${index}`, nodes, edges: drawn.edges });
  const run = await t.engine.start(`g${index}`);
  const sources = new Map(nodes.map(({ id }) => [id, takenFrom(drawn, id)]));
  return { runId: run.id, drawn, sources, fates: interpret(drawn), answered: new Set() };
}

/** What must be under way now: the nodes that are not answered and whose every source is, with success. */
function dueCalls({ drawn, sources, fates, answered }: Played): object[] {
  const isDone = (id: string) => answered.has(id) && fates.get(id)?.type === 'completed';
  return drawn.nodes
    .filter(({ id }) => !answered.has(id) && (sources.get(id) ?? []).every(isDone))
    .map(({ id }) => ({ id, fate: fates.get(id) as Fate }))
    .map(({ id, fate }) => ({ id, input: fate.type === 'skipped' ? 'nothing, for it is skipped' : fate.inputs }));
}

/** Just the nodes that are due have been called, each once and with what the interpreter would give it. */
function checkCalls(all: readonly Played[], open: readonly ScriptedCall[], label: string): void {
  const byId = (left: { id: string }, right: { id: string }) => (left.id < right.id ? -1 : 1);
  const calls = all.map(({ runId }) =>
    open
      .filter((call) => call.runId === runId)
      .map(({ nodeId, input }) => ({ id: nodeId, input }))
      .toSorted(byId),
  );
  const due = all.map((played) => (dueCalls(played) as { id: string }[]).toSorted(byId));
  expect(calls, label).toEqual(due);
}

function answer({ drawn, answered }: Played, call: ScriptedCall): void {
  if (answered.has(call.nodeId)) throw new Error(`Expected node ${call.nodeId} to run once, but it runs again`);
  answered.add(call.nodeId);
  const { fails } = drawn.nodes.find(({ id }) => id === call.nodeId) ?? {};
  if (fails) call.fail(new Error(errorOf(call.nodeId)));
  else call.complete(compute(call.nodeId, call.input));
}

/** The report says what the interpreter says, and lists nodes after those that they take from. */
async function checkReport(t: TestEngine, { runId, drawn, sources, fates }: Played): Promise<void> {
  const found = await t.engine.run(runId).dataflow();
  const of = (type: Fate['type']) => [...fates].filter(([, fate]) => fate.type === type);
  const order = found.context.orderedNodeIds;
  const inOrder = (entries: [string, Fate][]) => {
    const ids = new Set(entries.map(([id]) => id));
    return order.filter((id) => ids.has(id));
  };
  expect({ ...found, nodes: null, context: null }).toEqual({
    status: of('completed').length === fates.size ? 'completed' : 'error',
    nodeOutputs: Object.fromEntries(of('completed').map(([id, fate]) => [id, 'outputs' in fate ? fate.outputs : null])),
    nodeErrors: Object.fromEntries(of('failed').map(([id, fate]) => [id, 'error' in fate ? fate.error : null])),
    executedNodes: inOrder(of('completed')),
    skippedNodes: inOrder(of('skipped')),
    nodes: null,
    context: null,
  });
  expect(order.toSorted()).toEqual(drawn.nodes.map(({ id }) => id).toSorted());
  const isAfterSources = (id: string, rank: number) =>
    (sources.get(id) ?? []).every((source) => order.indexOf(source) < rank);
  expect(order.filter((id, rank) => !isAfterSources(id, rank))).toEqual([]);
}

/** To see a failure again: `HEDDLE_SEED=<seed> HEDDLE_RUNS=1`. */
async function play(host: AcceptanceHost, itsSeed: number): Promise<void> {
  const random = randomOf(itsSeed);
  let t = await host.open(scripted);
  const all: Played[] = [];
  while (all.length < graphsAtATime) all.push(await launch(t, random, all.length));
  const byRun = new Map(all.map((played) => [played.runId, played]));
  for (let restartsLeft = Math.floor(random() * 3); ; ) {
    await t.settle();
    const open = t.script.open('work');
    checkCalls(all, open, `seed ${itsSeed}`);
    if (open.length === 0) break;
    // Few at first, so that runs differ in how far they are; sometimes all that there is.
    const share = random();
    for (const call of open) if (random() < share) answer(byRun.get(call.runId) as Played, call);
    if (restartsLeft > 0 && random() < 0.3) {
      await t.settle();
      t = await host.restart(t, scripted);
      restartsLeft--;
    }
  }
  for (const played of all) await checkReport(t, played);
  await t.engine.close();
}

async function playAll(host: AcceptanceHost, count: number): Promise<void> {
  const rounds = Math.ceil(count / graphsAtATime);
  for (let round = 0; round < rounds; round++) await play(host, seed + round);
}

const timeout = 60_000 + graphs * 50;

describe('dataflow: random graphs', () => {
  test('[DA28] each node runs once, after all that it takes from, and all comes out as it should', { timeout }, () =>
    playAll(memoryStage, graphs),
  );
});

onEveryHost('dataflow: random graphs, some of them', (host) => {
  test('[DA28] the same on every host', { timeout }, () => playAll(host, graphs / 10));
});
