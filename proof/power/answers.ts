// Answers: all that a store tells, through the public API and to the engine itself, each question asked on its own.
//
// Always true: the same store gives the same answers, whoever asks and how often.

import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import type { SqliteDatabase } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { type Engine, openEngine } from '../../packages/heddle/src/sdk/engine.ts';
import { VirtualClock, virtualStart } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { organization } from './story.ts';

/** Who and what there is to ask about, as the undamaged store has it. */
export interface Subjects {
  readonly runs: readonly { readonly runId: string; readonly workflow: string; readonly status: string }[];
  readonly keys: readonly string[];
  readonly kinds: readonly string[];
  readonly prompts: readonly string[];
}

/** By question. What could not be answered is an error. */
export type Answers = ReadonlyMap<string, string | Error>;

const muchLater = virtualStart + 1e12;
const all = { limit: 1_000 };

export async function findSubjects(store: Store, database: SqliteDatabase): Promise<Subjects> {
  const engine = await openReader(store);
  const runs = await engine.runs(all);
  const prompts = (await engine.prompts(all)).map(({ correlationId }) => correlationId);
  const keys = valuesOf(database, 'SELECT key AS value FROM keys').map((key) => JSON.parse(key) as string);
  return { runs, prompts, keys, kinds: valuesOf(database, 'SELECT DISTINCT kind AS value FROM records') };
}

const valuesOf = (database: SqliteDatabase, sql: string): string[] =>
  (database.prepare(sql).all() as { value: string }[]).map(({ value }) => value); // As the statement says.

export async function askAll(store: Store, subjects: Subjects): Promise<Answers> {
  const engine = await openReader(store);
  const answers = new Map<string, string | Error>();
  for (const [question, ask] of questions(engine, store, subjects)) answers.set(question, await answerOf(ask));
  return answers;
}

const openReader = (store: Store): Promise<Engine> =>
  openEngine(store, { readOnly: true, clock: new VirtualClock(muchLater) });

async function answerOf(ask: () => unknown): Promise<string | Error> {
  try {
    return JSON.stringify(await ask()) ?? 'nothing';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function listOf<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

type Question = readonly [string, () => unknown];

function* questions(engine: Engine, store: Store, { runs, keys, kinds, prompts }: Subjects): Iterable<Question> {
  yield ['runs', () => engine.runs(all)];
  for (const status of new Set(runs.map((run) => run.status)))
    yield [`runs ${status}`, () => store.listRuns({ ...all, status })];
  for (const workflow of new Set(runs.map((run) => run.workflow))) {
    yield [`runs of ${workflow}`, () => engine.runs({ ...all, workflow })];
    yield [`runs tagged ${workflow}`, () => engine.runs({ ...all, tags: { workflow } })];
    yield [`definition ${workflow}`, () => store.findDefinition(workflow, null)];
  }
  for (const { runId } of runs) yield* questionsOf(engine, runId);
  for (const { runId, workflow } of runs) if (workflow === 'approve') yield* questionsOfFiles(engine, runId);
  for (const correlationId of prompts) yield [`secret ${correlationId}`, () => engine.promptSecret(correlationId)];
  for (const key of keys) yield [`key ${key}`, () => store.findKey('start', key)];
  yield ['prompts', () => engine.prompts(all)];
  yield ['definitions', () => engine.definitions()];
  yield ['triggers', () => engine.triggers.list()];
  yield ['balance', () => engine.credits.balance(organization)];
  yield ['reservations', () => engine.credits.reservations(organization, all)];
  yield* questionsOfEngine(store, kinds);
}

function* questionsOf(engine: Engine, runId: string): Iterable<Question> {
  const run = engine.run(runId);
  yield [`summary ${runId}`, () => run.summary()];
  yield [`state ${runId}`, () => run.state()];
  yield [`events ${runId}`, () => listOf(run.events({ follow: false }))];
  yield [`children ${runId}`, () => engine.runs({ ...all, parentRunId: runId })];
}

function* questionsOfFiles(engine: Engine, runId: string): Iterable<Question> {
  yield [`tokens ${runId}`, () => engine.run(runId).tokens()];
  yield [`artifacts ${runId}`, () => engine.artifacts.list(runId)];
  yield [
    `bytes ${runId}`,
    async () => {
      const references = await engine.artifacts.list(runId);
      return Promise.all(references.map(async (reference) => [...(await engine.artifacts.get(reference)).bytes]));
    },
  ];
}

/** What the engine finds its work by. */
function* questionsOfEngine(store: Store, kinds: readonly string[]): Iterable<Question> {
  yield ['key', async () => [...(await store.secretKey())]];
  yield ['due runs', () => store.dueRuns(muchLater, 1_000)];
  yield ['next alarm', () => store.nextAlarmAt()];
  yield ['runs with work', () => store.runsWithWork(null, 1_000)];
  yield ['outbox', () => store.readOutbox(null, 1_000)];
  for (const kind of kinds) {
    yield [`${kind} records`, () => store.listRecords(kind, all)];
    yield [`due ${kind} records`, () => store.dueRecords(kind, muchLater, 1_000)];
    yield [`next due ${kind} record`, () => store.nextDueAt(kind)];
  }
}
