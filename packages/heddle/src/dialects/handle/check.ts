// Handle check: connections lead from node to node; what can never run, or may be too much to run, is told. Rules HN18,
// HN19 and HN26.

import { nearestHint } from '../../base/nearest.ts';
import { checkBuiltIn } from '../../definition/built-in-actions.ts';
import { checkUnique } from '../../definition/check-ids.ts';
import type { KnownWork } from '../../definition/flow/known-schemas.ts';
import { limitOrigin } from '../../definition/limits.ts';
import type { Reporter } from '../../definition/reporter.ts';
import type { ShapeCheck } from '../../definition/shape-reports.ts';
import { findEntryNode, walkConnections } from './graph.ts';
import type { HandleConnection } from './handle.ts';
import type { NormalHandle, NormalHandleNode } from './normal.ts';
import { checkParallel } from './parallel/check.ts';
import { kindNames } from './parallel/kinds.ts';

/** What was read: of the right shape in every part that is there; types and handles may be missing. */
export interface HandleDraft extends Omit<NormalHandle, 'dialect' | 'nodes' | 'connections'> {
  readonly $schema?: string;
  readonly decorative?: readonly string[];
  nodes: readonly (Omit<NormalHandleNode, 'type'> & { readonly type?: string; readonly typeVersion?: number })[];
  readonly connections: readonly HandleConnection[];
  /** What the author calls a connection. */
  readonly word: 'connection' | 'edge';
}

/** `allNodesRead`: false if a node was left out, so that what seems unknown may be that one. */
export function checkHandle(
  draft: HandleDraft,
  check: ShapeCheck & Partial<KnownWork> & { readonly allNodesRead: boolean },
): void {
  const { reporter } = check;
  checkUnique(draft.nodes, 'node', reporter);
  checkUnique(draft.connections, draft.word, reporter);
  for (const node of draft.nodes) {
    const besides = draft.mode === 'parallel' ? kindNames : [];
    checkBuiltIn({ name: node.type, pointer: reporter.origins.of(node, 'type'), nodeId: node.id, besides }, reporter);
  }
  if (check.allNodesRead) checkEnds(draft, reporter);
  if (draft.mode === 'parallel') checkParallel(draft, check);
  else if (!reporter.hasErrors) warnOfWalk(draft, check);
}

// HN18: both ends of a connection name nodes of the definition.
function checkEnds({ nodes, connections, word }: HandleDraft, reporter: Reporter): void {
  const ids = new Set(nodes.map(({ id }) => id));
  for (const connection of connections) {
    for (const end of ['fromNodeId', 'toNodeId'] as const) {
      const id = connection[end];
      if (ids.has(id)) continue;
      reporter.error('UNKNOWN_NODE', reporter.origins.of(connection, end), {
        message: `Expected both ends of ${word} ${nameOf(connection)} to be nodes, but there is no "${id}"`,
        hint: () => nearestHint(id, ids),
      });
    }
  }
}

// HN19: what can never run is legal, and told: nodes that no way leads to, and connections that lead back.
function warnOfWalk(draft: HandleDraft, { limits, reporter }: ShapeCheck): void {
  const { nodes, connections, word } = draft;
  const entry = findEntryNode(nodes, connections);
  if (entry === null) return;
  const { reached, back } = walkConnections(entry.id, connections);
  for (const node of nodes) {
    if (reached.has(node.id)) continue;
    const message = `Expected a way from "${entry.id}", where a run begins, to node "${node.id}", but there is none`;
    reporter.warning('UNREACHABLE_NODE', reporter.origins.of(node), { message });
  }
  for (const connection of back) {
    const message = `Expected ${word} ${nameOf(connection)} to lead on, but it leads back, and a node runs only once`;
    reporter.warning('NO_EFFECT', reporter.origins.of(connection), { message });
  }
  warnOfMany(draft, { limits, reporter, reached: reached.size });
}

/** HN26: a way that leads to more nodes than a run may execute is told: it fails only when the others have done their work. */
function warnOfMany(
  draft: HandleDraft,
  { limits, reporter, reached }: ShapeCheck & { readonly reached: number },
): void {
  const { maxNodes = Infinity } = draft;
  const limit = Math.min(limits.handleNodesMax, draft.limits?.['handleNodesMax'] ?? Infinity);
  const most = Math.min(limit, maxNodes);
  if (reached <= most) return;
  const isOwn = maxNodes < limit;
  const ownLimits = new Set(Object.keys(draft.limits ?? {}));
  reporter.warning('LIMIT_EXCEEDED', reporter.origins.of(draft, isOwn ? 'maxNodes' : 'nodes'), {
    message: `Expected a run to reach at most ${most} nodes (${isOwn ? 'maxNodes' : 'limit handleNodesMax'}), but it can reach ${reached}`,
    hint: isOwn
      ? undefined
      : `Limit handleNodesMax: ${limitOrigin('handleNodesMax', { limits, ownLimits, id: draft.id })}.`,
  });
}

function nameOf({ fromNodeId, toNodeId }: HandleConnection): string {
  return `"${fromNodeId}->${toNodeId}"`;
}
