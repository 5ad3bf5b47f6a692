// Summaries: a run and its nodes with what their author has to say of them (`core/views/summary.ts`), where one run is looked at.

import { inSlices, type Sliced } from '../actor/slices.ts';
import { stepsToRead } from '../actor/turn-budget.ts';
import { given } from '../base/given.ts';
import type { NodeView } from '../core/views/nodes.ts';
import type { RunFold } from '../core/views/run-fold.ts';
import { summarize } from '../core/views/summary.ts';
import type { Graph } from '../definition/graph.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { RunFigures } from '../operations/run-views.ts';
import type { Host } from './host.ts';

/** As of now. */
export async function withSummary(host: Host, run: RunSummary): Promise<RunSummary> {
  // VW23: whatever keeps it from being read (the run was set aside or deleted, its definition is damaged) fails nothing.
  const summary = await readSummary(host, run).catch(() => undefined);
  return { ...run, ...given({ summary }) };
}

async function readSummary({ definitions, inbox }: Host, run: RunSummary): Promise<string | undefined> {
  const { runId, workflow, version, quarantine } = run;
  if (quarantine !== null) return undefined;
  const graph = await definitions.find(workflow, version);
  if (!graph?.summary) return undefined; // most have none: nothing of the run is read for it
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
