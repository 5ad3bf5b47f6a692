// Answers: all that a store tells, through the public API and to the engine itself, each question asked on its own.
//
// Always true: the same store gives the same answers, whoever asks and how often.

import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { Engine } from '../../packages/heddle/src/engine/engine.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import type { SqliteDatabase } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { VirtualClock, virtualStart } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { organization } from './story.ts';

/** Who and what there is to ask about, as the undamaged store has it. */
export interface Subjects {
  readonly runs: readonly { readonly runId: string; readonly workflow: string; readonly status: string }[];
  readonly keys: readonly string[];
  readonly kinds: readonly string[];
  readonly prompts: readonly string[];
}

/** What the answer comes from: one run that is loaded; runs, journals and definitions; or what lies beside them. */
export type About = 'a loaded run' | 'runs' | 'beside the runs';

export interface Answer {
  readonly about: About;
  /** What could not be answered is an error. */
  readonly found: string | Error;
}

/** By question. */
export type Answers = ReadonlyMap<string, Answer>;

const muchLater = virtualStart + 1e12;
const page = { limit: 1_000 };
const all = { ...page, subRuns: true };

export async function findSubjects(store: Store, database: SqliteDatabase): Promise<Subjects> {
  const engine = await openReader(store);
  const runs = await engine.runs(all);
  const prompts = (await engine.prompts(page)).map(({ correlationId }) => correlationId);
  const keys = valuesOf(database, 'SELECT key AS value FROM keys').map((key) => JSON.parse(key) as string);
  // But for the mark of the log, which is there while a store is open.
  const kinds = valuesOf(database, "SELECT DISTINCT kind AS value FROM records WHERE kind <> 'store'");
  return { runs, prompts, keys, kinds };
}

const valuesOf = (database: SqliteDatabase, sql: string): string[] =>
  (database.prepare(sql).all() as { value: string }[]).map(({ value }) => value); // As the statement says.

export async function askAll(store: Store, subjects: Subjects): Promise<Answers> {
  const engine = await openReader(store);
  const answers = new Map<string, Answer>();
  for (const [about, question, ask] of questions(engine, store, subjects))
    answers.set(question, { about, found: await answerOf(ask) });
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

/** A run that is not found has no events; here that is a refusal. */
async function eventsOf(run: Run): Promise<unknown[]> {
  await run.summary();
  const events: unknown[] = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  return events;
}

type Question = readonly [About, string, () => unknown];

function* questions(engine: Engine, store: Store, subjects: Subjects): Iterable<Question> {
  yield* questionsOfRuns(engine, store, subjects);
  for (const { runId } of subjects.runs) yield* questionsOf(engine, runId);
  for (const { runId, workflow } of subjects.runs) if (workflow === 'approve') yield* questionsOfFiles(engine, runId);
  yield* questionsBeside(engine, store, subjects);
}

function* questionsOfRuns(engine: Engine, store: Store, { runs }: Subjects): Iterable<Question> {
  yield ['runs', 'runs', () => engine.runs(all)];
  for (const status of new Set(runs.map((run) => run.status)))
    yield ['runs', `runs ${status}`, async () => (await store.pageRuns({ ...page, statuses: [status] })).rows];
  for (const workflow of new Set(runs.map((run) => run.workflow))) {
    yield ['runs', `runs of ${workflow}`, () => engine.runs({ ...all, workflow })];
    yield ['runs', `runs tagged ${workflow}`, () => engine.runs({ ...all, tags: { workflow } })];
    yield ['runs', `definition ${workflow}`, () => store.findDefinition(workflow, null)];
  }
  yield ['runs', 'definitions', () => engine.definitions()];
  yield ['runs', 'due runs', () => store.dueRuns(muchLater, 1_000)];
  yield ['runs', 'next alarm', () => store.nextAlarmAt()];
  yield ['runs', 'runs with work', () => store.runsWithWork(null, 1_000)];
}

function* questionsOf(engine: Engine, runId: string): Iterable<Question> {
  const run = engine.run(runId);
  yield ['runs', `summary ${runId}`, () => run.summary()];
  yield ['a loaded run', `state ${runId}`, () => run.state()];
  yield ['a loaded run', `events ${runId}`, () => eventsOf(run)];
  yield ['runs', `children ${runId}`, () => engine.runs({ ...all, parentRunId: runId })];
}

function* questionsOfFiles(engine: Engine, runId: string): Iterable<Question> {
  yield ['a loaded run', `tokens ${runId}`, () => engine.run(runId).tokens()];
  yield ['beside the runs', `artifacts ${runId}`, () => engine.artifacts.list(runId)];
  yield [
    'beside the runs',
    `bytes ${runId}`,
    async () => {
      const references = await engine.artifacts.list(runId);
      return Promise.all(references.map(async (reference) => [...(await engine.artifacts.get(reference)).bytes]));
    },
  ];
}

/** Records, messages, keys of starts, and the key of the store. */
function* questionsBeside(engine: Engine, store: Store, { keys, kinds, prompts }: Subjects): Iterable<Question> {
  const ask = (question: string, answer: () => unknown): Question => ['beside the runs', question, answer];
  yield ask('key', async () => [...(await store.secretKey())]);
  for (const correlationId of prompts) yield ask(`secret ${correlationId}`, () => engine.promptSecret(correlationId));
  for (const key of keys) yield ask(`key ${key}`, () => store.findKey('start', key));
  yield ask('prompts', () => engine.prompts(page));
  yield ask('triggers', () => engine.triggers.list());
  yield ask('balance', () => engine.credits.balance(organization));
  yield ask('reservations', () => engine.credits.reservations(organization, all));
  yield ask('outbox', () => store.readOutbox(null, 1_000));
  for (const kind of kinds) {
    yield ask(`${kind} records`, () => store.listRecords(kind, all));
    yield ask(`due ${kind} records`, () => store.dueRecords(kind, muchLater, 1_000));
    yield ask(`next due ${kind} record`, () => store.nextDueAt(kind));
  }
}
