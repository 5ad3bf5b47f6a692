// Damages: many stores that are not as they were written, by one bit that turned over or one write that was lost, each
// asked everything. Either every answer is what it was, or the damage is told: by a refusal to open the store, by a refusal
// in place of an answer, or by an audit. What comes from loading a run is never wrong, audit or not.
//
// Two cases are left. A bad bit in the newest commit of a log cannot be told from a commit that was cut off, so that the
// store is as it was before that commit, whole: no worse than a loss of power. And where a write was lost, records,
// messages and keys may be as they were earlier: each row is as it was written, and nothing says that it is not the last.

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import { auditStore } from '../../packages/heddle/src/engine/audit.ts';
import { openSqliteStore, openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { type About, type Answers, askAll } from './answers.ts';
import { Fingerprints } from './fingerprint.ts';
import type { Damage } from './flip.ts';
import { goOn, goOnDamaged } from './go-on.ts';
import { type Files, writeFiles } from './loss.ts';
import { makeOriginal, type Original } from './original.ts';
import type { Recording } from './recording.ts';
import { watchSqlite } from './watch-sqlite.ts';

export interface Damages {
  readonly damage: (original: Original, dice: Dice) => Damage;
  /** Of what the store must tell that it is not as it was. Only if it is everything does an engine go on with it. */
  readonly covers: 'everything' | 'runs';
  readonly count: number;
  readonly seed: number;
  /** Only this one. */
  readonly only: number | null;
  /** A folder of its own, best in memory. */
  readonly folder: string;
  readonly recordingOf: (number: number) => Recording;
  readonly fail: (number: number, message: string) => void;
}

/** How it came out. */
export type Finding =
  | 'unchanged'
  | 'refused'
  | 'told'
  | 'only in an audit'
  | 'newest commit gone'
  | 'old beside the runs';

const damagesPerOriginal = 50;
const recordings = 4;
/** Every so many an engine also goes on with the damaged store. */
const goesOnEvery = 10;

/** How often each finding was made. */
export async function damageStores(damages: Damages): Promise<ReadonlyMap<Finding, number>> {
  const { count, seed, only, folder, recordingOf } = damages;
  const findings = new Map<Finding, number>();
  for (let first = 0; first < count; first += damagesPerOriginal) {
    const end = Math.min(count, first + damagesPerOriginal);
    if (only !== null && (only < first || only >= end)) continue;
    const recording = recordingOf((first / damagesPerOriginal) % recordings);
    const dice = new Dice(seed * 7_919 + first);
    const original = await makeOriginal(recording, dice, path.join(folder, `original-${first}`));
    for (let number = first; number < end; number++) {
      if (only !== null && only !== number) continue;
      const finding = await damageOne(damages, original, number);
      findings.set(finding, (findings.get(finding) ?? 0) + 1);
    }
  }
  return findings;
}

async function damageOne(damages: Damages, original: Original, number: number): Promise<Finding> {
  const { damage, covers, seed, only, folder, fail } = damages;
  const { files, what } = damage(original, new Dice(seed * 1_000_033 + number));
  const image = { original, files, covers, folder: path.join(folder, `damaged-${number}`) };
  const goesOn = covers === 'everything' && (number % goesOnEvery === 0 || only === number);
  const { finding, wrong } = await judge(image, goesOn);
  if (wrong !== null) fail(number, `${wrong}\n  after ${what}`);
  return finding;
}

interface Image {
  readonly original: Original;
  readonly files: Files;
  readonly covers: Damages['covers'];
  readonly folder: string;
}

interface Judgement {
  readonly finding: Finding;
  readonly wrong: string | null;
}

async function judge(image: Image, goesOn: boolean): Promise<Judgement> {
  const judgement = await look(image);
  if (judgement.wrong !== null || !goesOn || judgement.finding === 'refused') return judgement;
  return { ...judgement, wrong: await goOnAfter(image, judgement.finding) };
}

/** Under a name of its own: a connection lives on for a while after it was closed. */
async function look(image: Image): Promise<Judgement> {
  const { files, folder } = image;
  writeFiles(files, folder);
  try {
    const { Sqlite, database } = await watchSqlite({});
    const store = await openStoreWith(Sqlite, path.join(folder, 'heddle.db'), { readOnly: true });
    try {
      return await compare(image, store, () => new Fingerprints(database()).next());
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof HeddleError) return { finding: 'refused', wrong: null };
    return { finding: 'refused', wrong: `Expected a refusal with a code, but: ${describe(error)}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compare(image: Image, store: Store, fingerprint: () => string): Promise<Judgement> {
  const { original, covers } = image;
  const { isTold, uncoded, silent } = compareAnswers(original, await askAll(store, original.subjects));
  if (uncoded !== null) return { finding: 'told', wrong: uncoded };
  const loaded = silent.get('a loaded run') ?? null;
  if (await isAudited(store)) return { finding: isTold ? 'told' : 'only in an audit', wrong: loaded };
  if (silent.size === 0) return { finding: isTold ? 'told' : 'unchanged', wrong: null };
  if (fingerprint() === original.fingerprintBefore) return { finding: 'newest commit gone', wrong: null };
  const wrong = loaded ?? silent.get('runs') ?? null;
  if (wrong === null && covers === 'runs') return { finding: 'old beside the runs', wrong: null };
  return { finding: 'unchanged', wrong: wrong ?? silent.get('beside the runs') ?? null };
}

interface Compared {
  /** An answer was refused, with a code. */
  readonly isTold: boolean;
  /** What was thrown without a code. */
  readonly uncoded: string | null;
  /** Answers that are not what they were, and do not say so. */
  readonly silent: ReadonlyMap<About, string>;
}

function compareAnswers(original: Original, answers: Answers): Compared {
  let isTold = false;
  const silent = new Map<About, string>();
  for (const [question, { about, found }] of answers) {
    const before = original.answers.get(question)?.found;
    if (found instanceof HeddleError) isTold = true;
    else if (found instanceof Error)
      return { isTold, uncoded: `Expected an error with a code, but ${question}: ${describe(found)}`, silent };
    else if (found !== before) silent.set(about, `Expected ${question} to be\n${String(before)}\nbut found\n${found}`);
  }
  return { isTold, uncoded: null, silent };
}

async function isAudited(store: Store): Promise<boolean> {
  try {
    return (await auditStore(store)).problems.length > 0;
  } catch (error) {
    if (error instanceof HeddleError) return true;
    throw error;
  }
}

async function goOnAfter({ original, files, folder }: Image, finding: Finding): Promise<string | null> {
  writeFiles(files, `${folder}-again`);
  try {
    const store = await openSqliteStore(path.join(`${folder}-again`, 'heddle.db'));
    const isWhole = finding === 'unchanged' || finding === 'newest commit gone';
    return await (isWhole ? goOn(original.recording, store) : goOnDamaged(original.recording, store));
  } catch (error) {
    return error instanceof HeddleError ? null : `Expected a refusal with a code, but: ${describe(error)}`;
  } finally {
    rmSync(`${folder}-again`, { recursive: true });
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
