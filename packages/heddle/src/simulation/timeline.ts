// Timeline: what happened in a simulated world, in order, as data and as lines to read.

import type { Commit } from '../actor/ports.ts';
import { asJson, type Json, type JsonObject } from '../base/json.ts';
import type { Event } from '../core/events.ts';
import { readEvents } from '../core/read-events.ts';

export interface TimelineEntry {
  /** Milliseconds since the world began. */
  readonly at: number;
  /** The workflow of the run that it happened in, with a number if there are several; null for the world itself. */
  readonly run: string | null;
  readonly node: string | null;
  /** The type of the event; for the world, a sentence. */
  readonly what: string;
  /** What else the event tells. */
  readonly details: JsonObject;
}

export class Timeline {
  readonly entries: TimelineEntry[] = [];
  readonly #startedAt: number;
  readonly #names = new Map<string, string>();
  /** The node of each token, by run. */
  readonly #nodes = new Map<string, Map<number, string>>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  note(what: string, at: number): void {
    this.entries.push({ at: at - this.#startedAt, run: null, node: null, what, details: {} });
  }

  addCommit({ runs, journal }: Commit): void {
    for (const { row } of runs) this.#nameRun(row.runId, row.workflow);
    for (const { runId, at, events } of journal)
      for (const event of readEvents(events)) this.#addEvent(runId, at, event);
  }

  #nameRun(runId: string, workflow: string): void {
    if (this.#names.has(runId)) return;
    const others = [...this.#names.values()].filter((name) => name.replace(/ #\d+$/, '') === workflow).length;
    this.#names.set(runId, others === 0 ? workflow : `${workflow} #${others + 1}`);
    this.#nodes.set(runId, new Map());
  }

  #addEvent(runId: string, at: number, event: Event): void {
    const { type, ...told } = event;
    const details = Object.fromEntries(
      Object.entries<Json>(asJson(told)).map(([key, value]) => [key, this.#asDelay(key, value)]),
    );
    const nodes = this.#nodes.get(runId);
    const { token, node, count = 1 } = details;
    if (type === 'token.created' && typeof token === 'number' && typeof node === 'string')
      for (let index = 0; index < Number(count); index++) nodes?.set(token + index, node);
    const where = typeof token === 'number' ? (nodes?.get(token) ?? null) : null;
    this.entries.push({
      at: at - this.#startedAt,
      run: this.#names.get(runId) ?? runId,
      node: typeof node === 'string' ? node : where,
      what: type,
      details,
    });
  }

  /** Times count from the beginning of the world, like all others. */
  #asDelay(key: string, value: Json): Json {
    const isTime = typeof value === 'number' && ['retryAt', 'until', 'deadline'].includes(key);
    return isTime ? `+${value - this.#startedAt} ms` : value;
  }
}

/** One line each: when, in which run, at which node, what. */
export function formatTimeline(entries: readonly TimelineEntry[]): string {
  const runs = Math.max(0, ...entries.map(({ run }) => run?.length ?? 0));
  const nodes = Math.max(0, ...entries.map(({ node }) => node?.length ?? 0));
  const lines = entries.map(({ at, run, node, what, details }) => {
    const when = `+${at} ms`.padStart(11);
    if (run === null) return `${when}  -- ${what} --`;
    return `${when}  ${run.padEnd(runs)}  ${(node ?? '').padEnd(nodes)}  ${what}  ${tell(details)}`.trimEnd();
  });
  return lines.join('\n');
}

/** What a reader has seen already, or cannot use, is left out. */
function tell({ node: _, token, ...details }: JsonObject): string {
  const told = Object.entries(details).filter(([key]) => !untold.has(key));
  const parts = told.map(([key, value]) => `${key} ${shortened(value)}`);
  return [...(typeof token === 'number' ? [`#${token}`] : []), ...parts].join(', ');
}

/** What a run is started with beside its input, and places in the state that only the engine reads. */
const untold = new Set(
  `at runId rootRunId parent depth nodeBudget descendantBudget keyRunId retryOf tags trace hash countsNodes workflow
  branch via`.split(/\s+/),
);

function shortened(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
