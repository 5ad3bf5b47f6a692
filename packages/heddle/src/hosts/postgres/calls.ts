// Calls: how the processes of a fleet ask each other, as rows.
//
// Always true: an exchange is one statement, whose parts see the rows from before it: no part touches a row that another part of
// it changes.

import { type Calls, forgottenAfterMs, type Heard, type Said } from '../../actor/ports.ts';
import type { Bell } from './bell.ts';
import { type Database, numberArray, type SqlValue, textArray } from './database.ts';
import { withTables } from './shard-tables.ts';

/** How often a process looks for others that are gone: of its exchanges, one in so many. */
const tidyEvery = 100;

/** `bell`: null where processes find out by looking. */
export function databaseCalls(database: Database, bell: Bell | null): Calls {
  const ask = <Found extends object>(sql: string, values: readonly SqlValue[]): Promise<readonly Found[]> =>
    database.write<Found>(withTables(sql, database.prefix), values);
  const forgetSilent = (): Promise<unknown> => ask(forgetting, [forgottenAfterMs]);
  return {
    async join(process, number) {
      await forgetSilent();
      await ask(joining, [process, number]);
    },
    // PG11: one statement, which waits for no disk.
    async exchange(said) {
      if (said.number % tidyEvery === 0) await forgetSilent();
      const rows = await ask<Row>(exchanging, valuesOf(said));
      const told = rows.flatMap(({ kind, id }) => (kind === 'told' ? [id] : []));
      if (told.length > 0) bell?.ring(told);
      return rows.some(({ kind }) => kind === 'me') ? heardFrom(rows, said) : null;
    },
    async leave(process) {
      await ask(leaving, [process]);
    },
    ...(bell === null ? {} : { listen: (process: string, onNews: () => void) => bell.listen(process, onNews) }),
  };
}

const joining = `
  INSERT INTO $askers AS a (process, number, seen_at) VALUES ($1, $2, now())
  ON CONFLICT (process) DO UPDATE SET number = greatest(a.number, excluded.number), seen_at = now()`;

const leaving = `
  WITH gone AS (DELETE FROM $askers WHERE process = $1)
  DELETE FROM $calls WHERE asker = $1`;

const forgetting = `
  WITH gone AS (
    DELETE FROM $askers WHERE seen_at <= now() - $1::bigint * interval '1 millisecond' RETURNING process
  )
  DELETE FROM $calls USING gone WHERE asker = gone.process`;

