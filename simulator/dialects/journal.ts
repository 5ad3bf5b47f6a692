// Journal: the events of a run, put in order by the visits to nodes that they tell of, for oracles to look things up in.
// It reads and judges nothing.
//
// Always true: a visit is a token; what came to a join and only waited there is an arrival, the visit is what goes on.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export interface Visit {
  readonly token: number;
  readonly node: string;
  readonly group: number;
  readonly index: number;
  /** The journal row in which it came to be. */
  readonly row: number;
  /** What happened to it, in order. */
  readonly deeds: RunEvent[];
  isArrival: boolean;
  end: 'completed' | 'failed' | 'cancelled' | 'timed_out' | null;
  endRow: number;
  /** The oracle has accounted for it. */
  isTaken: boolean;
}

export interface GroupRecord {
  readonly id: number;
  readonly token: number;
  readonly total: number;
  /** Branches that ended without arriving, in the order of their ends. */
  readonly ended: { readonly index: number; readonly row: number }[];
}

export class Journal {
  readonly visits = new Map<number, Visit>();
  readonly groupsByToken = new Map<number, GroupRecord>();
  /** What nodes made of the run's output, in order. */
  readonly results: { readonly token: number; readonly output: Json }[] = [];
  /** Nodes that edge joins were told will not run. */
  readonly skipped: string[] = [];
  readonly lastRow: number;
  readonly #byNode = new Map<string, Visit[]>();
  readonly #groups = new Map<number, GroupRecord>();

  constructor(events: readonly RunEvent[]) {
    for (const event of events) this.#read(event);
    this.lastRow = events.at(-1)?.seq ?? 0;
  }

  /** All visits (and arrivals) at a node, of any branch, in order. */
  at(node: string): readonly Visit[] {
    return this.#byNode.get(node) ?? [];
  }

  #read(event: RunEvent): void {
    if (event.type === 'token.created') this.#create(event);
    else if (event.type === 'fan_out.started') this.#open(event);
    else if (event.type === 'branch.ended') this.#endBranch(event);
    else if (event.type === 'edges.settled') this.skipped.push(...event.skipped);
    else if (event.type === 'tokens.completed') this.#end(event.tokens, 'completed', event);
    else if (event.type === 'tokens.cancelled') this.#end(event.tokens, 'cancelled', event);
    else if (event.type === 'tokens.timed_out') this.#end(event.tokens, 'timed_out', event);
    else if (event.type === 'tasks.lost') for (const token of event.tokens) this.#note(token, event);
    else if ('token' in event && typeof event.token === 'number') this.#note(event.token, event);
  }

  #create(event: EventOf<'token.created'>): void {
    const { node, seq: row, count = 1 } = event;
    const [group, first] = event.branch;
    const visits = this.#byNode.get(node) ?? [];
    this.#byNode.set(node, visits);
    for (let offset = 0; offset < count; offset++) {
      const visit: Visit = {
        token: event.token + offset,
        node,
        group,
        index: first + offset,
        row,
        deeds: [],
        isArrival: false,
        end: null,
        endRow: 0,
        isTaken: false,
      };
      this.visits.set(visit.token, visit);
      visits.push(visit);
    }
  }

  #open({ group: id, token, total }: EventOf<'fan_out.started'>): void {
    const group: GroupRecord = { id, token, total, ended: [] };
    this.#groups.set(id, group);
    this.groupsByToken.set(token, group);
  }

  #endBranch({ branch, seq: row }: EventOf<'branch.ended'>): void {
    this.#groups.get(branch[0])?.ended.push({ index: branch[1], row });
  }

  #end(tokens: readonly number[], how: Visit['end'], { seq }: RunEvent): void {
    for (const token of tokens) {
      const visit = this.visits.get(token);
      if (visit) Object.assign(visit, { end: how, endRow: seq });
    }
  }

  #note(token: number, event: RunEvent): void {
    const visit = this.visits.get(token);
    if (!visit) return;
    if (event.type === 'token.completed') this.#end([token], 'completed', event);
    else if (event.type === 'workflow.result_set') this.results.push({ token, output: event.output });
    else if (event.type === 'token.waiting' && (event.for === 'siblings' || event.for === 'edges'))
      visit.isArrival = true;
    else visit.deeds.push(event);
    if (event.type === 'task.failed') this.#end([token], 'failed', event);
  }
}
