// Joins that fail: why, and what follows. Rules SY14 to SY16.

import type { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Join } from '../../definition/graph.ts';
import type { Branch, Group } from '../state.ts';
import { continueAfter, countArrivals, listArrivals } from './continuation.ts';
import { fail, nodeOf, type Planning, record } from './planning.ts';
import { clearBranches } from './tokens.ts';

interface FailedJoin {
  readonly group: Group;
  readonly join: Join;
  /** The path that fails if nobody handles it; absent: the one that fanned out. */
  readonly branch?: Branch;
}

/** SY14: a join that fails fails like its node, and the node's transitions for a failure are tried if it has any. */
export function failJoin(p: Planning, { group, join, branch = group.parent }: FailedJoin, failure: Failure): void {
  const isRouted = nodeOf(p, join.node).onFailure.length > 0;
  const iterations = countArrivals(p, group);
  const waiting = listArrivals(group);
  if (isRouted) record(p, { type: 'fan_in.failed', group: group.id, join: join.id, error: failure });
  if (failure.code === timedOutCode) record(p, { type: 'tokens.timed_out', tokens: waiting });
  if (!isRouted) return fail(p, branch, failure);
  // SY15: its branches are called off, whatever the join does with those that it does not need.
  const others = group.branches.filter(({ firstToken, groups }) => firstToken !== null || groups?.size);
  clearBranches(p, others, `join ${join.id} has failed`);
  record(p, { type: 'group.closed', group: group.id });
  continueAfter(p, group, join, iterations, failure);
}

const timedOutCode = 'FAN_IN_TIMED_OUT';

export function timeoutFailure(group: Group, join: Join): Failure {
  const { arrived, total, name } = group;
  return {
    code: timedOutCode,
    message: `Expected the branches of group ${name} to meet at join ${join.id} within ${join.timeoutMs} ms, but ${arrived} of ${total} did`,
    nodeId: join.node,
    details: { group: name, join: join.id, arrived, total },
  };
}

export function unreachableFailure(group: Group, join: Join, required: number): Failure {
  const { ended, total, name } = group;
  const { text, ...causes } = listCauses(group);
  return {
    code: 'FAN_IN_UNREACHABLE',
    message: `Expected ${required} of ${total} branches of group ${name} to reach join ${join.id}, but ${ended} ended elsewhere${text}`,
    nodeId: join.node,
    details: { group: name, join: join.id, required, ended, ...causes },
  };
}

const causesMax = 3;
const causeLengthMax = 200;

/** SY16: the failures of its branches, the first few, and how many more there were. */
function listCauses({ branches, failed }: Group): JsonObject & { readonly text: string } {
  const causes: { index: number; code: string; message: string }[] = [];
  for (const branch of branches) {
    if (causes.length === causesMax) break;
    if (!branch?.error) continue; // those that have not begun are not there
    const { code, message } = branch.error;
    causes.push({ index: branch.index, code, message: message.slice(0, causeLengthMax) });
  }
  if (causes.length === 0) return { text: '' };
  const more = failed - causes.length;
  const told = causes.map(({ index, code, message }) => `branch ${index} failed with ${code} (${message})`);
  if (more > 0) told.push(`${more} more failed`);
  return { text: `: ${told.join(', ')}`, causes, moreCauses: more };
}