/** Each part has its rows from `me`: an exchange that comes late finds none. */
const exchanging = `
  WITH me AS (
    UPDATE $askers SET number = $2, seen_at = now() WHERE process = $1 AND number < $2 RETURNING process
  ), asked AS (
    INSERT INTO $calls (id, shard, asker, question)
      SELECT c.id, c.shard, $1, c.question
      FROM me, unnest($4::text[], $5::int[], $6::text[]) WITH ORDINALITY AS c (id, shard, question, place) ORDER BY c.place
    ON CONFLICT (id) DO NOTHING RETURNING shard
  ), answered AS (
    UPDATE $calls AS c SET answer = a.answer FROM me, unnest($7::text[], $8::text[]) AS a (id, answer)
    WHERE c.id = a.id AND c.taker = $1 AND c.answer IS NULL RETURNING c.asker
  ), gone AS (
    DELETE FROM $calls AS c USING me
    WHERE c.asker = $1 AND (c.id = ANY ($11::text[]) OR c.id = ANY ($9::text[]) AND c.taker IS NULL) RETURNING c.id
  ), unwanted AS (
    UPDATE $calls AS c SET is_aborted = 1 FROM me
    WHERE c.id = ANY ($10::text[]) AND c.asker = $1 AND c.taker IS NOT NULL AND c.answer IS NULL AND c.is_aborted = 0
      AND NOT c.id = ANY ($7::text[]) AND NOT c.id = ANY ($11::text[]) RETURNING c.taker
  ), free AS (
    SELECT c.id FROM me, $owners AS o, $processes AS p, $calls AS c
    WHERE o.process = $1 AND p.process = $1 AND p.lease_until > now() AND c.shard = o.shard AND c.taker IS NULL
      AND NOT c.id = ANY ($9::text[]) AND NOT c.id = ANY ($11::text[])
    ORDER BY c.place LIMIT $12 FOR UPDATE OF c SKIP LOCKED
  ), taken AS (
    UPDATE $calls AS c SET taker = $1, taken_in = $2 FROM free WHERE c.id = free.id RETURNING c.place, c.id, c.shard, c.question
  ), told AS (
    SELECT o.process FROM asked, $owners AS o WHERE o.shard = asked.shard AND o.process IS NOT NULL
    UNION SELECT asker FROM answered UNION SELECT taker FROM unwanted
  )
  SELECT 'me' AS kind, process AS id, 0 AS shard, NULL AS text, 0 AS place FROM me
  UNION ALL SELECT 'taken', id, shard, question, place FROM taken
  UNION ALL SELECT 'taken', c.id, c.shard, c.question, c.place FROM me, $calls AS c
    WHERE c.taker = $1 AND c.answer IS NULL AND c.taken_in > $3 AND NOT c.id = ANY ($7::text[])
  UNION ALL SELECT 'aborted', c.id, 0, NULL, c.place FROM me, $calls AS c
    WHERE c.taker = $1 AND c.answer IS NULL AND c.is_aborted = 1 AND NOT c.id = ANY ($7::text[])
  UNION ALL SELECT 'answer', c.id, 0, c.answer, c.place FROM me, $calls AS c
    WHERE c.asker = $1 AND c.answer IS NOT NULL AND NOT c.id = ANY ($11::text[])
  UNION ALL SELECT 'withdrawn', id, 0, NULL, 0 FROM gone WHERE id = ANY ($9::text[])
  UNION ALL SELECT 'withdrawn', w.id, 0, NULL, 0 FROM me, unnest($9::text[]) AS w (id)
    WHERE NOT EXISTS (SELECT 1 FROM $calls AS c WHERE c.id = w.id)
  UNION ALL SELECT 'lost', c.id, 0, NULL, c.place FROM me, $calls AS c
    WHERE c.asker = $1 AND c.taker IS NOT NULL AND c.answer IS NULL AND NOT c.id = ANY ($11::text[])
      AND NOT EXISTS (SELECT 1 FROM $processes AS p WHERE p.process = c.taker AND p.lease_until > now())
  UNION ALL SELECT 'end', '', s.shard, NULL, s.position FROM me, $shards AS s WHERE s.shard = ANY ($13::int[])
  UNION ALL SELECT 'told', process, 0, NULL, 0 FROM told
  ORDER BY kind, place`;

interface Row {
  readonly kind: 'me' | 'taken' | 'aborted' | 'answer' | 'withdrawn' | 'lost' | 'end' | 'told';
  readonly id: string;
  readonly shard: number;
  readonly text: string | null;
  /** Of a shard, its position. */
  readonly place: number;
}

function valuesOf(said: Said): readonly SqlValue[] {
  const { process, number, heard, calls, answers } = said;
  return [
    process,
    number,
    heard,
    textArray(calls.map(({ id }) => id)),
    numberArray(calls.map(({ shard }) => shard)),
    textArray(calls.map(({ question }) => question)),
    textArray(answers.map(({ id }) => id)),
    textArray(answers.map(({ answer }) => answer)),
    ...[said.withdrawn, said.aborted, said.settled].map(textArray),
    said.takenMax,
    numberArray(said.followed),
  ];
}

function heardFrom(rows: readonly Row[], { withdrawn, followed }: Said): Heard {
  const of = (kind: Row['kind']): readonly Row[] => rows.filter((row) => row.kind === kind);
  const ids = (kind: Row['kind']): readonly string[] => of(kind).map(({ id }) => id);
  const gone = new Set(ids('withdrawn'));
  const ends = new Map(of('end').map(({ shard, place }) => [shard, place]));
  return {
    taken: of('taken').map(({ id, shard, text }) => ({ id, shard, question: text ?? '' })),
    aborted: ids('aborted'),
    answers: of('answer').map(({ id, text }) => ({ id, answer: text ?? '' })),
    withdrawn: withdrawn.filter((id) => gone.has(id)),
    lost: ids('lost'),
    ends: followed.map((shard) => ends.get(shard) ?? 0),
  };
}
