// A small world that really was: two runs of a workflow that calls another, asks a person and waits for an event, with
// everything that clients sent and workers saw; and the same world with something forged in it.

import type { RecordRow, RunRow } from '../../packages/heddle/src/actor/ports.ts';
import { seqIn, traceKind } from '../../packages/heddle/src/actor/trace-log.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { ClientOperation, ClientRequest, TaskCall } from '../../packages/heddle/src/simulation/client.ts';
import { send } from '../../packages/heddle/src/simulation/client.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { readRuns } from '../read-runs.ts';
import { CommitCheck } from './check-commits.ts';
import type { InvariantId } from './coverage.ts';
import { Globals } from './globals.ts';
import type { RunFacts } from './run-facts.ts';
import { readStore, type WorldView } from './world-view.ts';

const child = { id: 'child', initialNode: 'a', nodes: [{ id: 'a', action: 'work', cost: 1 }] };

const main = {
  id: 'main',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'work', cost: 1 },
    { id: 'call', workflow: 'child' },
    { id: 'ask', input: true, outputMapping: { 'state.answer': 'result' } },
    { id: 'wait', wait: { event: 'paid', timeoutMs: 10_000 } },
    { id: 'late', wait: { seconds: 60 } },
  ],
  transitions: [
    { from: 'a', to: 'call' },
    { from: 'call', to: 'ask' },
    { from: 'ask', to: 'wait' },
    { from: 'wait', to: 'late' },
  ],
};

/** Asks the engine, and writes down what was sent and heard. */
class Clients {
  readonly operations: ClientOperation[] = [];
  readonly #t: TestEngine;

  constructor(t: TestEngine) {
    this.#t = t;
  }

