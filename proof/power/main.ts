// Power: proves that a store survives what kill -9 cannot show: the loss of power, bits that turn over on the disk, and
// writes that the disk lost.
//
//   node scripts/prove.mjs run power --images 1000 --flips 1000 --losses 200 --seed 1
//   node scripts/prove.mjs run power --images 1000 --seed 1 --image 17    one of them again; --flip, --loss likewise
//
// Always true: everything is a function of the seed, but for what SQLite and the key draw by chance, which changes bytes
// and nothing else.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compileRecorder } from './compile-recorder.ts';
import { damageStores, type Finding } from './damages.ts';
import { flipBit } from './flip.ts';
import { loseWrite } from './lost-write.ts';
import { losePower } from './power-loss.ts';
import { record, type Session } from './recorder.ts';
import { makeRecording, type Recording } from './recording.ts';

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '1000' },
    flips: { type: 'string', default: '1000' },
    losses: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    image: { type: 'string' },
    flip: { type: 'string' },
    loss: { type: 'string' },
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
  const image = chosen('image', values.images);
  const flip = chosen('flip', values.flips);
  const loss = chosen('loss', values.losses);
  let violations = 0;
  const failing = (option: string) => (number: number, message: string) => {
    violations++;
    const counts = `--images ${image.count} --flips ${flip.count} --losses ${loss.count}`;
    const again = `node scripts/prove.mjs run power ${counts} --seed ${seed} --${option} ${number}`;
    console.log(`VIOLATION ${option} ${number}: ${message}\n  again: ${again}\n`);
  };
  const world = { seed, folder, recordingOf: keepRecordings({ seed, folder, library }) };
  await losePower({ ...world, ...image, fail: failing('image') });
  const flips = { ...world, ...flip, damage: flipBit, fail: failing('flip') };
  tell('bit flips', await damageStores({ ...flips, covers: 'everything' }));
  const losses = { ...world, ...loss, damage: loseWrite, fail: failing('loss') };
  tell('lost writes', await damageStores({ ...losses, covers: 'runs' }));
  const counts = { 'power-loss images': image.count, 'bit flips': flip.count, 'lost writes': loss.count };
  console.log(JSON.stringify({ proof: 'power', counts, violations, seed }));
  return violations === 0 ? 0 : 1;
}

/** All of them; or one, and then none of the other kinds. */
function chosen(option: 'image' | 'flip' | 'loss', count: string): { count: number; only: number | null } {
  const one = values[option];
  if (one !== undefined) return { count: Number(count), only: Number(one) };
  const isOfAnother = [values.image, values.flip, values.loss].some((other) => other !== undefined);
  return { count: isOfAnother ? 0 : Number(count), only: null };
}

function tell(what: string, findings: ReadonlyMap<Finding, number>): void {
  if (findings.size === 0) return;
  console.error(`${what}: ${[...findings].map(([finding, count]) => `${count} ${finding}`).join(', ')}`);
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
