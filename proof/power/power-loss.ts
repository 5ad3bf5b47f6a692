// PowerLoss: many ways in which the power may fail during a recording, each checked.

import path from 'node:path';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { checkImage } from './check-image.ts';
import { loseRest } from './loss.ts';
import type { Recording } from './recording.ts';
import type { Change } from './trace.ts';
import { Walk } from './walk.ts';

/** Images of one recording: a new story is worth more than more images of an old one. */
const imagesPerRecording = 250;
/** Every so many images the engine goes on to the end, which takes longer than all other checks. */
const goesOnEvery = 10;
const changesEarly = 60;

export interface PowerLosses {
  readonly count: number;
  readonly seed: number;
  /** Only this one. */
  readonly only: number | null;
  /** A folder of its own, best in memory. */
  readonly folder: string;
  readonly recordingOf: (number: number) => Recording;
  readonly fail: (number: number, message: string) => void;
}

export async function losePower(losses: PowerLosses): Promise<void> {
  const { count, only, recordingOf } = losses;
  for (let first = 0; first < count; first += imagesPerRecording) {
    const end = Math.min(count, first + imagesPerRecording);
    if (only !== null && (only < first || only >= end)) continue;
    await loseOften(losses, recordingOf(first / imagesPerRecording), { first, end });
  }
}

/** In the order of the trace, so that it is walked through once. */
async function loseOften(
  losses: PowerLosses,
  recording: Recording,
  { first, end }: { readonly first: number; readonly end: number },
): Promise<void> {
  const { seed, only, folder, fail } = losses;
  const cuts = Array.from({ length: end - first }, (_, index) => makeCut(seed, first + index, recording.changes));
  const walk = new Walk(recording.disk, recording.changes);
  for (const { number, dice, position } of cuts.toSorted((a, b) => a.position - b.position)) {
    walk.goTo(position);
    if (only !== null && only !== number) continue;
    const goesOn = number % goesOnEvery === 0 || only === number;
    const image = { files: loseRest(walk.disk.root, dice), knowledge: walk.knowledge, recording, goesOn };
    const wrong = await checkImage(image, path.join(folder, 'image'));
    if (wrong !== null)
      fail(
        number,
        `${wrong}\n  at change ${position} of ${recording.changes.length}: ${describe(recording.changes[position - 1])}`,
      );
  }
}

interface Cut {
  readonly number: number;
  readonly dice: Dice;
  readonly position: number;
}

/** Anywhere, with a liking for what the second process does first: it has found what nobody may have synced. */
function makeCut(seed: number, number: number, changes: readonly Change[]): Cut {
  const dice = new Dice(seed * 1_000_003 + number);
  const second = changes.findIndex(({ type }) => type === 'restarted' || type === 'lost');
  const early = Math.min(changes.length, second + dice.draw(changesEarly));
  return { number, dice, position: dice.chance(1, 10) ? early : dice.draw(changes.length + 1) };
}

function describe(change: Change | undefined): string {
  if (!change) return 'nothing yet';
  return change.type === 'written' ? `written ${change.data.length} bytes at ${change.place}` : JSON.stringify(change);
}
