// Actions: what the killed engine calls. Each is a function of its input and attempt, apart from its receipt, takes a few
// milliseconds, and writes down what it did.
//
// Always true: an effect is in the log before its result is reported.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { ObjectReference } from '../../packages/heddle/src/base/object-reference.ts';
import type { ActionContext, Actions } from '../../packages/heddle/src/executor/action.ts';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import type { NoteEffect } from './effects.ts';

export interface Result {
  readonly value: Json;
  /** Of the one effect that this is the result of. */
  readonly receipt: string;
}

const textMax = 200;
const triesMost = 500;
const againMs = 200;

/** `note` is called before and after each effect. */
export function actionsOf(note: NoteEffect): Actions {
  let effects = 0;
  const acting =
    (act: (context: ActionContext) => Promise<Json>) =>
    async (context: ActionContext): Promise<Result> => {
      const receipt = `${process.pid}-${++effects}`;
      note('before', context, receipt);
      try {
        const value = await act(context);
        note('after', context, receipt);
        return { value, receipt };
      } catch (error) {
        note('failed', context, receipt);
        throw error;
      }
    };
  return { work: acting(work), write: acting(write), read: acting(read) };
}

async function work({ input, attempt }: ActionContext): Promise<Json> {
  const { name, failures = 0, broken = false, length, item = null, outer = null, index = null } = input;
  const text = JSON.stringify([name, item, outer, index]);
  await sleep(1 + (text.length % 9));
  if (broken !== false)
    throw new ActionError(`${JSON.stringify(name)} is broken`, { code: 'BROKEN', retryable: false });
  if (attempt <= Number(failures)) throw new ActionError('not yet', { code: 'NOT_YET' });
  if (typeof length === 'number') return text.padEnd(length, '.');
  return text.length > textMax ? `${text.slice(0, textMax)}…${text.length}` : text;
}

/** Not the same bytes twice, so that each has a file of its own. */
export const contentOf = (number: Json | undefined): string => `content of ${JSON.stringify(number)} `.repeat(500);

async function write({ input, artifacts }: ActionContext): Promise<Json> {
  return { ...(await onceThere(() => artifacts.put(contentOf(input['number']), 'text/plain'))) };
}

/** Whoever needs the store while it is away waits for it: nothing else tries such an action again. */
async function onceThere<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof HeddleError && (error.code === 'STORE_FAILED' || error.code === 'STORE_IN_DOUBT');
      if (!isAway || tries === triesMost) throw error;
    }
    await sleep(againMs);
  }
}

async function read({ input, artifacts }: ActionContext): Promise<Json> {
  const reference = input['reference'] as ObjectReference; // `write` gave it.
  const { bytes } = await onceThere(() => artifacts.get(reference));
  return createHash('sha256').update(bytes).digest('hex');
}
