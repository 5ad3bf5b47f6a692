// CheckRound: what a round has left, read by an engine that nobody disturbs.

import { loadClient } from '../../packages/heddle/src/hosts/postgres/pool.ts';
import { createEngine, type Engine } from '../../packages/heddle/src/index.ts';
import { type PostgresStores, postgresStores } from '../../packages/heddle/src/postgres.ts';
import { checkFamilies } from '../kill/check-deletions.ts';
import { checkEffects } from '../kill/check-effects.ts';
import { checkEnds, endsUndisturbed } from '../kill/check-ends.ts';
import { checkLedger } from '../kill/check-ledger.ts';
import { auditOf, type Complain, gatherFrom, inspectOutbox } from '../kill/evidence.ts';
import type { FeedItem } from '../kill/protocol.ts';
import { secretKey } from './protocol.ts';
import { checkReaders } from './readers.ts';
import type { Round, RoundParts } from './round.ts';
import type { Tally } from './tally.ts';

type Place = Pick<RoundParts, 'database' | 'schema' | 'shards' | 'effects'>;

export async function checkRound({ client, readers }: Round, place: Place, tally: Tally): Promise<void> {
  const { database, schema, shards, effects } = place;
  const { ledger } = client;
  const complain: Complain = (complaint) => void tally.violations.push(`${schema}: ${complaint}`);
  await checkOwners(place, complain);
  const given = await postgresStores({ url: database.url, schema, shards, secretKey });
  await checkCalls(given, place, complain);
  const engine = await createEngine({ store: { openShared: () => Promise.resolve(given) } });
  try {
    for (const store of given.stores) for (const complaint of await inspectOutbox(store)) complain(complaint);
    for (const problem of await auditOf(engine)) complain(problem);
    const evidence = await gatherFrom(engine, given.stores, { effects, ledger });
    checkLedger(ledger, evidence, complain);
    checkFamilies(ledger, evidence, complain);
    tally.repeatedEffects += checkEffects(evidence, complain, true);
    checkEnds(evidence, await endsUndisturbed(ledger), complain);
    tally.eventsRead += checkReaders(readers, { whole: await readWhole(engine), evidence, complain });
  } finally {
    await engine.close();
  }
}

async function readWhole(engine: Engine): Promise<readonly FeedItem[]> {
  const items: FeedItem[] = [];
  for await (const { feedId, id, runId } of engine.events({ follow: false })) items.push({ feedId, id, runId });
  return items;
}

/** All have left: each shard is free, and nobody holds a lease. */
async function checkOwners({ database, schema, shards }: Place, complain: Complain): Promise<void> {
  const owners = await ask<{ process: string | null }>(database.url, `SELECT process FROM ${schema}.owners`);
  if (owners.length !== shards) complain(`Expected ${shards} shards, but found ${owners.length}`);
  for (const { process } of owners)
    if (process !== null) complain(`Expected every process to have left its shards, but ${process} owns one`);
}

/** Those who were killed are forgotten in time, with what they have asked; of all others nothing is left. */
async function checkCalls({ calls }: PostgresStores, { database, schema }: Place, complain: Complain): Promise<void> {
  await ask(database.url, `UPDATE ${schema}.askers SET seen_at = seen_at - interval '1 hour'`);
  await calls.join('whoever looks', 1);
  await calls.leave('whoever looks');
  const left = await ask<{ id: string; question: string }>(database.url, `SELECT id, question FROM ${schema}.calls`);
  for (const { id, question } of left) complain(`Expected no calls when all is over, but found ${id}: ${question}`);
}

async function ask<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const { Client } = await loadClient();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
