// `heddle triggers …`: what starts runs by itself: list, create, show, switch on and off, remove, fire.

import type { CreateTriggerOptions, TriggerInfo } from 'heddle';
import { locate, printProblems } from './check-documents.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { readDocument, readValue } from './read-document.ts';
import { table } from './table.ts';
import { output, prettyJson, printable, progress, timeOf } from './terminal.ts';

export interface TriggersOptions extends PlaceOptions {
  readonly json?: boolean;
}

export function listTriggers({ json, ...where }: TriggersOptions): Promise<number> {
  return withPlace(where, 'look', async ({ heddle, name }) => {
    const triggers = await heddle.triggers.list();
    if (json) output.line(JSON.stringify(triggers));
    else if (triggers.length === 0) output.line(`No triggers in ${name}.`);
    else {
      const head = ['trigger', 'type', 'starts', '', 'fires next'].map((title) => output.paint('dim', title));
      for (const line of table([head, ...triggers.map(rowOf)])) output.line(line);
    }
    return exitCodes.done;
  });
}

function rowOf({ id, definition, enabled, nextAt }: TriggerInfo): readonly string[] {
  const state = enabled ? output.paint('green', 'on') : output.paint('yellow', 'off');
  return [id, definition.type, definition.workflow, state, nextAt === null || !enabled ? '' : timeOf(nextAt)];
}

/** One trigger, or a list of them, in a file; all problems are reported, and the triggers without any are created. */
export async function createTriggers(
  file: string,
  { json, replace = false, ...where }: TriggersOptions & CreateTriggerOptions,
): Promise<number> {
  const document = await readDocument(file);
  if (document.problem) {
    printProblems(progress, file, [document.problem]);
    throw new CommandError(document.problem.code, document.problem.message);
  }
  const given: readonly unknown[] = Array.isArray(document.value) ? document.value : [document.value];
  return withPlace(where, 'make', async (place) => {
    const { heddle } = place;
    const created: TriggerInfo[] = [];
    for (const [index, trigger] of given.entries()) {
      const { problems, trigger: info, isNew } = await heddle.triggers.create(trigger, replace ? { replace } : {});
      const prefix = Array.isArray(document.value) ? `/${index}` : '';
      const placed = problems.map((problem) => ({ ...problem, pointer: prefix + problem.pointer }));
      printProblems(progress, file, locate(document, placed));
      if (info) created.push(info);
      const address = info && !json ? await webhookAddress(place, info) : null;
      const calls = address === null ? '' : `, called at ${address}`;
      if (info && !json) output.line(`${info.id}  ${isNew ? 'created' : 'was there already'}${calls}`);
    }
    if (json) output.line(JSON.stringify(created));
    return created.length === given.length ? exitCodes.done : exitCodes.refused;
  });
}

export function showTrigger(id: string, { json, ...where }: TriggersOptions): Promise<number> {
  return withPlace(where, 'look', async (place) =>
    printTrigger(place, await place.heddle.triggers.get(id), json ?? false),
  );
}

export function switchTrigger(id: string, isOn: boolean, { json, ...where }: TriggersOptions): Promise<number> {
  return withPlace(where, 'change', async (place) => {
    const { triggers } = place.heddle;
    return printTrigger(place, await (isOn ? triggers.enable(id) : triggers.disable(id)), json ?? false);
  });
}

/** Where a webhook is called; null for other triggers. */
async function webhookAddress(place: Place, { id, definition }: TriggerInfo): Promise<string | null> {
  return definition.type === 'webhook' ? place.webhookAddress(id) : null;
}

async function printTrigger(place: Place, trigger: TriggerInfo, json: boolean): Promise<number> {
  if (json) output.line(JSON.stringify(trigger));
  else {
    const { id, enabled, nextAt, lastRunId, queued, definition } = trigger;
    const facts = [
      ['called at', await webhookAddress(place, trigger)],
      ['fires next', nextAt === null || !enabled ? null : timeOf(nextAt)],
      ['last run', lastRunId],
      ['waiting', queued.length === 0 ? null : String(queued.length)],
    ] as const;
    output.line(
      `${output.paint('bold', id)}  ${enabled ? output.paint('green', 'on') : output.paint('yellow', 'off')}`,
    );
    const rows = facts.flatMap(([name, value]) => (value === null ? [] : [[output.paint('dim', name), value]]));
    for (const line of table(rows, '  ')) output.line(line);
    output.line(prettyJson(definition));
  }
  return exitCodes.done;
}

export function removeTrigger(id: string, { json, ...where }: TriggersOptions): Promise<number> {
  return withPlace(where, 'change', async ({ heddle }) => {
    const removed = await heddle.triggers.remove(id);
    if (json) output.line(JSON.stringify({ removed }));
    else output.line(removed ? `${id}  removed` : `There was no trigger ${printable(id)}.`);
    return exitCodes.done;
  });
}

export function fireTrigger(
  triggerId: string,
  { json, input, id, ...where }: TriggersOptions & { readonly input: string; readonly id?: string },
): Promise<number> {
  const value = readValue('--input', input);
  return withPlace(where, 'change', async ({ heddle }) => {
    const { fired, skipped } = await heddle.triggers.fire(triggerId, value, id === undefined ? {} : { id });
    if (json) output.line(JSON.stringify({ fired, skipped }));
    else {
      for (const { runId } of fired) output.line(runId);
      for (const { code, reason } of skipped) progress.line(`It did not fire: ${code}: ${printable(reason)}`);
    }
    return fired.length > 0 ? exitCodes.done : exitCodes.notCompleted;
  });
}
