// Claim: the place of an object in the projection: up to where its feed was written, and where the walk through all of its runs is
// if there is one. Whoever writes has claimed it.
//
// Always true: a claim is good until the next; what is written under an older one changes nothing, however late it arrives.

import { assert } from '../../base/assert.ts';
import type { Place } from '../place.ts';
import { objectName } from '../place.ts';
import { type Database, type DatabaseStatement } from './database.ts';
import { withTables } from './tables.ts';

export interface Claim {
  readonly claim: number;
  /** Of the feed. */
  readonly position: number;
  /** Behind this run of the list of all, newest first, a walk goes on; empty: it begins; null: there is none. */
  readonly walk: string | null;
  /** What the walk has not met since this claim is not there any more. */
  readonly walkClaim: number;
}

/** Whose rows they are. */
export const keyOf = (place: Place): readonly [tenant: string, object: string] => [place.tenant, objectName(place)];

const columns = 'position, claim, walk, walk_claim AS walkClaim';

/** The first claim is the time: later than all that there were, should their place have been removed. */
export interface Claiming {
  readonly place: Place;
  readonly feedEnd: number;
  readonly now: number;
}

/** DO21: an object that has no place yet begins at the end of its feed, and walks through all that was before. */
export function takeClaim(database: Database, { place, feedEnd, now }: Claiming): Promise<Claim> {
  return claimWith(database, { place, feedEnd, now }, 'claim = claim + 1');
}

/** From then on its runs are written anew. */
export function takeClaimAnew(database: Database, { place, feedEnd, now }: Claiming): Promise<Claim> {
  return claimWith(database, { place, feedEnd, now }, "claim = claim + 1, walk = '', walk_claim = claim + 1");
}

function claimWith(database: Database, { place, feedEnd, now }: Claiming, changes: string): Promise<Claim> {
  const statement = database
    .prepare(
      `INSERT INTO heddle_places (tenant, object, position, claim, walk, walk_claim) VALUES (?1, ?2, ?3, ?4, '', ?4)
       ON CONFLICT (tenant, object) DO UPDATE SET ${changes} RETURNING ${columns}`,
    )
    .bind(...keyOf(place), feedEnd, now);
  return withTables(database, async () => {
    const { results } = await statement.all<Claim>();
    const [claim] = results;
    assert(claim, 'Expected D1 to answer with the place that it wrote, but it answers with none');
    return claim;
  });
}

/** Answers with a row if the claim was still good. */
export function advance(
  database: Database,
  place: Place,
  { claim, position, walk, walkClaim }: Claim,
): DatabaseStatement {
  return database
    .prepare(
      `UPDATE heddle_places SET position = ?, walk = ?, walk_claim = ?
       WHERE tenant = ? AND object = ? AND claim = ? RETURNING claim`,
    )
    .bind(position, walk, walkClaim, ...keyOf(place), claim);
}

/** If the claim is still good. What is written under it afterwards changes nothing. */
export function removePlace(database: Database, place: Place, { claim }: Claim): DatabaseStatement {
  return database
    .prepare('DELETE FROM heddle_places WHERE tenant = ? AND object = ? AND claim = ?')
    .bind(...keyOf(place), claim);
}

/** A condition of everything that is written: of `?1`, `?2` and `?3`, whose and under which claim. */
export const isClaimed = 'EXISTS (SELECT 1 FROM heddle_places WHERE tenant = ?1 AND object = ?2 AND claim = ?3)';
