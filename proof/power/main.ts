// Power: proves that a store survives what kill -9 cannot show: the loss of power, and bits that turn over on the disk.
//
//   node scripts/prove.mjs run power --images 1000 --flips 1000 --seed 1
//   node scripts/prove.mjs run power --images 1000 --seed 1 --image 17     one of them again; --flip 17 likewise
//
// Always true: everything is a function of the seed, but for what SQLite and the key draw by chance, which changes bytes
// and nothing else.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { flipBits } from './bit-flips.ts';
import { compileRecorder } from './compile-recorder.ts';
import { losePower } from './power-loss.ts';
import { record, type Session } from './recorder.ts';
import { makeRecording, type Recording } from './recording.ts';

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '1000' },
    flips: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    image: { type: 'string' },
    flip: { type: 'string' },
    // How this program starts the process that it records.
    record: { type: 'string' },
  },
});

if (values.record === undefined) process.exitCode = await prove();
else await record(JSON.parse(values.record) as Session);

/** Answers with the exit code. */
async function prove(): Promise<number> {
  const folder = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'heddle-power-'));
  try {
    return await proveIn(folder, compileRecorder(folder));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function proveIn(folder: string, library: string): Promise<number> {
  const seed = Number(values.seed);
  const isOne = values.image !== undefined || values.flip !== undefined;
  const images = values.flip === undefined ? Number(values.images) : 0;
  const flips = values.image === undefined ? Number(values.flips) : 0;
  const only = isOne ? Number(values.image ?? values.flip) : null;
  let violations = 0;
  const failing = (option: string) => (number: number, message: string) => {
    violations++;
    const again = `node scripts/prove.mjs run power --images ${images} --flips ${flips} --seed ${seed} --${option} ${number}`;
    console.log(`VIOLATION ${option} ${number}: ${message}\n  again: ${again}\n`);
  };
  const world = { seed, only, folder, recordingOf: keepRecordings({ seed, folder, library }) };
  await losePower({ ...world, count: images, fail: failing('image') });
  const findings = await flipBits({ ...world, count: flips, fail: failing('flip') });
  console.error([...findings].map(([finding, count]) => `${count} ${finding}`).join(', '));
  const counts = { 'power-loss images': images, 'bit flips': flips };
  console.log(JSON.stringify({ proof: 'power', counts, violations, seed }));
  return violations === 0 ? 0 : 1;
}

/** The first ones are used again. */
const recordingsKept = 4;

function keepRecordings(made: { seed: number; folder: string; library: string }): (number: number) => Recording {
  const kept = new Map<number, Recording>();
  return (number) => {
    const known = kept.get(number);
    if (known) return known;
    const recording = makeRecording({
      ...made,
      seed: made.seed * 1_000 + number,
      folder: path.join(made.folder, 'recording'),
    });
    if (number < recordingsKept) kept.set(number, recording);
    return recording;
  };
}
