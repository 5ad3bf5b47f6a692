// Recording: a story, played by real processes under the recorder: every change to the disk in order, what was
// acknowledged when, and what the database held after each commit.
//
// Always true: the recording, with nothing lost, makes the very files that the processes left; a call that the recorder
// does not know of would show here.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { applyBytes, Disk, type FolderNode } from './disk.ts';
import { loseRest, seenFiles, writeFiles } from './loss.ts';
import { endingFile, fingerprintsFile, marksFile, type Session, storeFile } from './recorder.ts';
import { type Change, readTrace } from './trace.ts';
import { Walk } from './walk.ts';

interface History {
  readonly changes: readonly Change[];
  /** When it was opened, and after each commit. */
  readonly fingerprints: readonly string[];
}

export interface Recording extends History {
  readonly seed: number;
  /** What names in the changes begin with. */
  readonly disk: string;
  readonly ending: string;
  readonly key: Buffer;
}

export interface RecordingOptions {
  readonly seed: number;
  /** A folder of its own. */
  readonly folder: string;
  /** The library that records. */
  readonly library: string;
}

/**
 * The first process ends without a farewell and the second plays the story again to its end: on the disk as it was at any
 * change of the first, which was killed there, or, in every other recording, on what a loss of power there left.
 */
export function makeRecording({ seed, folder, library }: RecordingOptions): Recording {
  const disk = path.join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const dice = new Dice(seed);
  const first = runSession({ folder, seed, commitsMax: dice.between(5, 60) }, library);
  const before = seed % 2 === 0 ? kill(disk, first, dice) : losePower(disk, first, dice);
  const second = runSession({ folder, seed, commitsMax: null }, library);
  const recording = {
    seed,
    disk,
    changes: [...before.changes, ...second.changes],
    fingerprints: [...before.fingerprints, ...second.fingerprints],
    ending: readFileSync(endingFile(folder), 'utf8'),
    key: readFileSync(`${storeFile(folder)}.key`),
  };
  compareWithDisk(recording);
  rmSync(folder, { recursive: true });
  return recording;
}

/** What happened up to some moment; the disk keeps it, and may still have to sync it. */
function kill(disk: string, first: History, dice: Dice): History {
  const { walk, before } = stopAnywhere(disk, first, dice);
  writeFiles(seenFiles(walk.disk.root), disk);
  return { ...before, changes: [...before.changes, { type: 'restarted' }] };
}

/** What happened up to some moment, and the loss. */
function losePower(disk: string, first: History, dice: Dice): History {
  const { walk, before } = stopAnywhere(disk, first, dice);
  const files = loseRest(walk.disk.root, dice);
  writeFiles(files, disk);
  return { ...before, changes: [...before.changes, { type: 'lost', files }] };
}

/** What the process did after that moment never was. Often it is when a commit is written, and is to be synced. */
function stopAnywhere(disk: string, { changes, fingerprints }: History, dice: Dice): { walk: Walk; before: History } {
  const written = changes.flatMap((change, index) =>
    change.type === 'synced' && isCommitted(changes[index + 1]) ? [index] : [],
  );
  const position = dice.chance(1, 3) ? dice.draw(changes.length) : (dice.pick(written) ?? 0);
  const walk = new Walk(disk, changes);
  walk.goTo(position);
  const before = {
    changes: changes.slice(0, position),
    fingerprints: fingerprints.slice(0, walk.knowledge.begun + 1),
  };
  return { walk, before };
}

const isCommitted = (change: Change | undefined): boolean =>
  change?.type === 'marked' && change.mark.type === 'committed';

function runSession(session: Session, library: string): History {
  const trace = path.join(session.folder, 'trace');
  const { status, stderr } = spawnSync(process.execPath, [process.argv[1] ?? '', '--record', JSON.stringify(session)], {
    env: {
      ...process.env,
      LD_PRELOAD: library,
      POWER_FOLDER: path.join(session.folder, 'disk'),
      POWER_TRACE: trace,
      UV_USE_IO_URING: '0', // Its writes would be calls of no library.
    },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Expected the recorded process to end well, but: ${stderr || `status ${status}`}`);
  const changes = readTrace(trace, marksFile(session.folder));
  const fingerprints = readFileSync(fingerprintsFile(session.folder), 'utf8').trim().split('\n');
  rmSync(fingerprintsFile(session.folder));
  return { changes, fingerprints };
}

function compareWithDisk({ disk, changes }: Recording): void {
  const model = new Disk(disk);
  for (const change of changes) model.change(change);
  const folders: [string, FolderNode][] = [[disk, model.root]];
  for (const [place, folder] of folders) {
    const names = readdirSync(place).filter((name) => name !== '.marks');
    if (names.toSorted().join() !== [...folder.seen.keys()].toSorted().join())
      throw new Error(
        `Expected ${names.join()} in ${place} to be recorded, but found ${[...folder.seen.keys()].join()}`,
      );
    for (const [name, node] of folder.seen) {
      const file = path.join(place, name);
      if (node.type === 'folder') folders.push([file, node]);
      else if (!applyBytes(node.bytes, node.waiting).equals(readFileSync(file)))
        throw new Error(`Expected the recorded writes to make ${file}, but it holds something else`);
    }
  }
}
