// Summaries: a run and its nodes with what their author has to say of them (`core/views/summary.ts`), where one run is looked at.

import { inSlices, type Sliced } from '../actor/slices.ts';
import { stepsToRead } from '../actor/turn-budget.ts';
import { given } from '../base/given.ts';
import type { NodeView } from '../core/views/nodes.ts';
import type { RunFold } from '../core/views/run-fold.ts';
import { isTerminal } from '../core/views/status.ts';
import { summarize } from '../core/views/summary.ts';
import type { Graph } from '../definition/graph.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { RunFigures } from '../operations/run-views.ts';
import type { Host } from './host.ts';

/** As of now. */
export async function withSummary(host: Host, run: RunSummary, mayLoad = async () => true): Promise<RunSummary> {
  // VW23: whatever keeps it from being read (the run was set aside or deleted, its definition is damaged) fails nothing.
  const summary = await readSummary(host, run, mayLoad).catch(() => undefined);
  return { ...run, ...given({ summary }) };
}

const listedMax = 50;
/** Of a run that has ended: to load it, its commits are read. */
const commitsMax = 100;

/** LS10: of the first 50 of a page; the state of a long run that has ended is not loaded for it. */
export function withListedSummaries(host: Host, runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
  const isShort = async ({ runId, status }: RunSummary): Promise<boolean> =>
    !isTerminal(status) || ((await host.store.readRun(runId))?.seq ?? Infinity) <= commitsMax;
  return Promise.all(
    runs.map(async (run, index) => (index < listedMax ? withSummary(host, run, () => isShort(run)) : run)),
  );
}

async function readSummary(
  { definitions, inbox }: Host,
  run: RunSummary,
  mayLoad: () => Promise<boolean>,
): Promise<string | undefined> {
  const { runId, workflow, version, quarantine } = run;
  if (quarantine !== null) return undefined;
  const graph = await definitions.find(workflow, version);
  if (!graph?.summary || !(await mayLoad())) return undefined; // most have none: nothing of the run is read for it
  return inbox.read(runId, ({ run: start, root: { context } }) =>
    summarize(graph.summary, { input: start?.input, state: context?.state ?? {}, output: context?.output ?? {} }),
  );
}

/** As of the moment of the figures, which are those of the fold. */
export async function withSummaries(host: Host, graph: Graph, fold: RunFold, figures: RunFigures): Promise<RunFigures> {
  const { input, state, output } = figures;
  const summary = summarize(graph.summary, { input, state, output });
  const texts = await summarizeNodes(host, graph, fold, fold.nodeViews());
  const nodes = figures.nodes.map((node) => ({ ...node, ...given({ summary: texts.get(node.nodeId) }) }));
  return { ...figures, ...given({ summary }), nodes };
}

/** By the ids of those that have something to say. */
export function summarizeNodes(
  { clock }: Pick<Host, 'clock'>,
  graph: Graph,
  fold: RunFold,
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, string>> {
  return inSlices(evaluateNodes(graph, fold, nodes), clock);
}

function* evaluateNodes(
  { nodes: compiled, limits }: Graph,
  { input, state }: RunFold,
  nodes: readonly NodeView[],
): Sliced<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  // VW25: the nodes of one answer share the steps of one evaluation.
  const meter = { stepsLeft: limits.expressionCostMax };
  for (const { nodeId, visits, output } of nodes) {
    const expression = compiled.get(nodeId)?.summary ?? null;
    if (expression === null || visits === 0) continue;
    const { stepsLeft } = meter;
    const text = summarize(expression, { input, state, result: output }, meter);
    if (text !== undefined) texts.set(nodeId, text);
    yield stepsToRead(stepsLeft - meter.stepsLeft);
  }
  return texts;
}
