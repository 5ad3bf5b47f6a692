// Check fleet: follows the stores of a world from commit to commit: epochs (I44), letters between shards (I51), places (I52),
// and events that are used up (I54).

import type { Commit } from '../../packages/heddle/src/actor/ports.ts';
import type { Event, EventOf } from '../../packages/heddle/src/core/events.ts';
import type { CommitPlace } from '../../packages/heddle/src/simulation/world.ts';
import { EpochCheck } from './check-epochs.ts';
import { LetterCheck } from './check-letters.ts';
import { PlaceCheck } from './check-places.ts';
import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

export class FleetCheck {
  readonly #epochs = new EpochCheck();
  readonly #letters = new LetterCheck();
  readonly #places = new PlaceCheck();
  /** By event: the wait that has used it up. */
  readonly #usedUp = new Map<string, string>();

  /** After each commit, in order. */
  add(commit: Commit, place: CommitPlace): Violation | null {
    const { shard } = place;
    return this.#epochs.add(place) ?? this.#letters.add(commit, shard) ?? this.#places.add(commit, shard);
  }

  /** After each row of a run, with what is known of the run by then. */
  addEvents(facts: RunFacts, events: readonly Event[]): Violation | null {
    for (const event of events) {
      const wrong = event.type === 'event.received' ? this.#useUp(facts, event) : null;
      if (wrong !== null) return wrong;
    }
    return null;
  }

  #useUp({ runId, seq, tokens }: RunFacts, { token, eventId }: EventOf<'event.received'>): Violation | null {
    const { once = false } = (tokens.get(token)?.node.source.wait ?? {}) as { readonly once?: boolean }; // it waited
    if (!once) return null;
    const wait = `${runId} #${token}`;
    const other = this.#usedUp.get(eventId) ?? wait;
    this.#usedUp.set(eventId, other);
    if (other === wait) return null;
    const message = `Expected event ${eventId} to be used up by one wait, but ${other} and ${wait} have taken it`;
    return { invariant: 'I54', runId, seq, message };
  }
}
