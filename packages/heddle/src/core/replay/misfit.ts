// Misfit: a run stands at places of its own definition; another one can decide about it only if it has them. Rule RD6.

import { given } from '../../base/given.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { Graph, NodeWork } from '../../definition/graph.ts';
import type { Command } from '../commands.ts';
import type { Group, RunState, TokenStatus } from '../state.ts';

/** Of those that are missing. */
const namedMax = 5;

/** What a token with a status is at. */
const workOf: Partial<Record<TokenStatus, NodeWork['type']>> = {
  dispatched: 'action',
  waiting_for_action: 'action',
  waiting_for_subworkflow: 'workflow',
  waiting_for_input: 'input',
  waiting_for_event: 'event',
  waiting_for_batch: 'batch',
};

/** RD6: another definition has every node, transition and join at which something of the run is. */
export function refuseMisfit(graph: Graph, state: RunState): void {
  if (!state.run) return; // nothing of it is anywhere
  const missing = [...findMissing(graph, state)];
  const isOtherwise = state.run.countsNodes !== (graph.edges !== null);
  if (isOtherwise) missing.push(graph.edges ? 'no joins over edges' : 'joins over edges');
  if (missing.length === 0) return;
  const more = missing.length > namedMax ? ` (and ${missing.length - namedMax} more)` : '';
  const message = `Expected a definition in which the run can be where it is, but it lacks ${missing.slice(0, namedMax).join(', ')}${more}`;
  throw new HeddleError('DEFINITION_MISFIT', message, { details: { missing: missing.slice(0, 100) } });
}

function findMissing({ nodes, transitionsById, joins }: Graph, { tokens, groups }: RunState): ReadonlySet<string> {
  const missing = new Set<string>();
  const needTransition = (id: string | null): void => {
    if (id !== null && !transitionsById.has(id)) missing.add(`transition ${id}`);
  };
  for (const { node, via, status } of tokens.values()) {
    const work = workOf[status];
    if (!nodes.has(node)) missing.add(`node ${node}`);
    else if (work !== undefined && nodes.get(node)?.work.type !== work) missing.add(`node ${node} of type ${work}`);
    if (status === 'ready' || status === 'waiting_for_siblings') needTransition(via);
  }
  for (const group of groups.values()) {
    for (const id of [group.join, group.homeJoin]) if (id !== null && !joins.has(id)) missing.add(`join ${id}`);
    if (!nodes.has(group.node)) missing.add(`node ${group.node}`);
    for (const { node, via } of openSpawns(group)) {
      if (!nodes.has(node)) missing.add(`node ${node}`);
      needTransition(via);
    }
  }
  return missing;
}

const openSpawns = ({ spawns }: Group): Group['spawns'] => spawns.filter(({ spawned, count }) => spawned < count);

/** A run that is started by another definition keeps what that one needs. */
export function startedBy({ edges, policy }: Graph, command: Command): Command {
  if (command.type !== 'start') return command;
  const { keepsOutputs: _, oneAtATime: __, ...rest } = command.start;
  const start = {
    ...rest,
    countsNodes: edges !== null,
    ...given({ keepsOutputs: policy.keepsOutputs || undefined, oneAtATime: policy.oneAtATime || undefined }),
  };
  return { ...command, start };
}
