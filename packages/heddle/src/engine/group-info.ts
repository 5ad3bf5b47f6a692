// GroupInfo: an open group as users see it: who has come, who is missing, when it gives up.

import type { Group } from '../core/state.ts';
import type { GroupInfo } from '../operations/run-views.ts';

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
