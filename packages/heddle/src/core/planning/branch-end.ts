// The end of a branch: what follows when a token has left it, and where a failure that nobody handled ends. Rules BR….

import { type Failure, withoutThrown } from '../../base/failure.ts';
import type { Merge } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { DiscardedWrites, TokenId } from '../events.ts';
import type { Branch, Group } from '../state.ts';
import { settleEdges } from './edge-join.ts';
import { failRun } from './lifecycle.ts';
import { nodeOf, noteUnsettled, type Planning, record } from './planning.ts';
import { clearBranches } from './tokens.ts';

/** A token, or a group that one opened, has left a node of the branch. */
export function leaveBranch(p: Planning, branch: Branch): void {
  if (!isOpen(p, branch)) return;
  if (p.graph.edges) noteUnsettled(p, branch);
  const { group } = branch;
  if (!group || branch.live > 0) return;
  settleBranch(p, branch); // the last look
  if (branch.detached) endAbandoned(p, branch, group);
  else if (!group.joined) {
    // BR1: a branch in which nothing lives and that did not arrive has ended elsewhere.
    if (branch.arrival === null) endBranch(p, branch, { how: 'completed' });
    p.steps.push({ type: 'check', group });
  }
}

/** Edge joins of a branch that is still open. */
export function settleBranch(p: Planning, branch: Branch): void {
  if (p.graph.edges && isOpen(p, branch)) settleEdges(p, p.graph.edges, branch);
}

function isOpen(p: Planning, branch: Branch): boolean {
  return branch.group === null || (p.state.groups.has(branch.group.id) && !branch.ended);
}

function endBranch(p: Planning, branch: Branch, end: { how: 'completed' } | { how: 'failed'; error: Failure }): void {
  record(p, { type: 'branch.ended', branch: refOf(branch), ...end });
  const { group } = branch;
  const isKept = group && end.how === 'completed' && (group.keepsLast || group.batch !== null);
  if (!isKept) discardWrites(p, branch);
}

/** BR2: what a branch wrote and no join took is dropped, and said to be. */
function discardWrites(p: Planning, branch: Branch): void {
  const paths = branch.discarded ? [] : (branch.writes?.targets() ?? []);
  if (paths.length > 0) record(p, { type: 'branch.discarded', branch: refOf(branch), paths });
}

const pathsMax = 20;

/** BR6: a join or a batch without a merge says, once for all its branches, what they wrote and nobody takes. */
export function discardedBy(merges: readonly Merge[], branches: readonly Branch[]): { discarded?: DiscardedWrites } {
  if (merges.length > 0) return {};
  const writing = branches.filter(({ writes, failed }) => !failed && writes && writes.size > 0);
  if (writing.length === 0) return {};
  const all = new Set(writing.flatMap(({ writes }) => writes?.targets() ?? []));
  const morePaths = all.size - pathsMax;
  const paths = [...all].slice(0, pathsMax);
  return { discarded: { branches: writing.length, paths, ...(morePaths > 0 ? { morePaths } : {}) } };
}

function endAbandoned(p: Planning, branch: Branch, group: Group): void {
  discardWrites(p, branch);
  if (group.joined && !group.closed && group.detachedLive === 0) record(p, { type: 'group.closed', group: group.id });
}

/** A failure that no transition handled, in `branch`: it ends the nearest branch that tolerates it, or else the run. */
export function failPath(p: Planning, branch: Branch, failure: Failure): void {
  if (!isOpen(p, branch)) return;
  for (let b = branch; b.group; b = b.group.parent) {
    // BR3: what a join left alone can fail for itself alone.
    if (b.detached) return abandonBranch(p, b, b.group, failure);
    // BR4: a group that tolerates failures loses the branch, as long as there are not too many.
    if (b.group.tolerateFailures && b.group.failed < (b.group.maxFailures ?? Number.POSITIVE_INFINITY)) {
      return loseBranch(p, b, b.group, failure);
    }
    // BA12: a batch whose node has transitions for failures fails as any other node does, and they are tried.
    if (b.group.batch !== null && isRouted(p, b.group.batch)) return failBatch(p, b.group, b.group.batch, failure);
  }
  // FL4: what nobody handles or tolerates fails the run with the original error.
  failRun(p, failure);
}

function isRouted(p: Planning, id: TokenId): boolean {
  const token = p.state.tokens.get(id);
  return token !== undefined && nodeOf(p, token.node).onFailure.length > 0;
}

function failBatch(p: Planning, group: Group, token: TokenId, failure: Failure): void {
  clearBranches(p, group.branches, `a slice of group ${group.name} has failed`);
  record(p, { type: 'group.closed', group: group.id });
  p.steps.push({ type: 'fail', token, failure });
}

function abandonBranch(p: Planning, branch: Branch, group: Group, failure: Failure): void {
  clearBranches(p, [branch], `branch ${branch.index} of group ${group.name} has failed`);
  record(p, { type: 'branch.abandoned_failed', branch: refOf(branch), error: withoutThrown(failure) });
  endAbandoned(p, branch, group);
}

function loseBranch(p: Planning, branch: Branch, group: Group, failure: Failure): void {
  clearBranches(p, [branch], `branch ${branch.index} of group ${group.name} has failed`);
  endBranch(p, branch, { how: 'failed', error: withoutThrown(failure) });
  p.steps.push({ type: 'check', group });
}
