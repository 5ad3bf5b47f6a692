// GroupInfo: an open group as users see it: who has come, who is missing, when it gives up.

import type { Group } from '../core/state.ts';

export interface GroupInfo {
  readonly group: string;
  readonly instance: number;
  readonly node: string;
  readonly total: number;
  readonly arrived: number;
  readonly ended: number;
  readonly failed: number;
  readonly underWay: number;
  readonly join: string | null;
  readonly required: number | 'all';
  readonly firstArrivalAt: number | null;
  readonly deadline: number | null;
}

export function groupInfo(group: Group): GroupInfo {
  return {
    group: group.name,
    instance: group.id,
    node: group.node,
    total: group.total,
    arrived: group.arrived,
    ended: group.ended,
    failed: group.failed,
    underWay: group.spawns.reduce((sum, spawn) => sum + spawn.underWay, 0),
    join: group.join,
    required: group.required === 0 ? 'all' : group.required,
    firstArrivalAt: group.firstArrivalAt,
    deadline: group.deadline,
  };
}
