// Kinds: what worlds are given to do, and how often. Of five worlds four are sound: an oracle knows what must come of
// them.

import { makeDataflow } from './dialects/dataflow.ts';
import { makeHandle } from './dialects/handle.ts';
import { makeThread } from './dialects/thread.ts';
import { makeWildHandle } from './dialects/wild-handle.ts';
import { makeClocks } from './offices/make-clocks.ts';
import { makeLetters } from './offices/make-letters.ts';
import { makeOffices } from './offices/make-offices.ts';
import { makeSteps } from './offices/make-steps.ts';
import { makeProgram, makeWindows } from './programs/make-program.ts';
import { makeWild } from './programs/wild.ts';
import type { MakeWorkload } from './workload.ts';

export const kinds: Readonly<Record<string, MakeWorkload>> = {
  token: makeProgram,
  windows: makeWindows,
  dataflow: makeDataflow,
  thread: makeThread,
  handle: makeHandle,
  'wild handle': makeWildHandle,
  offices: makeOffices,
  clocks: makeClocks,
  steps: makeSteps,
  letters: makeLetters,
  wild: makeWild,
};

/**
 * Each as often as it is in here, the simplest first. Those of the other dialects are wild themselves now and then. Twelve of
 * them: with another number most seeds would mean other worlds, those of the mutants' hints too.
 */
export const allKinds: readonly MakeWorkload[] = [
  ...Array.from({ length: 3 }, () => makeProgram),
  makeSteps,
  makeWindows,
  makeDataflow,
  makeThread,
  makeHandle,
  makeOffices,
  makeClocks,
  makeWild,
  makeWild,
];

/** For worlds of several shards: many whose runs meet. */
export const fleetKinds: readonly MakeWorkload[] = [makeLetters, ...allKinds, makeLetters, makeLetters, makeOffices];
