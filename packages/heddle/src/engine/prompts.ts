// Prompts: what runs ask of people, and the answers. A prompt is found by its note, without loading its run; the answer
// is decided in the run's mailbox, like everything that changes it. Rules PR….
//
// Always true: looking resumes nothing; an answer that is refused has changed nothing.

import type { Store } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { defaultTenant } from '../api/heddle.ts';
import { given } from '../base/given.ts';
import { equalTexts, hmacSha256 } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Reply } from '../core/commands.ts';
import { answerHash, openPromptKey, openPromptsOf, type PromptNote, type ReplyRefusal } from '../core/notes.ts';
import type { JsonSchema } from '../definition/definition.ts';
import { takeJson } from '../operations/check-value.ts';
import { askedPage, invalidCursor } from '../operations/pages.ts';
import type { Prompt, PromptQuery, PromptReply, ReplyOptions, SecretPrompt } from '../operations/prompts.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import type { Performers } from './performer.ts';

export const promptPerformers: Performers<
  'listPrompts' | 'replyToPrompt' | 'createPromptSecret' | 'getPromptBySecret' | 'replyWithSecret'
> = {
  listPrompts({ host }, query) {
    return askedPage(
      query,
      (page) => listPrompts(host, { ...query, ...page }),
      ({ correlationId }) => correlationId,
    );
  },

  replyToPrompt({ host }, { runId, correlationId, payload, ...options }) {
    return replyInRun(host, { runId, correlationId }, payload, options);
  },

  /** For a link in a message: whoever has it can answer this prompt, without any other right. */
  async createPromptSecret({ host }, { correlationId }, { tenant = defaultTenant }) {
    const note = await mustReadNote(host.store, correlationId);
    const over = note.status === 'queued' ? null : refusalOf(note);
    if (over) throw errorOf(over);
    const secret = await secretOf(host.store, note);
    const place = `${tenant}/${encodeURIComponent(secret)}`;
    return { secret, path: `/v1/replies/${place}`, page: `/answer/${place}` };
  },

  async getPromptBySecret({ host }, { secret }) {
    return secretPromptOf(await findBySecret(host, secret));
  },

  /** PR3: or it comes with the prompt's secret, which opens that prompt alone, and nothing once that is over. */
  async replyWithSecret({ host }, { tenant: _, secret, payload, ...options }) {
    return reply(host, await findBySecret(host, secret), payload, options);
  },
};

interface PromptPage extends PromptQuery {
  readonly limit: number;
}

/** PR1: the prompts that can be answered now, by root run and in the order in which they were asked, a page at a time. */
async function listPrompts(
  { store }: Host,
  { runId, workflow, limit, after: first }: PromptPage,
): Promise<readonly Prompt[]> {
  const isWanted = (note: PromptNote): boolean =>
    (runId === rootRunId || note.runId === runId) && (workflow === undefined || note.workflow === workflow);
  const rootRunId = runId === undefined ? undefined : (await mustReadRun(store, runId)).rootRunId;
  const prefix = rootRunId === undefined ? '' : openPromptsOf(rootRunId);
  const found: Prompt[] = [];
  for (let after = await cursorOf(store, first); found.length < limit; ) {
    // Of those that are looked at, few may be wanted.
    const wanted = Math.max(limit - found.length, workflow === undefined ? 1 : rowsPerLook);
    const rows = await store.listRecords('open-prompt', {
      prefix,
      ...(after === null ? {} : { after }),
      limit: wanted,
    });
    for (const row of rows) {
      const note = valueOf(row) as PromptNote; // written by the run
      if (isWanted(note)) found.push(promptOf(note));
    }
    after = rows.at(-1)?.key ?? null;
    if (rows.length < wanted) break;
  }
  return found.slice(0, limit);
}

const rowsPerLook = 100;

/** Where the page after a prompt begins, also if that one was answered meanwhile. */
async function cursorOf(store: Store, correlationId: string | undefined): Promise<string | null> {
  if (correlationId === undefined) return null;
  const note = await readNote(store, correlationId);
  if (note === null) throw invalidCursor();
  return openPromptKey(note);
}

function promptOf({
  correlationId,
  runId,
  rootRunId,
  workflow,
  node,
  title,
  description,
  subject,
  schema,
  at,
  deadline,
}: PromptNote): Prompt {
  const asWritten = schema as JsonSchema | null; // of a definition that was checked
  return {
    correlationId,
    runId,
    rootRunId,
    workflow,
    nodeId: node,
    title,
    description: description ?? null,
    ...(subject ?? { path: null }),
    branch: subject?.branch ?? null,
    schema: asWritten,
    requestedAt: at,
    deadline,
  };
}

