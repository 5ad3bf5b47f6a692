// Feed reader: a client that reads all events of a world, and resumes behind the last one it has seen, whenever the engine has
// died or failed.

import { given } from '../base/given.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { World } from './world.ts';

const pauseMs = 100;

export class FeedReader {
  readonly #world: World;
  readonly #onRead: (event: FeedEvent) => void;
  readonly #end = new AbortController();
  #last: string | undefined;
  /** Which reading is the present one: what an engine that was left behind still tells is not heard. */
  #reading = 0;

  constructor(world: World, onRead: (event: FeedEvent) => void) {
    this.#world = world;
    this.#onRead = onRead;
  }

  /** Until `stop`. */
  async read(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#world.ask(async (engine) => {
        const reading = ++this.#reading;
        const isPresent = (): boolean => reading === this.#reading && !signal.aborted;
        for await (const event of engine.events({ signal, ...given({ after: this.#last }) })) {
          if (!isPresent()) return;
          this.#last = event.feedId;
          this.#onRead(event);
        }
      });
      await this.#world.sleep(pauseMs);
    }
  }

  stop(): void {
    this.#end.abort();
  }
}
