// NameIds: gives runs and prompts names by their place in the story, since their ids are drawn anew each time: a root by
// its workflow, a sub-run by the token that called it, a prompt by the token that asks.

import type { Event } from '../../packages/heddle/src/core/events.ts';

export interface JournaledRun {
  readonly id: string;
  readonly workflow: string;
  readonly parent: string | null;
  readonly createdAt: number;
  readonly events: readonly Event[];
}

/** Answers with what writes a text with names; ids that belong to nothing (of events) are all one. */
export function nameIds(runs: readonly JournaledRun[]): (text: string) => string {
  const names = new Map<string, string>();
  const byId = new Map(runs.map((run) => [run.id, run]));
  const counts = new Map<string, number>();
  for (const { id, workflow } of rootsOf(runs)) {
    const count = (counts.get(workflow) ?? 0) + 1;
    counts.set(workflow, count);
    names.set(id, `<${workflow} ${count}>`);
  }
  // A run that is named names those below it; the map grows while it is walked.
  for (const [id, name] of names) nameBelow(byId.get(id), name, names);
  if (names.size === 0) return (text) => text.replaceAll(anyId, '<id>');
  const known = new RegExp([...names.keys()].join('|'), 'g'); // letters, digits, - and _ alone
  return (text) => text.replaceAll(known, (id) => names.get(id) ?? id).replaceAll(anyId, '<id>');
}

const anyId = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g;

/** Those of one workflow by what they were started with. */
function rootsOf(runs: readonly JournaledRun[]): readonly JournaledRun[] {
  const roots = runs.filter(({ parent }) => parent === null);
  return roots.map((run) => ({ ...run, sign: signOf(run) })).toSorted((a, b) => (a.sign < b.sign ? -1 : 1));
}

function signOf({ createdAt, events }: JournaledRun): string {
  const [start] = events;
  if (start?.type !== 'workflow.started') return String(createdAt);
  const { input, tags, trigger, retryOf } = start;
  return JSON.stringify([createdAt, retryOf !== null, input, tags, trigger ?? null]).replaceAll(anyId, '');
}

function nameBelow(run: JournaledRun | undefined, name: string, names: Map<string, string>): void {
  for (const event of run?.events ?? []) {
    if (event.type === 'subworkflow.dispatched') {
      const { childRunId, token, attempt } = event;
      if (!names.has(childRunId)) names.set(childRunId, `${name}.${token}.${attempt}`);
    } else if (event.type === 'input.queued' || event.type === 'input.requested') {
      names.set(event.correlationId, `${name}?${event.token}`);
    }
  }
}
