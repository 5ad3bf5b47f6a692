// Heddle object: the class of Durable Objects, each of which is one shard: one store, one engine, many runs.

import { DurableObject } from 'cloudflare:workers';
import { HeddleError } from '../base/heddle-error.ts';
import { type Coordinator, coordinatorMethods } from './coordinator.ts';
import { type Answering, ObjectAnswers, sendItems } from './object-answers.ts';
import { ObjectFront, placeHeader } from './object-front.ts';
import { ObjectLife } from './object-life.ts';
import { type Answer, type ObjectStub, type Question, read } from './object-stub.ts';
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
      this.#front ??= this.#open(place);
      return this.#front.fetch(request);
    }

    #open(place: Place): ObjectFront<Env> {
      const { store, clock } = this.#life.store(place);
      const keys = this.#life.keys({ store, clock, place });
      const awake = () => this.#life.ready(place);
      return new ObjectFront({ options, env: this.env, place, keys, clock, awake });
    }

    ask(place: Place, question: Question): Promise<Answer> {
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
  }
  return HeddleObject as object as HeddleObjectClass<Env>; // with the methods that it was given
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
          return read(await this.ask(place, { name: 'coordinate', args: [method, args] }));
        } catch (error) {
          throw error instanceof HeddleError ? new Error(`${error.code}: ${error.message}`, { cause: error }) : error;
        }
      },
    });
}
