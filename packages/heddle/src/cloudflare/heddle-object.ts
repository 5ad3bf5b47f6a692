// Heddle object: the class of Durable Objects, each of which is one shard: one store, one engine, many runs.

import { DurableObject } from 'cloudflare:workers';
import { HeddleError } from '../base/heddle-error.ts';
import { type CrossingAnswer, unpackAnswer } from '../fleet/crossing-answer.ts';
import { type Coordinator, coordinatorMethods } from './coordinator.ts';
import { type Answering, ObjectAnswers, sendItems } from './object-answers.ts';
import { ObjectFront, placeHeader } from './object-front.ts';
import { ObjectLife } from './object-life.ts';
import type { ObjectStub, Question } from './object-stub.ts';
import type { HeddleOptions } from './options.ts';
import { type Place, type Placement, placeNamed } from './place.ts';
import type { ObjectContext } from './platform.ts';

/** For `export { HeddleObject }` of a Worker, where the platform finds it. */
export interface HeddleObjectClass<Env> {
  new (context: never, env: Env): ObjectStub & Coordinator & { alarm(): Promise<void> };
}

export function heddleObject<Env>(options: HeddleOptions<Env>): HeddleObjectClass<Env> {
  class HeddleObject extends DurableObject<Env> implements ObjectStub {
    static {
      const nameOf = (object: ObjectStub): string | undefined => (object as HeddleObject).#context.id.name; // one of the class
      giveMethods(HeddleObject.prototype, nameOf, options.placement);
    }

    readonly #context: ObjectContext;
    readonly #life: ObjectLife<Env>;
    readonly #answers = new ObjectAnswers();
    #front: ObjectFront<Env> | null = null;

    constructor(context: ObjectContext, env: Env) {
      super(context, env);
      this.#context = context;
      this.#life = new ObjectLife(context, env, options);
    }

    override fetch(request: Request): Promise<Response> {
      const place = JSON.parse(request.headers.get(placeHeader) ?? '') as Place; // as the Worker writes it
      return this.#life.during(() => this.#frontOf(place).fetch(request));
    }

    /** Of the store that there is now. */
    #frontOf(place: Place): ObjectFront<Env> {
      const { store, clock } = this.#life.store(place);
      if (this.#front?.clock === clock) return this.#front;
      const keys = this.#life.keys({ store, clock, place });
      const awake = () => this.#life.ready(place);
      this.#front = new ObjectFront({ options, env: this.env, place, keys, clock, awake });
      return this.#front;
    }

    ask(place: Place, question: Question): Promise<CrossingAnswer> {
      return this.#life.during(() => this.#answers.answer(answeringOf(this.#life, place), question));
    }

    async stop(id: string): Promise<void> {
      this.#answers.stop(id);
    }

    stream(place: Place, question: Question): Promise<ReadableStream<Uint8Array>> {
      return this.#life.during(() => sendItems(answeringOf(this.#life, place), question));
    }

    override alarm(): Promise<void> {
      return this.#life.ring();
    }
  }
  return HeddleObject as object as HeddleObjectClass<Env>; // with the methods that it was given
}

function answeringOf<Env>(life: ObjectLife<Env>, place: Place): Answering {
  const stored = life.store(place);
  return {
    store: stored.store,
    keys: () => life.keys(stored),
    ...(stored.projector && { projector: stored.projector }),
    wake: () => life.wake(place),
    ready: () => life.ready(place),
  };
}

// DO51: whoever has a stub alone calls its methods. The platform lets be called what stands in the prototype, and carries no more
// of an error than its message.
function giveMethods(
  prototype: ObjectStub,
  nameOf: (object: ObjectStub) => string | undefined,
  placement: Placement = 'tenant',
): void {
  for (const method of coordinatorMethods)
    Object.defineProperty(prototype, method, {
      async value(this: ObjectStub, ...args: readonly unknown[]): Promise<unknown> {
        try {
          const place = placeNamed(nameOf(this), placement);
          return unpackAnswer(await this.ask(place, { name: 'coordinate', args: [method, args] }), undefined);
        } catch (error) {
          throw error instanceof HeddleError ? new Error(`${error.code}: ${error.message}`, { cause: error }) : error;
        }
      },
    });
}
