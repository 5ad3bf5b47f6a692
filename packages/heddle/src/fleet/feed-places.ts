// Feed places: where a reader of a fleet's feed is, in every shard. To readers it is one opaque text; in an event it says
// where to go on after it, in its own shard and in all others. Rule SH7.
//
// Always true: the place of one store is a place in a fleet too, that of shard 0 with nothing read of the others.

import { HeddleError } from '../base/heddle-error.ts';

/** By shard: the id of the last event that was read; null if none was. */
export type FeedPlaces = readonly (string | null)[];

/** As a store alone has them. */
const one = '\\d{1,15}\\.\\d{1,15}';
const pattern = new RegExp(`^(?:${one})?(?:,(?:${one})?){0,63}$`);
const nothing = '';

export function readPlaces(text: string | undefined, shards: number): FeedPlaces {
  const none = Array.from({ length: shards }, () => null);
  if (text === undefined) return none;
  const parts = pattern.test(text) && text !== nothing ? text.split(',') : [];
  if (parts.length === 0 || parts.length > shards) throw invalidPlace(text);
  return none.map((_, shard) => parts[shard] || null);
}

/** What no event was read of is left out at the end. */
export function writePlaces(places: FeedPlaces): string {
  const text = places.map((place) => place ?? nothing).join(',');
  return text.replace(/(?<=.),+$/, '');
}

function invalidPlace(text: string): HeddleError {
  const expected = 'Expected an event id such as 12.0, or one that a fleet has given';
  return new HeddleError('EVENT_ID_INVALID', `${expected}, but found ${text.slice(0, 40)}`);
}
