// Live: one life of the process: from nothing or from what a death left, through the message, to the rest. All the while
// the message is under way, and the recovery before it, the places where it could die are noted.

import { mkdirSync, rmSync } from 'node:fs';
import type { SqliteConstructor } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { virtualStart } from '../../packages/heddle/src/testing/virtual-clock.ts';
import type { LostAnswer } from '../lost-answer.ts';
import { findImageFaults } from './check-image.ts';
import { comeToRest } from './come-to-rest.ts';
import type { Death } from './crash-points.ts';
import { type Ending, readEnding } from './ending.ts';
import { findFaults } from './find-faults.ts';
import { layOut } from './image.ts';
import { nothingHeard, type Outside } from './outside.ts';
import type { Shape } from './shape.ts';
import { Stage } from './stage.ts';
import { watchFiles } from './watched-files.ts';

export interface Life {
  readonly shape: Shape;
  readonly Sqlite: SqliteConstructor;
  /** Its own, made and removed here. */
  readonly folder: string;
  readonly seed: number;
  readonly isAside: boolean;
  readonly lost: LostAnswer | null;
  /** Null: it is the first, and the situation has to come about. */
  readonly from: Death | null;
  /** Nobody sends the message (again). */
  readonly isSilent: boolean;
  /** It ends with the message, for it dies again. */
  readonly isBrief: boolean;
  /** Whether it could die on the way, and what is found at its beginning is looked at. */
  readonly isWatched: boolean;
}

export interface Lived {
  readonly deaths: readonly Death[];
  /** How many points there were. */
  readonly points: number;
  readonly faults: readonly string[];
  /** Null if it did not get that far. */
  readonly ending: Ending | null;
  /** What was answered to orders, and how many of them are of the message. */
  readonly answers: Outside['answers'];
  readonly answersToMessage: number;
}

export async function live(life: Life): Promise<Lived> {
  const { folder, from } = life;
  mkdirSync(folder);
  if (from) layOut(from.image, folder);
  const stage = new Stage({ ...life, outside: from?.outside ?? nothingHeard(virtualStart) });
  const { points } = stage;
  const made: Pick<Lived, 'faults' | 'ending'> = await play(stage, life).catch((error: unknown) => ({
    faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    ending: null,
  }));
  await stage.close();
  rmSync(folder, { recursive: true });
  const { deaths, count } = points;
  const { answers, answersBefore } = stage.outside;
  const answersToMessage = (deaths.at(-1)?.outside.answers.size ?? 0) - answersBefore;
  return { ...made, deaths, points: count, answers, answersToMessage };
}

async function play(
  stage: Stage,
  { shape, Sqlite, lost, from, isSilent, isBrief, isWatched }: Life,
): Promise<Pick<Lived, 'faults' | 'ending'>> {
  const faults: string[] = [];
  if (from === null && shape.isFromTheBeginning !== true) await prepare(stage);
  stage.noteSending();
  lost?.count();
  const before = from === null ? await countMade(stage) : null;
  const stops = isWatched ? [watchFiles(stage.points), stage.points.watch()] : [];
  try {
    const isLookedAt = isWatched && shape.tolerates?.damage === undefined;
    if (!stage.isOpen) {
      await stage.open(async (store) => void (isLookedAt && faults.push(...(await findImageFaults(store)))));
    }
    await stage.settle();
    if (!isSilent) await shape.send(stage);
    await stage.settle();
  } finally {
    for (const stop of stops) stop();
  }
  if (before) faults.push(...(await findMissing(stage, before)));
  if (isBrief) return { faults, ending: null };
  await comeToRest(stage);
  if (!isSilent) faults.push(...(await findFaults(stage)));
  return { faults, ending: readEnding(Sqlite, stage.file, shape.tolerates) };
}

async function prepare(stage: Stage): Promise<void> {
  const { definitions = [], prepare: bringAbout } = stage.shape;
  await stage.open();
  for (const definition of definitions) await stage.register(definition);
  await bringAbout?.(stage);
  if (stage.isOpen) await stage.settle();
}

/** How often each type of event stands in the journals, and up to which rows there are snapshots. */
async function countMade(stage: Stage): Promise<ReadonlyMap<string, number>> {
  const made = new Map<string, number>();
  if (!stage.isOpen) return made;
  const count = (what: string, more: number): unknown => made.set(what, (made.get(what) ?? 0) + more);
  for (const { runId } of (await stage.store.pageRuns({ limit: 1_000 })).rows) {
    for (const { events } of await stage.store.readJournal(runId, 1, 10_000)) {
      for (const { type } of JSON.parse(events) as { type: string }[]) count(type, 1);
    }
    if ([stage.shape.makes ?? []].flat().includes('snapshot'))
      count('snapshot', (await stage.store.loadRun(runId))?.snapshot?.seq ?? 0);
  }
  return made;
}

async function findMissing(stage: Stage, before: ReadonlyMap<string, number>): Promise<string[]> {
  const after = await countMade(stage);
  return [stage.shape.makes ?? []].flat().flatMap((what) => {
    const isThere = (after.get(what) ?? 0) > (before.get(what) ?? 0);
    return isThere ? [] : [`the shape is not what it says: the message makes no ${what}`];
  });
}
