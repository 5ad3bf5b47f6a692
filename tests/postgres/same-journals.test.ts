// On a server each program has a fleet of two shards: what it sends from one to the other changes nothing in its runs either.

import { testFleets } from '../../packages/heddle/src/hosts/postgres/fleet.testsuite.ts';
import { owned } from '../../packages/heddle/src/hosts/postgres/fresh-shard.testsuite.ts';
import { journalsOf } from '../../simulator/journals-of.ts';
import { describeSameJournals } from '../same-journals.testsuite.ts';
import { Unanswered } from '../unanswered.testsuite.ts';

const shards = 2;
const { make } = testFleets();

describeSameJournals('on a server', 2, async (kind, seed) => {
  const { openStore, close } = await make(shards);
  const unanswered = new Unanswered();
  const stores = await Promise.all([0, 1].map(async (shard) => unanswered.watch(await owned(openStore(shard)))));
  const left = stores.values();
  const makeStore = () => left.next().value as (typeof stores)[number]; // as many
  const journals = await journalsOf(kind, seed, { shards, makeStore, unanswered: unanswered.wait });
  await close();
  return journals;
});
