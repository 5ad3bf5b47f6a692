// Perform: what the client asks, in the words of the API that an engine has, in this process or behind HTTP.

import type { Heddle } from '../../packages/heddle/src/api/heddle.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import type { Prompt } from '../../packages/heddle/src/index.ts';
import type { Answers, BackUp, FeedItem, Operation, Question, ReadFeed, ReplyToPrompt, Start } from './protocol.ts';

type Ask = Operation | Question;

/** How many unfinished runs of a kind are named. */
const namedMax = 5;
const promptsMax = 200;
const familyMax = 1_000;
const feedMax = 500;

/** Beside the store, as a server keeps them. */
export const backupFolder = (path: string): string => `${path}.backups`;

/** Where copies lie is up to whoever makes them; answers with the name of one. */
export type MakeBackup = (ask: BackUp) => Promise<string>;

export function perform(engine: Heddle, ask: Ask, makeBackup: MakeBackup): Promise<Answers[Ask['type']]> {
  switch (ask.type) {
    case 'start':
      return start(engine, ask);
    case 'reply':
      return reply(engine, ask);
    case 'publish':
      return engine.publish(ask.name, ask.payload, { id: ask.id, correlation: ask.correlation });
    case 'cancel':
      return engine.run(ask.runId).cancel();
    case 'pause':
      return engine.run(ask.runId).pause();
    case 'resume':
      return engine.run(ask.runId).resume();
    case 'deposit':
      return engine.credits.deposit(ask.organization, ask.amount, { key: ask.key });
    case 'delete':
      return unlessGone(
        engine
          .run(ask.runId)
          .delete()
          .then(() => ({ applied: true })),
        { applied: false },
      );
    case 'back-up':
      return makeBackup(ask).then((name) => ({ name }));
    case 'family':
      return findFamily(engine, ask.runId);
    case 'prompts':
      return findPrompts(engine);
    case 'statuses':
      return Promise.all(ask.runIds.map((runId) => unlessGone(engine.run(runId).status(), 'gone')));
    case 'unfinished':
      return findUnfinished(engine);
    case 'feed':
      return readFeed(engine, ask);
  }
}

/** Its tag tells whose start it was, also if nobody heard its id. */
async function start(engine: Heddle, { workflow, input, key, organization }: Start): Promise<Answers['start']> {
  const payer = organization === undefined ? {} : { organization };
  const run = await engine.start(workflow, input, { idempotencyKey: key, tags: { key }, ...payer });
  return { runId: run.id };
}

function reply(
  engine: Heddle,
  { runId, correlationId, secret, payload, key }: ReplyToPrompt,
): Promise<Answers['reply']> {
  if (secret !== null) return engine.reply(secret, payload, { key });
  return engine.run(runId).reply(correlationId, payload, { key });
}

/** What is asked of a run, or what there is to say if there is no such run. */
async function unlessGone<T>(asked: Promise<T>, gone: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HeddleError && error.code === 'RUN_NOT_FOUND') return gone;
    throw error;
  }
}

async function findFamily(engine: Heddle, runId: string): Promise<readonly string[]> {
  const below = await engine.runs({ rootRunId: runId, limit: familyMax });
  return [runId, ...below.map((each) => each.runId)];
}

async function findPrompts(engine: Heddle): Promise<Answers['prompts']> {
  const prompts = await engine.prompts({ limit: promptsMax });
  const secretOf = ({ correlationId }: Prompt) => engine.promptSecret(correlationId).catch(() => null);
  return Promise.all(prompts.map(async (prompt) => ({ ...prompt, secret: await secretOf(prompt) })));
}

async function findUnfinished(engine: Heddle): Promise<readonly string[]> {
  const found: string[] = [];
  for (const status of ['submitted', 'running', 'waiting', 'suspended', 'paused'] as const) {
    for (const { runId, workflow } of await engine.runs({ status, limit: namedMax, subRuns: true }))
      found.push(`${workflow} ${runId} is ${status}`);
  }
  return found;
}

/** What was read when it fails is not told: whoever asks goes on from where it was. */
async function readFeed(engine: Heddle, { after, forMs }: ReadFeed): Promise<readonly FeedItem[]> {
  const found: FeedItem[] = [];
  const options = { signal: AbortSignal.timeout(forMs), ...(after === null ? {} : { after }) };
  for await (const { feedId, id, runId } of engine.events(options))
    if (found.push({ feedId, id, runId }) === feedMax) break;
  return found;
}
