// `heddle actions`: the actions that nodes can name: those of an engine, those of a module, and those of workers.

import { type ActionInfo, createEngine } from 'heddle';
import { exitCodes } from './command-error.ts';
import { loadActions } from './load-actions.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { table } from './table.ts';
import { duration, output, shortened } from './terminal.ts';

export interface ActionsOptions extends PlaceOptions {
  readonly actions?: string;
  readonly json?: boolean;
}

export async function actionsCommand({ actions, json, ...where }: ActionsOptions): Promise<number> {
  const known = actions === undefined ? await withPlace(where, 'look', listActions) : await listModule(actions);
  if (json) output.line(JSON.stringify(known));
  else {
    const head = ['action', 'where', 'tasks', '', ''].map((title) => output.paint('dim', title));
    for (const line of table([head, ...known.map(rowOf)])) output.line(line);
  }
  return exitCodes.done;
}

const pageMax = 1_000;

export async function listActions({ heddle }: Pick<Place, 'heddle'>): Promise<readonly ActionInfo[]> {
  const all: ActionInfo[] = [];
  for (let got = pageMax; got === pageMax; ) {
    const after = all.at(-1)?.name;
    const page = await heddle.tasks.actions({ limit: pageMax, ...(after === undefined ? {} : { after }) });
    all.push(...page);
    got = page.length;
  }
  return all;
}

async function listModule(file: string): Promise<readonly ActionInfo[]> {
  const engine = await createEngine(await loadActions(file));
  try {
    return await listActions({ heddle: engine });
  } finally {
    await engine.close({ graceMs: 0 });
  }
}

function rowOf({ name, place, waiting, leased, cost = 0, timeoutMs, description }: ActionInfo): readonly string[] {
  const tasks = [...(waiting > 0 ? [`${waiting} waiting`] : []), ...(leased > 0 ? [`${leased} leased`] : [])];
  const settings = [
    ...(cost > 0 ? [`cost ${cost}`] : []),
    ...(timeoutMs === undefined ? [] : [`at most ${duration(timeoutMs)}`]),
  ];
  return [
    name,
    place === 'local' ? 'here' : output.paint('cyan', 'workers'),
    tasks.join(', '),
    settings.join(', '),
    output.paint('dim', shortened(description ?? '', 60)),
  ];
}
