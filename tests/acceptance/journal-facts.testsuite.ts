// What a journal says, gathered event by event. A second reading of the events, which shares nothing with the engine's
// appliers and views.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Definition, SiblingSynchronization } from '../../packages/heddle/src/definition/definition.ts';

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
export type Ref = readonly [group: number, index: number];

export interface TokenFact {
  readonly id: number;
  readonly node: string;
  branch: Ref;
  status: string;
  attempt: number;
  dispatches: number;
  dueAt: number | null;
  childFailed: boolean;
}

export interface GroupFact {
  readonly id: number;
  readonly start: EventOf<'fan_out.started'>;
  readonly spawned: Set<number>;
  /** By branch index: the token that arrived. */
  readonly arrived: Map<number, number>;
  readonly ended: Set<number>;
  detached: Set<number>;
  join: string | null;
  deadline: number | null;
  firings: number;
  continuations: number;
  isClosed: boolean;
  isTimedOut: boolean;
}

const arrows: Readonly<Record<string, readonly string[]>> = {
  ready: ['dispatched', 'retrying', 'timer', 'siblings', 'edges', 'subworkflow', 'completed', 'failed', 'cancelled'],
  dispatched: ['ready', 'retrying', 'completed', 'failed', 'cancelled'],
  retrying: ['ready', 'cancelled'],
  timer: ['ready', 'cancelled'],
  siblings: ['completed', 'timed_out', 'cancelled'],
  edges: ['completed', 'cancelled'],
  subworkflow: ['ready', 'cancelled'],
};

const terminal = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

export class Facts {
  readonly definition: Definition;
  readonly tokens = new Map<number, TokenFact>();
  readonly groups = new Map<number, GroupFact>();
  readonly state: Record<string, unknown> = {};
  /** By branch: what mappings wrote in it, and the last raw output. */
  readonly writes = new Map<string, Map<string, unknown>>();
  readonly raws = new Map<string, unknown>();
  /** Numbers of the calls whose answers counted. */
  readonly accepted: number[] = [];
  event: RunEvent | null = null;
  end: RunEvent | null = null;
  output: unknown;

  constructor(definition: Definition) {
    this.definition = definition;
  }

  must(holds: boolean, rule: string, what: string): asserts holds {
    if (holds) return;
    throw new Error(
      `${rule} is broken at ${this.event?.id} of ${this.event?.runId}: ${what}\n${JSON.stringify(this.event)}`,
    );
  }

  token(id: number): TokenFact {
    const token = this.tokens.get(id);
    this.must(token !== undefined, 'I5', `token ${id} was never created`);
    return token;
  }

  group(id: number): GroupFact {
    const group = this.groups.get(id);
    this.must(group !== undefined, 'I9', `group ${id} was never opened`);
    return group;
  }

  hasNode(node: string): boolean {
    return this.definition.nodes.some(({ id }) => id === node);
  }

  move(id: number, status: string): TokenFact {
    const token = this.token(id);
    const isAllowed = arrows[token.status]?.includes(status) ?? false;
    const rule = terminal.has(token.status) ? 'I3' : 'I1';
    this.must(isAllowed, rule, `token ${id} went from ${token.status} to ${status}`);
    token.status = status;
    token.dueAt = null;
    return token;
  }

  get alive(): TokenFact[] {
    return [...this.tokens.values()].filter(({ status }) => !terminal.has(status));
  }

  synchronization({ join }: GroupFact): SiblingSynchronization {
    const transition = this.definition.transitions?.find((t) => t.to === nodeOfJoin(join) && t.synchronization);
    this.must(transition !== undefined, 'I11', `there is no join at ${join}`);
    return transition.synchronization as SiblingSynchronization; // groups are bound to joins over siblings
  }

  isInside([group]: Ref, outer: number): boolean {
    for (let id = group; id !== 0; id = this.group(id).start.parent[0]) if (id === outer) return true;
    return false;
  }

  /** Left alone by the join of `outer`, or by one inside it. */
  isDetached([group, index]: Ref, outer: number): boolean {
    const { detached, start } = this.group(group);
    return detached.has(index) || (group !== outer && this.isDetached(start.parent, outer));
  }

  /** Whether something attached lives in a branch, its arrival aside. */
  lives(branch: Ref): boolean {
    const arrival = this.group(branch[0]).arrived.get(branch[1]);
    if (this.alive.some((token) => token.id !== arrival && keyOf(token.branch) === keyOf(branch))) return true;
    return [...this.groups.values()].some((group) => isOpen(group) && keyOf(group.start.parent) === keyOf(branch));
  }

  write(branch: Ref, writes: readonly (readonly [string, unknown?])[]): void {
    const own = branch[0] === 0 ? null : (this.writes.get(keyOf(branch)) ?? new Map<string, unknown>());
    if (own) this.writes.set(keyOf(branch), own);
    for (const [target, value] of writes) {
      if (own) own.set(target, value);
      else this.state[target.replace(/^state\./, '')] = value; // I17: only what was written outside of branches.
    }
  }
}

export const keyOf = ([group, index]: Ref): string => `${group}/${index}`;
export const isOpen = (group: GroupFact): boolean => !group.isClosed && group.firings === 0;
export const nodeOfJoin = (join: string | null): string | undefined => join?.split('/')[0];
