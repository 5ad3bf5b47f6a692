// Work of all: what is known of workers and their tasks in all shards together, for lists and figures.

import type { KnownWork } from '../engine/shard-duties.ts';
import type { TaskParts } from '../engine/tasks.ts';
import type { AnnouncedAction } from '../work/announcement.ts';
import type { WorkerInfo } from '../work/seen-workers.ts';
import type { ActionStanding, WorkOffice } from '../work/work-office.ts';

/** Actions of this process are those of every shard; what is missing, of any. */
export function workOfAll(tasks: TaskParts, known: readonly KnownWork[]): TaskParts {
  const missing = new Set(known.flatMap(({ missingActions }) => missingActions));
  const outside = known.flatMap((work) => work.outside ?? []);
  return { ...tasks, office: outside.length === 0 ? null : officeOf(outside), missingActions: () => missing };
}

const none: ActionStanding = { waiting: 0, leased: 0, lastAskedAt: null };

type Outside = NonNullable<KnownWork['outside']>;

/** As lists ask it. */
function officeOf(outside: readonly Outside[]): WorkOffice {
  const announced = new Map<string, AnnouncedAction>();
  const standings = new Map<string, ActionStanding>();
  for (const [name, action, standing] of outside.flatMap(({ actions }) => actions)) {
    if (action !== null && !announced.has(name)) announced.set(name, action); // the same in all
    standings.set(name, addStandings(standings.get(name) ?? none, standing));
  }
  const office: Pick<WorkOffice, 'actionNames' | 'standingOf' | 'workers'> & {
    readonly announcements: Pick<WorkOffice['announcements'], 'find'>;
  } = {
    announcements: { find: (name) => announced.get(name) ?? null },
    actionNames: () => new Set(standings.keys()),
    standingOf: (name) => standings.get(name) ?? none,
    workers: () => mergeWorkers(outside.flatMap(({ workers }) => workers)),
  };
  return office as WorkOffice; // lists ask no more
}

function addStandings(one: ActionStanding, other: ActionStanding): ActionStanding {
  const asked = [one.lastAskedAt, other.lastAskedAt].filter((at) => at !== null);
  return {
    waiting: one.waiting + other.waiting,
    leased: one.leased + other.leased,
    lastAskedAt: asked.length === 0 ? null : Math.max(...asked),
  };
}

/** Each asks every shard: what it has is the sum, when it was seen last the latest. */
function mergeWorkers(seen: readonly WorkerInfo[]): readonly WorkerInfo[] {
  const workers = new Map<string, WorkerInfo>();
  for (const info of seen) {
    const other = workers.get(info.worker);
    const newest = other === undefined || info.lastSeenAt >= other.lastSeenAt ? info : other;
    workers.set(info.worker, { ...newest, leased: info.leased + (other?.leased ?? 0) });
  }
  return [...workers.values()];
}