  async send(request: ClientRequest): Promise<Json> {
    const operation: ClientOperation = { request, sentAt: this.#t.clock.now(), answer: undefined, refusal: null };
    this.operations.push(operation);
    operation.answer = await send(this.#t.engine, request);
    await this.#t.settle();
    return operation.answer;
  }
}

/** One run that has ended, and one that waits for an answer. */
export async function playWorld(): Promise<WorldView> {
  const t = await createTestEngine({ scripted: ['work'] });
  const clients = new Clients(t);
  for (const definition of [child, main]) await t.engine.register(definition as object);
  await clients.send({ type: 'deposit', key: 'd', organization: 'org', amount: 9 });
  const runId = (await start(clients, 'one')) as string;
  await answerAll(t);
  const [prompt] = await t.engine.prompts();
  const correlationId = prompt?.correlationId ?? '';
  await clients.send({ type: 'pause', runId });
  await clients.send({ type: 'resume', runId });
  await clients.send({ type: 'reply', runId, correlationId, payload: { yes: true } });
  await clients.send({ type: 'publish', id: 'e', name: 'paid', payload: {} });
  await t.advance(60_000);
  await start(clients, 'two');
  await answerAll(t);
  const calls = t.script.calls.map(({ nodeId: action, runId: id, tokenId, attempt, idempotencyKey }): TaskCall => {
    return { action, runId: id, tokenId, attempt, idempotencyKey, at: t.clock.now() };
  });
  const { store } = t;
  const runs = await readRuns(store, { hash: store.hash.bind(store), limits: {} });
  const seen = { runs, operations: clients.operations, calls, limits: {}, hash: store.hash.bind(store) };
  return { ...(await readStore(store)), ...seen, alarmAt: t.clock.nextAt, runsInMemory: 1, globals: new Globals() };
}

const start = (clients: Clients, key: string): Promise<Json> =>
  clients.send({ type: 'start', key, workflow: 'main', input: { key }, organization: 'org', trace: key === 'one' });

async function answerAll(t: TestEngine): Promise<void> {
  for (let call = t.script.open('work')[0]; call; call = t.script.open('work')[0]) {
    call.complete({});
    await t.settle();
  }
}

export interface WorldForgery {
  readonly invariant: InvariantId;
  readonly what: string;
  readonly forge: (view: WorldView) => Partial<WorldView>;
}

const forgery = (invariant: InvariantId, what: string, forge: WorldForgery['forge']): WorldForgery => ({
  invariant,
  what,
  forge,
});

const ended = ({ rows }: WorldView): RunRow =>
  rows.find(({ status, workflow }) => status === 'completed' && workflow === 'main') as RunRow;
const open = ({ rows }: WorldView): RunRow => rows.find(({ endedAt }) => endedAt === null) as RunRow;
const changeRow = (view: WorldView, row: RunRow, change: Partial<RunRow>): Partial<WorldView> => ({
  rows: view.rows.map((one) => (one.runId === row.runId ? { ...one, ...change } : one)),
});
/** Without a run: neither its row nor its journal. */
const without = (view: WorldView, isGone: (row: RunRow) => boolean): Partial<WorldView> => {
  const gone = new Set(view.rows.filter(isGone).map(({ runId }) => runId));
  const journals = new Map([...view.journals].filter(([runId]) => !gone.has(runId)));
  const records = view.records.filter(({ key }) => ![...gone].some((runId) => key.includes(runId)));
  return {
    rows: view.rows.filter(({ runId }) => !gone.has(runId)),
    runs: view.runs.filter(({ runId }) => !gone.has(runId)),
    calls: view.calls.filter(({ runId }) => !gone.has(runId)),
    journals,
    records,
  };
};
const changeRequest = (view: WorldView, type: ClientRequest['type'], change: object): Partial<WorldView> => ({
  operations: view.operations.map((operation) => {
    const { request } = operation;
    return request.type === type ? { ...operation, request: { ...request, ...change } } : operation;
  }),
});
const withoutRequest = (view: WorldView, type: ClientRequest['type']): Partial<WorldView> => ({
  operations: view.operations.filter(({ request }) => request.type !== type),
});
const changeRecord = (view: WorldView, kind: string, change: (record: RecordRow) => Partial<RecordRow> | null) => ({
  records: view.records.flatMap((record) => {
    const changed = record.kind === kind ? change(record) : {};
    return changed === null ? [] : [{ ...record, ...changed }];
  }),
});
/** What the journals say, up to the row that has an event of a type, for one run. */
function factsOf(view: WorldView, { runId, until }: { readonly runId?: string; readonly until?: string } = {}) {
  const { limits } = view;
  const commits = new CommitCheck({
    limits,
    hash: view.hash,
    bodyOf: (id, version) => bodyOf(view, id, version),
    isReading: true,
  });
  const isLeft = (events: string): boolean => until === undefined || !events.includes(until);
  for (const [id, rows] of view.journals) {
    const place = id === runId ? rows.findIndex(({ events }) => !isLeft(events)) : rows.length;
    const journal = rows.slice(0, place).map((row) => ({ ...row, runId: id }));
    commits.add({ runs: [], journal, outboxAdded: [], outboxDone: [], keys: [], records: [] });
  }
  return commits.checks;
}

const bodyOf = ({ definitions }: WorldView, id: string, version: number): string | undefined =>
  definitions.find((row) => row.id === id && row.version === version)?.body;

/** As if a run had come no further than to an event of a type. */
function shortened(view: WorldView, { runId }: RunRow, until: string): Partial<WorldView> {
  const checks = factsOf(view, { runId, until });
  const row = { seq: checks.get(runId)?.facts.seq ?? 0 };
  const rows = view.rows.map((one) => (one.runId === runId ? { ...one, ...row } : one));
  return { checks, rows, runs: view.runs.filter((run) => run.runId !== runId) };
}

/** With other facts than the journals give. */
function misread(view: WorldView, workflow: string, change: (facts: RunFacts) => void): Partial<WorldView> {
  const checks = factsOf(view);
  for (const { facts } of checks.values()) if (facts.start?.workflow === workflow) change(facts);
  return { checks, runs: [] };
}

/** What each breaks, whatever the moment. */
export const worldForgeries: readonly WorldForgery[] = [
  forgery('I22', 'a task that no journal tells of', (view) => ({ calls: [...view.calls, ...view.calls] })),
  forgery('I23', 'a wait that no event can find', (view) => changeRow(view, open(view), { hasWork: true })),
  forgery('I24', 'a task with the key of another', (view) => ({
    calls: view.calls.map((call) => ({ ...call, idempotencyKey: 'x' })),
  })),
  forgery('I27', 'a timer that nobody set', (view) => changeRow(view, open(view), { nextTimerAt: 1 })),
  forgery('I28', 'a timer that is late', (view) => {
    const row = { ...open(view), runId: 'x', seq: 0, status: 'cancelled', endedAt: 1, nextTimerAt: 1 };
    return { rows: [...view.rows, row], alarmAt: null };
  }),
  forgery('I30', 'a state that the journal does not give', (view) => ({
    runs: view.runs.map((run) => ({ ...run, state: { forged: true } })),
  })),
  forgery('I31', 'a row that was changed', (view) => {
    const { runId } = open(view);
    const rows = (view.journals.get(runId) ?? []).map((row) => ({ ...row, hash: 'x' }));
    return { journals: new Map([...view.journals, [runId, rows]]) };
  }),
  forgery('I32', 'a row that tells of more than there is', (view) => changeRow(view, open(view), { seq: 99 })),
  forgery('I32', 'a trace that lacks a row', (view) =>
    changeRecord(view, traceKind, (record) => (seqIn(record) === 2 ? null : {})),
  ),
  forgery('I32', 'a trace of no run', (view) =>
    changeRecord(view, traceKind, ({ key }) => ({ key: key.replace(ended(view).runId, 'x') })),
  ),
  forgery('I32', 'a sub-run that is nowhere', (view) => {
    const { runId: parent } = open(view);
    const left = without(view, ({ parentRunId }) => parentRunId === parent);
    return { ...left, ...shortened({ ...view, ...left }, open(view), 'subworkflow.completed') };
  }),
  forgery('I33', 'a run that was answered and is not there', (view) =>
    without(view, ({ rootRunId }) => rootRunId === ended(view).runId),
  ),
  forgery('I33', 'an answer that was taken and is not there', (view) => changeRequest(view, 'reply', { payload: {} })),
  forgery('I33', 'a deposit that was answered and is not there', (view) =>
    changeRequest(view, 'deposit', { amount: 8 }),
  ),
  forgery('I34', 'a run that nobody started', (view) => withoutRequest(view, 'start')),
  forgery('I34', 'an answer that nobody gave', (view) => withoutRequest(view, 'reply')),
  forgery('I34', 'an event that nobody published', (view) => withoutRequest(view, 'publish')),
  forgery('I34', 'a pause that nobody asked for', (view) => withoutRequest(view, 'pause')),
  forgery('I34', 'credits out of nothing', (view) =>
    changeRecord(view, 'account', () => ({ value: '{"balance":99}' })),
  ),
  forgery('I36', 'a key that stands for two runs', (view) => changeRequest(view, 'start', { key: 'one' })),
  forgery('I39', 'an end that nobody was told of', (view) => shortened(view, open(view), 'subworkflow.completed')),
  forgery('I4', 'a sub-run that counts its tokens otherwise', (view) =>
    misread(view, 'child', (facts) => void facts.lastToken++),
  ),
  forgery('I41', 'a parent that was told of another end', (view) =>
    misread(view, 'child', (facts) => {
      facts.end = { type: 'workflow.cancelled', at: facts.at, reason: '' };
    }),
  ),
  forgery('I39', 'a parent that was told of an end that never came', (view) =>
    misread(view, 'child', (facts) => {
      facts.end = null;
    }),
  ),
  forgery('I45', 'a sub-run of a foreign tree', (view) =>
    misread(view, 'child', (facts) => {
      facts.start = facts.start && { ...facts.start, rootRunId: 'x' };
    }),
  ),
  forgery('I43', 'two prompts of a serial tree at once', (view) => {
    const [prompt] = view.records.filter(({ kind }) => kind === 'open-prompt') as [RecordRow];
    const serial = misread(view, 'main', ({ drawing }) => Object.assign(drawing.policy, { inputPolicy: 'serial' }));
    return { ...serial, records: [...view.records, { ...prompt, key: 'x' }] };
  }),
  forgery('I40', 'a status that does not follow', (view) => changeRow(view, open(view), { status: 'running' })),
  forgery('I40', 'a prompt that is noted otherwise', (view) =>
    changeRecord(view, 'prompt', ({ value }) => ({ value: value.replace('"active"', '"answered"') })),
  ),
  forgery('I46', 'a run that is set aside', (view) => changeRow(view, open(view), { quarantine: 'broken' })),
  forgery('I49', 'a global that was changed', (view) => ({ globals: changedGlobals(view) })),
  forgery('I50', 'a secret in a journal', () => ({ secrets: ['workflow.started'] })),
];

/** What is broken only when nothing is left to do. */
export const restForgeries: readonly WorldForgery[] = [
  forgery('I39', 'a message that nobody received', () => ({
    outbox: [{ id: '1', to: 'x', message: '{"type":"pause"}' }],
  })),
  forgery('I42', 'a sub-run that outlives its parent', (view) => {
    const { runId } = open(view);
    const end = { type: 'workflow.cancelled', at: 0, reason: '' } as const;
    const checks = factsOf(view, { runId, until: 'subworkflow.completed' });
    for (const { facts } of checks.values()) {
      if (facts.start?.parent?.runId === runId) facts.end = null;
      if (facts.runId === runId) facts.end = end;
    }
    const { rows, runs } = shortened(view, open(view), 'subworkflow.completed');
    return { checks, rows: rows ?? [], runs: (runs ?? []).filter(({ parentRunId }) => parentRunId !== runId) };
  }),
  forgery('I46', 'a run that waits for nothing', (view) => {
    const forget = ({ end, tokens, prompts }: RunFacts): void => {
      prompts.clear();
      if (end === null) tokens.clear();
    };
    const records = view.records.filter(({ kind }) => !kind.endsWith('prompt'));
    return {
      ...misread(view, 'main', forget),
      records,
      calls: view.calls.filter(({ runId }) => runId !== open(view).runId),
    };
  }),
  forgery('I48', 'runs that stay in memory', () => ({ runsInMemory: 2 })),
];

function changedGlobals({ globals }: WorldView): Globals {
  const change = 'Expected no new member of globalThis, but found forged';
  return Object.assign(Object.create(globals ?? null) as Globals, { findChange: () => change });
}
