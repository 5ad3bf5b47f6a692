// Node views: the nodes of a run as its author drew them, with what became of each.

import { readDefinition } from '../actor/definitions.ts';
import { type NodeView, nodesOf } from '../core/views/nodes.ts';
import type { WorkflowDefinition } from '../dialects/dialect.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { readHistory } from './read-events.ts';

/** VW11: every node of the drawing in its order, also those that no way leads to, and none that a compiler made. */
export async function readNodes({ store, definitions }: Host, runId: string): Promise<readonly NodeView[]> {
  const { workflow, version } = await mustReadRun(store, runId);
  const graph = await definitions.mustFind(workflow, version);
  const row = await store.findDefinition(workflow, version);
  const { nodes }: Pick<WorkflowDefinition, 'nodes'> = row ? readDefinition(row) : { nodes: [] }; // a run's definition stays
  const ids = new Set([...nodes.map(({ id }) => id), ...graph.nodes.keys()]);
  if (graph.policy.hiddenNode !== null) ids.delete(graph.policy.hiddenNode);
  return nodesOf(await readHistory(store, runId), graph, ids);
}
