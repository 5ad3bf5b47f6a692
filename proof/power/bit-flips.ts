// BitFlips: many stores with one bit turned over, each asked everything. Either every answer is what it was, or the damage
// is told: by a refusal to open the store, by a refusal in place of an answer, or by an audit.
//
// One case is left to SQLite, and is no worse than a loss of power: a bad bit in the newest commit of a log cannot be told
// from a commit that was cut off, so that the store is as it was before that commit, whole.

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import { openSqliteStore, openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { auditStore } from '../../packages/heddle/src/sdk/audit.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { askAll } from './answers.ts';
import { Fingerprints } from './fingerprint.ts';
import { flipBit } from './flip.ts';
import { goOn, goOnDamaged } from './go-on.ts';
import { type Files, writeFiles } from './loss.ts';
import { makeOriginal, type Original } from './original.ts';
import type { Recording } from './recording.ts';
import { watchSqlite } from './watch-sqlite.ts';

export interface BitFlips {
  readonly count: number;
  readonly seed: number;
  /** Only this one. */
  readonly only: number | null;
  /** A folder of its own, best in memory. */
  readonly folder: string;
  readonly recordingOf: (number: number) => Recording;
  readonly fail: (number: number, message: string) => void;
}

/** How a flip came out. */
export type Finding = 'unchanged' | 'refused' | 'told' | 'only in an audit' | 'newest commit gone';

const flipsPerOriginal = 50;
const recordings = 4;
/** Every so many flips an engine also goes on with the damaged store. */
const goesOnEvery = 10;

/** How often each finding was made. */
export async function flipBits(flips: BitFlips): Promise<ReadonlyMap<Finding, number>> {
  const { count, seed, only, folder, recordingOf, fail } = flips;
  const findings = new Map<Finding, number>();
  for (let first = 0; first < count; first += flipsPerOriginal) {
    const end = Math.min(count, first + flipsPerOriginal);
    if (only !== null && (only < first || only >= end)) continue;
    const recording = recordingOf((first / flipsPerOriginal) % recordings);
    const original = await makeOriginal(
      recording,
      new Dice(seed * 7_919 + first),
      path.join(folder, `original-${first}`),
    );
    for (let number = first; number < end; number++) {
      if (only !== null && only !== number) continue;
      const dice = new Dice(seed * 1_000_033 + number);
      const { files, place } = flipBit(original.files, dice);
      const image = { original, files, folder: path.join(folder, `flip-${number}`) };
      const { finding, wrong } = await judge(image, number % goesOnEvery === 0 || only === number);
      findings.set(finding, (findings.get(finding) ?? 0) + 1);
      if (wrong !== null) fail(number, `${wrong}\n  after ${place} turned over`);
    }
  }
  return findings;
}

interface Image {
  readonly original: Original;
  readonly files: Files;
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
async function look({ original, files, folder }: Image): Promise<Judgement> {
  writeFiles(files, folder);
  try {
    const { Sqlite, database } = await watchSqlite({});
    const store = await openStoreWith(Sqlite, path.join(folder, 'heddle.db'), { readOnly: true });
    try {
      return await compare(original, store, () => new Fingerprints(database()).next());
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

async function compare(original: Original, store: Store, fingerprint: () => string): Promise<Judgement> {
  const answers = await askAll(store, original.subjects);
  let isTold = false;
  let silent: string | null = null;
  for (const [question, answer] of answers) {
    const before = original.answers.get(question);
    if (answer instanceof HeddleError) isTold = true;
    else if (answer instanceof Error)
      return { finding: 'told', wrong: `Expected an error with a code, but ${question}: ${describe(answer)}` };
    else if (answer !== before) silent = `Expected ${question} to be\n${String(before)}\nbut found\n${answer}`;
  }
  if (await isAudited(store)) return { finding: isTold ? 'told' : 'only in an audit', wrong: null };
  if (silent === null) return { finding: isTold ? 'told' : 'unchanged', wrong: null };
  if (fingerprint() === original.fingerprintBefore) return { finding: 'newest commit gone', wrong: null };
  return { finding: 'unchanged', wrong: silent };
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
