// Object stub: how objects, and the Worker before them, ask each other: a question has a name, arguments that are data, and one
// answer. Errors cross as data, for the platform keeps no more of them than their message.
//
// Always true: a stub is made for each question: the platform lets none be used in another request.

import { isUnreached } from '../actor/refusals.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { type CrossingAnswer, unpackAnswer } from '../fleet/crossing-answer.ts';
import { objectName, type Place } from './place.ts';
import type { ObjectNamespace } from './platform.ts';

export interface Question {
  readonly name: string;
  readonly args: readonly unknown[];
  /** By which the asker can say that nobody waits any more. */
  readonly id?: string;
}

/** What an object of the class answers. */
export interface ObjectStub {
  fetch(request: Request): Promise<Response>;
  ask(place: Place, question: Question): Promise<CrossingAnswer>;
  stop(id: string): Promise<void>;
  stream(place: Place, question: Question): Promise<ReadableStream<Uint8Array>>;
}

export const stubOf = (objects: ObjectNamespace, place: Place): ObjectStub =>
  objects.get(objects.idFromName(objectName(place))) as ObjectStub; // the class of this program

export type Ask = <Result>(name: string, args?: readonly unknown[], signal?: AbortSignal) => Promise<Result>;

export function askObject(objects: ObjectNamespace, place: Place): Ask {
  return async <Result>(name: string, args: readonly unknown[] = [], signal?: AbortSignal) => {
    const stub = stubOf(objects, place);
    const id = signal && crypto.randomUUID();
    const stop = (): void => void stub.stop(id as string).catch(() => undefined); // it has one; who is gone need not be told
    const asked = stub.ask(place, { name, args, ...(id ? { id } : {}) });
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return unpackAnswer(await reached(asked, place), signal) as Result; // whoever asks knows what the question answers
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  };
}

/** How long an object that cannot be reached is asked again: one that was lost is there again at once, by itself. */
const patienceMs = 20_000;
const firstDelayMs = 20;
const delayMsMax = 1_000;

/** DO12: what changes nothing when it is done twice is asked again where the platform could not bring it, or lost the answer. */
export function askingAgain(ask: Ask): Ask {
  return async (name, args, signal) => {
    const until = Date.now() + patienceMs;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, delayMsMax)) {
      try {
        return await ask(name, args, signal);
      } catch (error) {
        if (!isUnreached(error) || isOverloaded(error) || Date.now() >= until || signal?.aborted) throw error;
      }
      await new Promise<void>((resolve) => void setTimeout(resolve, delayMs));
    }
  };
}

/** The platform's word for an object that has more to do than it can: to ask again makes it worse. */
const isOverloaded = ({ cause }: HeddleError): boolean =>
  (cause as { readonly overloaded?: boolean } | undefined)?.overloaded === true; // any error can be asked

/** What the platform says of an object that could not be asked, or was lost while it answered. */
export async function reached<T>(asked: Promise<T>, place: Place): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw unreached(place, error);
  }
}

function unreached(place: Place, error: unknown): HeddleError {
  const reason = error instanceof Error ? error.message : String(error);
  if (reason.includes('new_sqlite_classes')) return withoutSqlite();
  return new HeddleError(
    'OBJECT_UNREACHED',
    `Expected an answer of the object ${objectName(place)}, but the platform says: ${reason}`,
    { cause: error, hint: 'It may have been done. Ask again; what has an idempotency key is done once.' },
  );
}

/** The platform says so of a class that was declared as one without SQLite, or not at all. */
function withoutSqlite(): HeddleError {
  return new HeddleError(
    'SQLITE_MISSING',
    'Expected objects with SQLite, but wrangler.jsonc gives the class none. Write it into its migrations: ' +
      '"migrations": [{ "tag": "v1", "new_sqlite_classes": ["HeddleObject"] }]. The platform cannot give it to a class that was ' +
      'deployed without: delete that one by a migration (`deleted_classes`), or export it under another name.',
  );
}
