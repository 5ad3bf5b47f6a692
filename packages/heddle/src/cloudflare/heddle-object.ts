// Heddle object: the class of Durable Objects, each of which is one shard: one store, one engine, many runs.

import { DurableObject } from 'cloudflare:workers';
import type { CrossingAnswer } from '../fleet/crossing-answer.ts';
import { type Answering, ObjectAnswers, sendItems } from './object-answers.ts';
import { ObjectFront, placeHeader } from './object-front.ts';
import { ObjectLife } from './object-life.ts';
import type { ObjectStub, Question } from './object-stub.ts';
import type { HeddleOptions } from './options.ts';
import type { Place } from './place.ts';
import type { ObjectContext } from './platform.ts';

/** For `export { HeddleObject }` of a Worker, where the platform finds it. */
export interface HeddleObjectClass<Env> {
  new (context: never, env: Env): ObjectStub & { alarm(): Promise<void> };
}

export function heddleObject<Env>(options: HeddleOptions<Env>): HeddleObjectClass<Env> {
  return class HeddleObject extends DurableObject<Env> implements ObjectStub {
    readonly #life: ObjectLife<Env>;
    readonly #answers = new ObjectAnswers();
    #front: ObjectFront<Env> | null = null;

    constructor(context: ObjectContext, env: Env) {
      super(context, env);
      this.#life = new ObjectLife(context, env, options);
    }

    override fetch(request: Request): Promise<Response> {
      const place = JSON.parse(request.headers.get(placeHeader) ?? '') as Place; // as the Worker writes it
      this.#front ??= this.#open(place);
      return this.#front.fetch(request);
    }

    #open(place: Place): ObjectFront<Env> {
      const { store, clock } = this.#life.store(place);
      const keys = this.#life.keys({ store, clock, place });
      const awake = () => this.#life.ready(place);
      return new ObjectFront({ options, env: this.env, place, keys, clock, awake });
    }

    ask(place: Place, question: Question): Promise<CrossingAnswer> {
      return this.#answers.answer(this.#answering(place), question);
    }

    async stop(id: string): Promise<void> {
      this.#answers.stop(id);
    }

    stream(place: Place, question: Question): Promise<ReadableStream<Uint8Array>> {
      return sendItems(this.#answering(place), question);
    }

    #answering(place: Place): Answering {
      const stored = this.#life.store(place);
      return {
        store: stored.store,
        keys: () => this.#life.keys(stored),
        ...(stored.projector && { projector: stored.projector }),
        wake: () => this.#life.wake(place),
        ready: () => this.#life.ready(place),
      };
    }

    override alarm(): Promise<void> {
      return this.#life.ring();
    }
  };
}