/** PR6: whoever has a secret sees what is asked, and nothing else; of a prompt that is over, only that it is. */
function secretPromptOf(note: PromptNote): SecretPrompt {
  const { workflow, title, description, schema, subject, deadline, status } = note;
  const isOver = status !== 'active' && status !== 'queued';
  const { item, isItemLeftOut } = isOver || subject === undefined ? {} : subject;
  return {
    status: status === 'active' ? 'open' : status,
    workflow,
    title,
    description: isOver ? null : (description ?? null),
    ...given({ item, isItemLeftOut }),
    schema: isOver ? null : (schema as JsonSchema | null), // of a definition that was checked
    deadline,
  };
}

/** PR2: an answer names the prompt and its run, or the root of that. */
async function replyInRun(
  host: Host,
  { runId, correlationId }: { readonly runId: string; readonly correlationId: string },
  payload: unknown,
  options: ReplyOptions,
): Promise<PromptReply> {
  const note = await mustReadNote(host.store, correlationId);
  if (note.runId !== runId && note.rootRunId !== runId) throw notFound(`${correlationId} of run ${runId}`);
  return reply(host, note, payload, options);
}

/** The prompt that a secret was made for. */
export async function findBySecret({ store }: Pick<Host, 'store'>, secret: string): Promise<PromptNote> {
  const correlationId = secret.slice(0, Math.max(0, secret.lastIndexOf('.')));
  const note = await readNote(store, correlationId);
  if (note !== null && equalTexts(secret, await secretOf(store, note))) return note;
  throw secretNotFound();
}

export const secretNotFound = (): HeddleError => notFound('with this secret');

async function secretOf(store: Store, { correlationId, runId, token }: PromptNote): Promise<string> {
  const key = await store.secretKey();
  return `${correlationId}.${hmacSha256(key, JSON.stringify(['reply', runId, token, correlationId]))}`;
}

async function reply(host: Host, note: PromptNote, payload: unknown, options: ReplyOptions): Promise<PromptReply> {
  const { key } = options;
  const json = takeJson(payload, { limits: host.limits, what: 'payload', code: 'PAYLOAD_INVALID' });
  const answer = { payload: json, ...given({ key }) };
  if (note.status !== 'active') return judge(note, answer);
  const { runId, token, correlationId } = note;
  const command = { type: 'reply', at: host.clock.now(), token, correlationId, ...answer } as const;
  const { applied, refusal } = await host.inbox.command(runId, command);
  if (applied) return { applied };
  if (refusal) throw errorOf(refusal);
  // Somebody or something was faster: the note tells who.
  return judge(await mustReadNote(host.store, correlationId), answer);
}

/** PR4: the same answer again, by its content or by its key, is a success that changes nothing; another is refused. */
function judge(note: PromptNote, { payload, key }: { readonly payload: Json; readonly key?: string }): PromptReply {
  const isRepeated = note.answer === answerHash(payload) || (key !== undefined && note.answerKey === key);
  const refusal = isRepeated ? null : refusalOf(note);
  if (refusal) throw errorOf(refusal);
  return { applied: false };
}

/** PR5: why a prompt cannot be answered: each reason has a code of its own. */
function refusalOf({ correlationId, status, deadline }: PromptNote): ReplyRefusal | null {
  const expected = `Expected prompt ${correlationId} to be open`;
  switch (status) {
    case 'active':
      return null;
    case 'queued':
      return { code: 'PROMPT_NOT_ACTIVE', message: `${expected}, but it waits for its turn; answer those before it` };
    case 'answered':
      return { code: 'ALREADY_ANSWERED', message: `${expected}, but it was answered already` };
    case 'expired':
      return { code: 'PROMPT_EXPIRED', message: `${expected}, but its deadline passed at ${timeOf(deadline)}` };
    case 'cancelled':
      return { code: 'PROMPT_CANCELLED', message: `${expected}, but nobody waits for the answer any more` };
  }
}

const timeOf = (at: number | null): string => new Date(at ?? 0).toISOString();

const notFound = (which: string): HeddleError =>
  new HeddleError('PROMPT_NOT_FOUND', `Expected a prompt ${which}, but there is none`);

function errorOf({ code, message, details }: NonNullable<Reply['refusal']>): HeddleError {
  const complaints = code === 'PAYLOAD_INVALID' && Array.isArray(details) ? details : [];
  // As the rule of replies puts them.
  const problems = (complaints as { pointer: string; message: string }[]).map(
    (complaint) => ({ severity: 'error', code, ...complaint }) as const,
  );
  return new HeddleError(code, message, { problems, ...given({ details }) });
}

async function mustReadNote(store: Store, correlationId: string): Promise<PromptNote> {
  const note = await readNote(store, correlationId);
  if (!note) throw notFound(correlationId);
  return note;
}

export async function readNote(store: Store, correlationId: string): Promise<PromptNote | null> {
  const row = await store.readRecord('prompt', correlationId);
  return row === null ? null : (valueOf(row) as PromptNote); // written by the run
}
