// Answerer: what other processes ask shards of this one, from the taken call to its answer. Rule OW7.
//
// Always true: a call is done once; its answer is said until an exchange was heard that took it along.

import type { Call, CallAnswer, Heard } from '../../actor/ports.ts';
import { answerShard, type ShardQuestion } from '../asked-shard.ts';
import { packAnswer } from '../crossing-answer.ts';
import { packError } from '../crossing-error.ts';
import { shardElsewhere } from '../seat.ts';
import type { Shard } from '../shards.ts';
import { fitting, readCall, writeCall } from './call-text.ts';

export interface AnswererOptions {
  /** A shard of this process; null if another owns it. */
  readonly shardHere: (shard: number) => Shard | null;
  /** There is something to say. */
  readonly onNews: () => void;
}

export class Answerer {
  readonly #options: AnswererOptions;
  readonly #doing = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  readonly #answers = new Map<string, string>();

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  say(): readonly CallAnswer[] {
    const all = Array.from(this.#answers, ([id, answer]) => ({ id, answer }));
    return fitting(all, ({ answer }) => answer);
  }

  /** What an exchange came to. */
  hear(answers: readonly CallAnswer[], { taken, aborted }: Heard): void {
    for (const { id } of answers) this.#answers.delete(id);
    if (this.#answers.size > 0) this.#options.onNews();
    for (const call of taken) this.#begin(call);
    for (const id of aborted) this.#doing.get(id)?.controller.abort();
  }

  /** What is being done has been answered. */
  async whenIdle(): Promise<void> {
    await Promise.all(Array.from(this.#doing.values(), ({ done }) => done));
  }

  #begin(call: Call): void {
    const controller = new AbortController();
    const done = this.#do(call, controller.signal);
    this.#doing.set(call.id, { controller, done });
  }

  async #do({ id, shard, question }: Call, signal: AbortSignal): Promise<void> {
    const answer = await packAnswer(() => {
      const here = this.#options.shardHere(shard);
      if (here === null) throw shardElsewhere(shard);
      const [name, args] = readCall(question) as readonly [ShardQuestion, readonly unknown[]]; // another process of this program asks
      return answerShard(here, name, args, signal);
    }, signal);
    this.#answers.set(id, textOf(answer));
    this.#doing.delete(id);
    this.#options.onNews();
  }
}

function textOf(answer: unknown): string {
  try {
    return writeCall(answer);
  } catch (error) {
    return writeCall({ error: packError(error) }); // something of it is no data
  }
}
