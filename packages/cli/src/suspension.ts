// Suspension: what a run waits for that only people or events from outside can give, and how to say it.

import type { Json, Prompt, RunSummary } from 'heddle';
import type { Heddle } from 'heddle/client';
import { count, printable, shortened } from './terminal.ts';

export interface Suspension {
  /** In the order in which they are asked. */
  readonly prompts: readonly Prompt[];
  /** Looked for only where nothing is asked, and nothing else can wake the run. */
  readonly events: readonly AwaitedEvent[];
}

interface AwaitedEvent {
  readonly event: string;
  readonly correlation: string;
}

/** Runs that are looked into for the events that they wait for. */
const runsMax = 100;

export async function suspensionOf(heddle: Pick<Heddle, 'run'>, { runId, status }: RunSummary): Promise<Suspension> {
  const prompts = (await heddle.run(runId).prompts()).toSorted((a, b) => a.requestedAt - b.requestedAt);
  const isAllKnown = prompts.length > 0 || status !== 'suspended';
  return { prompts, events: isAllKnown ? [] : await findAwaited(heddle, runId) };
}

/** The events that a run and those below it wait for. */
async function findAwaited(heddle: Pick<Heddle, 'run'>, rootRunId: string): Promise<readonly AwaitedEvent[]> {
  const found: AwaitedEvent[] = [];
  const runIds = [rootRunId];
  for (const runId of runIds) {
    for (const { event, childRunId } of await heddle.run(runId).waits()) {
      if (event) found.push({ event: event.name, correlation: event.correlation });
      if (childRunId !== undefined && runIds.length < runsMax) runIds.push(childRunId);
    }
  }
  return found;
}

/** `"Publish?" waits for an answer`, as part of a sentence. */
export function describeSuspension({ prompts, events }: Suspension): string {
  const [prompt] = prompts;
  const others = Math.max(prompts.length, events.length) - 1;
  if (prompt && others > 0) return `${titleOf(prompt)} and ${count(others, 'other prompt')} wait for answers`;
  if (prompt) return `${titleOf(prompt)} waits for an answer`;
  const [awaited] = events;
  if (!awaited) return 'it waits for something from outside';
  const also = others > 0 ? ` and ${count(others, 'other')}` : '';
  return `it waits for the event ${describeEvent(awaited)}${also}`;
}

export function describeEvent({ event, correlation }: AwaitedEvent): string {
  return printable(`"${event}"${correlation === '' ? '' : ` (${correlation})`}`);
}

export function titleOf({ title, nodeId }: Pick<Prompt, 'title' | 'nodeId'>): string {
  return title === null ? `node "${shortened(nodeId, 60)}"` : `"${shortened(title, 80)}"`;
}

const fieldsShownMax = 4;

/** What to write behind `--answer`, with the fields that the prompt's schema names. */
export function answerOption({ schema }: Pick<Prompt, 'schema'>): string {
  const { required, properties } = (schema ?? {}) as { readonly required?: Json; readonly properties?: Json }; // a JSON Schema
  const named = Array.isArray(required) && required.length > 0 ? required : Object.keys(properties ?? {});
  const names = named.length > 0 ? named.slice(0, fieldsShownMax) : ['…'];
  const fields = names.map((name) => `${printable(JSON.stringify(name)).replaceAll("'", `'\\''`)}: …`);
  return `--answer '{${fields.join(', ')}}'`;
}
