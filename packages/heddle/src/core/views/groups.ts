// Groups view: a fan-out or batch as users see it: who has come, who is missing, when it gives up.

import { fanOutKey } from '../../definition/fan-out-ends.ts';
import type { Event, GroupId, TokenId } from '../events.ts';
import type { Group, RunState } from '../state.ts';
import { terminalEvents } from './status.ts';

/** An open group: who has come, who is missing, when it gives up. */
export interface GroupInfo {
  readonly group: string;
  readonly instance: GroupId;
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

/** An instance of a fan-out or batch in a drawing, open or over. */
export interface GroupFigures extends GroupInfo {
  /** The token that fanned out. */
  readonly token: TokenId;
  readonly kind: 'fan_out' | 'batch';
  /** Branches that have not begun. */
  readonly notBegun: number;
  /** Branches that may still come to the join: neither there nor ended, and the join has not fired. */
  readonly stillPossible: number;
  /** Its join has fired or failed, or all is over. */
  readonly isJoined: boolean;
  readonly startedAt: number;
  /** When the last of it ended; null as long as it is open. */
  readonly endedAt: number | null;
}

function groupFigures(group: Group, startedAt: number, endedAt: number | null): GroupFigures {
  const { token, batch, total, spawned, arrived, ended } = group;
  const isJoined = group.joined || endedAt !== null;
  return {
    ...groupInfo(group),
    token,
    kind: batch === null ? 'fan_out' : 'batch',
    notBegun: total - spawned,
    stillPossible: isJoined ? 0 : Math.max(0, total - arrived - ended),
    isJoined,
    startedAt,
    endedAt,
  };
}

/** What instances of a fan-out that are over, and no longer kept one by one, add up to. */
export interface GroupTotals {
  readonly group: string;
  readonly node: string;
  readonly instances: number;
  readonly branches: number;
  readonly arrived: number;
  readonly ended: number;
  readonly failed: number;
}

/** The groups that a run ever had: those that are over as they were at last, of which the newest are kept. */
export class GroupHistory {
  readonly #max: number;
  readonly #startedAt = new Map<GroupId, number>();
  readonly #over = new Map<GroupId, GroupFigures>();
  readonly #totals = new Map<string, GroupTotals>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Before the event is applied: what it closes is still there. */
  add(event: Event, at: number, { groups }: RunState): void {
    if (event.type === 'fan_out.started') this.#startedAt.set(event.group, at);
    else if (event.type === 'group.closed') this.#close(groups.get(event.group), at);
    else if (terminalEvents.has(event.type)) for (const group of groups.values()) this.#close(group, at);
  }

  /** In the order in which they ended, then those that are open, in the order in which they were opened. */
  list({ groups, startedAt }: RunState): readonly GroupFigures[] {
    const open = [...groups.values()].filter(({ closed }) => !closed);
    const figures = open.map((group) => groupFigures(group, this.#startedAt.get(group.id) ?? startedAt, null));
    return [...this.#over.values(), ...figures];
  }

  totals(): readonly GroupTotals[] {
    return [...this.#totals.values()];
  }

  copy(): GroupHistory {
    const copy = new GroupHistory(this.#max);
    for (const [id, at] of this.#startedAt) copy.#startedAt.set(id, at);
    for (const [id, figures] of this.#over) copy.#over.set(id, figures);
    for (const [key, totals] of this.#totals) copy.#totals.set(key, totals);
    return copy;
  }

  #close(group: Group | undefined, at: number): void {
    if (!group || group.closed) return;
    this.#over.set(group.id, groupFigures(group, this.#startedAt.get(group.id) ?? at, at));
    this.#startedAt.delete(group.id);
    if (this.#over.size <= this.#max) return;
    const [oldest] = this.#over.values();
    if (!oldest) return;
    this.#over.delete(oldest.instance);
    this.#addUp(oldest);
  }

  #addUp({ group, node, total, arrived, ended, failed }: GroupFigures): void {
    const key = fanOutKey(node, group);
    const before = this.#totals.get(key) ?? { instances: 0, branches: 0, arrived: 0, ended: 0, failed: 0 };
    this.#totals.set(key, {
      group,
      node,
      instances: before.instances + 1,
      branches: before.branches + total,
      arrived: before.arrived + arrived,
      ended: before.ended + ended,
      failed: before.failed + failed,
    });
  }
}
