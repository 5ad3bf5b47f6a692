// Obey: what every engine process does with the lines that it is sent, whatever its store is: it obeys, answers, and tells
// of runs that have ended. It ends with the supervisor, if nothing else ends it.

import { createInterface } from 'node:readline';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Engine } from '../../packages/heddle/src/index.ts';
import { say } from './death.ts';
import { endToldBy } from './ends.ts';
import { type MakeBackup, perform } from './perform.ts';
import type { Answer, Operation, Question } from './protocol.ts';

/** `obey` is given what the supervisor wrote. */
export function obeyLines(obey: (order: unknown) => Promise<void>): void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    obey(JSON.parse(line)).catch((error: unknown) => {
      // The supervisor wrote it.
      throw error;
    });
  });
  lines.on('close', () => process.exit());
}

export function answerTo(engine: Engine, ask: Operation | Question, makeBackup: MakeBackup): Promise<Answer> {
  return perform(engine, ask, makeBackup).then(
    (value) => ({ value }),
    (error: unknown) => {
      if (!(error instanceof HeddleError)) throw error;
      return { refusal: { code: error.code, message: error.message } };
    },
  );
}

export function tellEnds(event: RunEvent): void {
  const status = endToldBy(event);
  if (status !== null) say({ type: 'ended', runId: event.runId, status });
}
