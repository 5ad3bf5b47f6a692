// `heddle db …`: the file itself: how large it is, a copy of it while it is in use, space given back.

import type { EngineStats } from 'heddle';
import { exitCodes } from './command-error.ts';
import { checkStore, openEngine, openFile, openStores, type PlaceOptions, storeOf, withPlace } from './place.ts';
import { quoted } from './quoted.ts';
import { table } from './table.ts';
import { count, output, statusStyles } from './terminal.ts';

export interface DbOptions extends PlaceOptions {
  readonly json?: boolean;
}

export function statsCommand({ json, ...where }: DbOptions): Promise<number> {
  return withPlace(where, 'look', async ({ heddle, name }) => {
    const stats = await heddle.stats();
    if (json) output.line(JSON.stringify(stats));
    else printStats(stats, name);
    return exitCodes.done;
  });
}

/** Of a file, beside whoever writes to it. A server keeps its copies where its file is, under names of its own. */
export function backupCommand(path: string | undefined, { json, ...where }: DbOptions): Promise<number> {
  return withPlace(where, 'look', async (place) => {
    const copy = await place.backUp(path);
    output.line(json ? JSON.stringify({ path: copy.path }) : copy.sentence);
    return exitCodes.done;
  });
}

export function vacuumCommand({ json, ...where }: DbOptions): Promise<number> {
  return withPlace(where, 'change', async ({ heddle, name }) => {
    const before = await heddle.stats();
    await heddle.vacuum();
    const [from, to] = [bytesOf(before), bytesOf(await heddle.stats())];
    if (json) output.line(JSON.stringify({ bytesBefore: from, bytesAfter: to }));
    else output.line(`${name}: ${size(from)} before, ${size(to)} now.`);
    return exitCodes.done;
  });
}

/** The file is marked as whole; what only its log held is not in it. */
export async function acceptMissingLogCommand({ json, ...where }: FileOptions): Promise<number> {
  const store = storeOf(where);
  checkStore(store);
  for (const each of await openFile(store, () => openStores(store, { withoutLog: true }))) await each.close();
  if (json) output.line(JSON.stringify({ store }));
  else
    output.line(`${store} opens without its log. Check what it holds with: npx heddle audit --store ${quoted(store)}`);
  return exitCodes.done;
}

export async function snapshotKeyCommand({ json, ...where }: FileOptions): Promise<number> {
  const engine = await openEngine(storeOf(where), 'look');
  try {
    const key = await engine.snapshotKey();
    output.line(json ? JSON.stringify({ key }) : key);
    return exitCodes.done;
  } finally {
    await engine.close({ graceMs: 0 });
  }
}

/** For what a server does not do: it is about the file alone. */
interface FileOptions {
  readonly store?: string;
  readonly json?: boolean;
}

const bytesOf = ({ store }: EngineStats): number => (store === null ? 0 : store.fileBytes + store.walBytes);

function printStats({ runs, journalRows, store }: EngineStats, name: string): void {
  const { byStatus, quarantined, more } = runs;
  const amount = (status: string, value: number): string =>
    `${value.toLocaleString('en')}${more.includes(status) ? ' or more' : ''}`;
  const counted = Object.entries(byStatus).filter(([, value]) => value > 0);
  const rows = [
    ...counted.map(([status, value]) => [output.paint(statusStyles[status] ?? 'cyan', status), amount(status, value)]),
    ...(quarantined > 0 ? [[output.paint('red', 'set aside'), amount('quarantined', quarantined)]] : []),
    ['journal', count(journalRows, 'row')],
    ...(store === null
      ? []
      : [
          ['file', `${size(store.fileBytes)}, of which ${size(store.freeBytes)} is free inside`],
          ['log', size(store.walBytes)],
          ['artifacts', `${count(store.artifacts.count, 'artifact')}, ${size(store.artifacts.bytes)}`],
        ]),
  ];
  output.line(output.paint('bold', name));
  for (const line of table(rows, '  ')) output.line(line);
}

function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
