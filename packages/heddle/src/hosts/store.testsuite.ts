// The conformance suite of stores: what every host's store does, whatever it stands on. A host runs it with
// `describeStore(name, setUp)`.
//
// Always true: the suite knows the Store interface only; restarting the store between two steps changes nothing.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Commit, JournalWrite, OutboxRow, RunRow, Store } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { describeArtifacts } from './artifact.testsuite.ts';
import { describeFeed } from './feed.testsuite.ts';
import { describePages } from './page.testsuite.ts';
import { describeRecords } from './record.testsuite.ts';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from './store-fixtures.testsuite.ts';

export interface StoreUnderTest {
  /** The store, new and empty. */
  readonly store: Store;
  /** Closes it and opens what it left. */
  reopen(): Promise<Store>;
  tearDown(): Promise<void>;
}

export function describeStore(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`the ${name} store`, () => {
    let host: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      host = await setUp();
      store = host.store;
    });
    afterEach(() => host.tearDown());
    const current = () => store;
    const reopen = async () => {
      store = await host.reopen();
    };
    describeRuns(current, reopen);
    describeAtomicity(current, reopen);
    describeListing(current);
    describePages(current);
    describeFeed(current, reopen);
    describeWork(current);
    describeOutbox(current, reopen);
    describeNames(current, reopen);
    describeRecords(current, reopen);
    describeArtifacts(current, reopen);
  });
}

const newRuns = (...rows: RunRow[]) => makeCommit({ runs: rows.map((row) => ({ row, isNew: true })) });
const changedRuns = (...rows: RunRow[]) => makeCommit({ runs: rows.map((row) => ({ row, isNew: false })) });
const withoutRunId = ({ runId: _, ...row }: JournalWrite) => row;
const message = (id: string): OutboxRow => ({ id, to: `run-of-${id}`, message: `{"about":"${id}"}` });

function describeRuns(store: () => Store, reopen: () => Promise<void>): void {
  it('keeps every column of a run', async () => {
    const plain = makeRun('run-a');
    const full = makeRun('run-b', {
      version: 7,
      status: 'failed',
      seq: 12,
      nextTimerAt: 1_760_000_009_999,
      hasWork: false,
      endedAt: 1_760_000_000_005,
      parentRunId: 'run-a',
      rootRunId: 'run-a',
      tags: { customer: '42', 'ключ "x"': 'värde\u0000 \ud800 end', ['__proto__']: 'own' },
      result: '{"error":{"code":"X"}}',
      quarantine: 'Expected "this",\u0000 but found \ud800that\n',
    });
    await store().commit(newRuns(plain, full));
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await store().readRun('run-a')).toStrictEqual(plain);
      expect(await store().readRun('run-b')).toStrictEqual(full);
      expect(await store().readRun('run-c')).toBeNull();
      await reopen();
    }
  });

  it.each([
    ['the writer knows what is stored', true],
    ['the writer does not', false],
  ])('changes a run, each column that can change, there and back: %s', async (_, isKnown) => {
    const row = makeRun('run-a', { tags: { a: 'b' } });
    await store().commit(newRuns(row));
    const changes: Partial<RunRow>[] = [
      { seq: 2, head: 'head-2', updatedAt: 1_760_000_000_002 },
      { status: 'waiting' },
      { nextTimerAt: 5 },
      { nextTimerAt: 6, seq: 3 },
      { nextTimerAt: null },
      { hasWork: false },
      { quarantine: 'broken' },
      { quarantine: null },
      { endedAt: 9, result: '{"output":1}', status: 'completed' },
      { endedAt: 9, result: '{"output":2}', status: 'completed', seq: 4 },
      { endedAt: null, result: null, seq: 5 },
    ];
    let before = row;
    for (const change of changes) {
      const changed = { ...row, ...change };
      const write = { row: changed, isNew: false, ...given({ before: isKnown ? before : undefined }) };
      await store().commit(makeCommit({ runs: [write] }));
      expect(await store().readRun('run-a')).toStrictEqual(changed);
      before = changed;
    }
  });

  it('loads a run from its newest snapshot and the journal after it', async () => {
    const journal = [1, 2, 3, 4, 5].map((seq) => makeJournalRow('run-a', seq));
    const row = makeRun('run-a', { seq: 5 });
    await store().commit(makeCommit({ ...newRuns(row, makeRun('run-b')), journal }));
    expect(await store().loadRun('run-a')).toStrictEqual({ row, snapshot: null, journal: journal.map(withoutRunId) });
    await store().saveSnapshot({ runId: 'run-a', seq: 2, chunks: ['{"a', '":1', '}'] });
    const newest = { runId: 'run-a', seq: 4, chunks: ['{"b":', '2}'] };
    await store().saveSnapshot(newest);
    for (let turn = 0; turn < 2; turn += 1) {
      const rest = journal.slice(4).map(withoutRunId);
      expect(await store().loadRun('run-a')).toStrictEqual({ row, snapshot: newest, journal: rest });
      expect(await store().loadRun('run-b')).toStrictEqual({ row: makeRun('run-b'), snapshot: null, journal: [] });
      expect(await store().loadRun('run-c')).toBeNull();
      await reopen();
    }
  });

  it('reads the journal in order and in pages, one run apart from the others', async () => {
    const seqs = Array.from({ length: 25 }, (_, index) => index + 1);
    const journal = seqs.flatMap((seq) => [makeJournalRow('run-a', seq), makeJournalRow('run-b', seq, '[]')]);
    await store().commit(makeCommit({ journal: journal.slice(0, 20) }));
    await store().commit(makeCommit({ journal: journal.slice(20) }));
    const read: number[] = [];
    for (let from = 1; ; from = read.length + 1) {
      const page = await store().readJournal('run-a', from, 10);
      if (page.length === 0) break;
      read.push(...page.map(({ seq }) => seq));
    }
    expect(read).toEqual(seqs);
    expect(await store().readJournal('run-b', 24, 10)).toStrictEqual(
      [24, 25].map((seq) => withoutRunId(makeJournalRow('run-b', seq, '[]'))),
    );
    expect(await store().readJournal('run-c', 1, 10)).toEqual([]);
  });

  it('keeps long texts whole', async () => {
    const events = JSON.stringify(['ä€😀'.repeat(200_000)]);
    await store().commit(makeCommit({ journal: [makeJournalRow('run-a', 1, events)] }));
    await reopen();
    expect((await store().readJournal('run-a', 1, 1))[0]?.events).toBe(events);
  });

  it('hashes with SHA-256 in base64url', () => {
    expect(store().hash('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(store().hash('ä€😀')).toMatch(/^[\w-]{43}$/);
    expect(store().hash('a')).not.toBe(store().hash('b'));
  });
}

function describeAtomicity(store: () => Store, reopen: () => Promise<void>): void {
  const key = { scope: 'start', key: 'order-17', fingerprint: 'f', runId: 'run-a', at: 1 };
  const stored = makeCommit({
    ...newRuns(makeRun('run-a')),
    journal: [makeJournalRow('run-a', 1)],
    outboxAdded: [message('m-1')],
    keys: [key],
  });
  const parts = {
    runs: [
      { row: makeRun('run-a', { seq: 2, nextTimerAt: 3 }), isNew: false },
      { row: makeRun('run-z', { nextTimerAt: 1 }), isNew: true },
    ],
    journal: [makeJournalRow('run-a', 2), makeJournalRow('run-z', 1)],
    outboxAdded: [message('m-2')],
    outboxDone: ['m-1'],
    keys: [{ ...key, key: 'order-18' }],
    records: [{ kind: 'note', key: 'a', value: '1', dueAt: 1 }],
  };
  const faults: Record<string, Partial<Commit>> = {
    'a journal row that is stored': { journal: [...parts.journal, makeJournalRow('run-a', 1)] },
    'a journal row twice': { journal: [...parts.journal, makeJournalRow('run-z', 1)] },
    'a new run that is stored': { runs: [...parts.runs, { row: makeRun('run-a'), isNew: true }] },
    'a changed run that is not stored': { runs: [...parts.runs, { row: makeRun('run-x'), isNew: false }] },
    'a message that is stored': { outboxAdded: [...parts.outboxAdded, message('m-1')], outboxDone: [] },
    'a key that is stored': { keys: [...parts.keys, key] },
    'a key twice': { keys: [...parts.keys, ...parts.keys] },
    'a time that is no whole number': {
      runs: [...parts.runs, { row: makeRun('run-y', { nextTimerAt: 1.5 }), isNew: true }],
    },
  };
  it.each(Object.entries(faults))('stores nothing of a commit with %s', async (_, fault) => {
    await store().commit(stored);
    const refusal = await refusalOf(() => store().commit(makeCommit({ ...parts, ...fault })));
    expect(refusal.code).toBe('STORE_CONFLICT');
    expect(refusal.message).toMatch(/^Expected .*, but /);
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await store().pageRuns({ limit: 10 })).rows).toEqual([makeRun('run-a')]);
      expect(await store().readJournal('run-a', 1, 10)).toEqual([withoutRunId(makeJournalRow('run-a', 1))]);
      expect(await store().readJournal('run-z', 1, 10)).toEqual([]);
      expect(await store().readOutbox(null, 10)).toEqual([message('m-1')]);
      expect(await store().findKey('start', 'order-18')).toBeNull();
      expect(await store().nextAlarmAt()).toBeNull();
      expect(await store().readRecord('note', 'a')).toBeNull();
      expect(await store().nextDueAt('note')).toBeNull();
      await reopen();
    }
    await store().commit(makeCommit(parts)); // It continues: the same without the fault is stored.
    expect(await store().runsWithWork(null, 10)).toEqual(['run-a', 'run-z']);
  });

  it('stores an empty commit', async () => {
    await store().commit(makeCommit({}));
    expect(await store().pageRuns({ limit: 1 })).toEqual({ rows: [], next: null });
  });
}

function describeListing(store: () => Store): void {
  const at = 1_760_000_000_000;
  // Ids do not tell the age: children are named for their parents, and two runs may share a millisecond.
  const rows = [
    makeRun('run-e', { createdAt: at, tags: { team: 'red' } }),
    makeRun('run-b', { createdAt: at + 1, status: 'failed', tags: { team: 'red', customer: '1' } }),
    makeRun('run-d', { createdAt: at + 2, workflow: 'other', tags: { team: 'blue', customer: '1' } }),
    makeRun('run-a', {
      createdAt: at + 3,
      parentRunId: 'run-b',
      rootRunId: 'run-b',
      tags: { customer: '1', team: 'red' },
    }),
    makeRun('run-c', { createdAt: at + 3, parentRunId: 'run-b', status: 'failed', tags: { team: 'red' } }),
  ];
  const list = async (query: object) =>
    (await store().pageRuns({ limit: 10, ...query })).rows.map(({ runId }) => runId);

  it('lists runs newest first, by every filter, all at once', async () => {
    await store().commit(newRuns(...rows));
    expect((await store().pageRuns({ limit: 1, statuses: ['failed'] })).rows).toStrictEqual([rows[4]]);
    expect(await list({})).toEqual(['run-c', 'run-a', 'run-d', 'run-b', 'run-e']);
    expect(await list({ statuses: ['failed'] })).toEqual(['run-c', 'run-b']);
    expect(await list({ workflow: 'other' })).toEqual(['run-d']);
    expect(await list({ workflow: 'unknown' })).toEqual([]);
    expect(await list({ parentRunId: 'run-b' })).toEqual(['run-c', 'run-a']);
    expect(await list({ tags: {} })).toEqual(await list({}));
    expect(await list({ tags: { team: 'red' } })).toEqual(['run-c', 'run-a', 'run-b', 'run-e']);
    expect(await list({ tags: { team: 'red', customer: '1' } })).toEqual(['run-a', 'run-b']);
    expect(await list({ tags: { team: '1' } })).toEqual([]);
    expect(await list({ tags: { toString: '1' } })).toEqual([]);
    expect(
      await list({ tags: { team: 'red' }, statuses: ['failed'], parentRunId: 'run-b', workflow: 'score-papers' }),
    ).toEqual(['run-c']);
  });

  it('finds a run by its new status, not by its old one', async () => {
    await store().commit(newRuns(...rows));
    await store().commit(changedRuns({ ...rows[0]!, status: 'completed', endedAt: at, result: '{}' }));
    expect(await list({ statuses: ['completed'] })).toEqual(['run-e']);
    expect(await list({ statuses: ['running'] })).toEqual(['run-a', 'run-d']);
  });
}

function describeWork(store: () => Store): void {
  it('knows which runs are due, earliest first, and when the next alarm is', async () => {
    expect(await store().nextAlarmAt()).toBeNull();
    const alarms = { 'run-a': 30, 'run-b': 10, 'run-c': null, 'run-d': 20, 'run-e': 10 };
    const rows = Object.entries(alarms).map(([runId, nextTimerAt]) => makeRun(runId, { nextTimerAt }));
    await store().commit(newRuns(...rows));
    expect(await store().nextAlarmAt()).toBe(10);
    expect(await store().dueRuns(9, 10)).toEqual([]);
    expect(await store().dueRuns(20, 10)).toEqual(['run-b', 'run-e', 'run-d']);
    expect(await store().dueRuns(99, 2)).toEqual(['run-b', 'run-e']);
    await store().commit(
      changedRuns(
        makeRun('run-b', { nextTimerAt: null }),
        makeRun('run-e', { nextTimerAt: 25 }),
        makeRun('run-c', { nextTimerAt: 26 }),
      ),
    );
    expect(await store().nextAlarmAt()).toBe(20);
    expect(await store().dueRuns(99, 10)).toEqual(['run-d', 'run-e', 'run-c', 'run-a']);
  });

  it('pages through the runs with work, in the order of their ids', async () => {
    const ids = Array.from({ length: 1500 }, (_, index) => `run-${(index * 7919) % 1500}`);
    await store().commit(newRuns(...ids.map((runId) => makeRun(runId))));
    const idle = ids.filter((_, index) => index % 3 === 0);
    await store().commit(changedRuns(...idle.map((runId) => makeRun(runId, { hasWork: false }))));
    const expected = ids.filter((_, index) => index % 3 !== 0).toSorted();
    const found: string[] = [];
    for (;;) {
      const page = await store().runsWithWork(found.at(-1) ?? null, 400);
      if (page.length === 0) break;
      found.push(...page);
    }
    expect(found).toEqual(expected);
    expect(await store().runsWithWork('run-9', 1)).toEqual(expected.filter((id) => id > 'run-9').slice(0, 1));
  });
}

function describeOutbox(store: () => Store, reopen: () => Promise<void>): void {
  it('keeps messages in order until their effect is committed', async () => {
    await store().commit(makeCommit({ outboxAdded: [message('m-02'), message('m-01')] }));
    await store().commit(makeCommit({ outboxAdded: [message('m-04'), message('m-03')] }));
    await reopen();
    expect(await store().readOutbox(null, 10)).toStrictEqual(['m-01', 'm-02', 'm-03', 'm-04'].map(message));
    expect(await store().readOutbox('m-02', 1)).toEqual([message('m-03')]);
    await store().commit(makeCommit({ outboxDone: ['m-02', 'm-unknown'] }));
    await store().commit(makeCommit({ outboxDone: ['m-02'] })); // Received twice: nothing happens.
    expect(await store().readOutbox(null, 10)).toEqual(['m-01', 'm-03', 'm-04'].map(message));
    expect(await store().readOutbox('m-02', 10)).toEqual(['m-03', 'm-04'].map(message)); // It is gone, its place is not.
  });

  it('drops a message that is sent and received in one commit', async () => {
    await store().commit(makeCommit({ outboxAdded: [message('m-1'), message('m-2')], outboxDone: ['m-1'] }));
    expect(await store().readOutbox(null, 10)).toEqual([message('m-2')]);
  });
}

function describeNames(store: () => Store, reopen: () => Promise<void>): void {
  it('finds keys by scope and key, to the letter', async () => {
    const keys = [
      { scope: 'start', key: 'a', fingerprint: 'f1', runId: 'run-a', at: 1 },
      { scope: 'start:a', key: '', fingerprint: 'f2', runId: 'run-b', at: 2 },
      { scope: 'start', key: 'a\u0000b', fingerprint: 'f3', runId: 'run-c', at: 3 },
      { scope: 'start', key: 'a\u0000c', fingerprint: 'f4', runId: 'run-d', at: 4 },
      { scope: 'start', key: '\ud800', fingerprint: 'f5', runId: 'run-e', at: 5 },
      { scope: 'start', key: '\ud801', fingerprint: 'f6', runId: 'run-f', at: 6 },
      { scope: 'start', key: 'A', fingerprint: 'f7', runId: 'run-g', at: 7 },
    ];
    await store().commit(makeCommit({ keys }));
    await reopen();
    for (const row of keys) expect(await store().findKey(row.scope, row.key)).toStrictEqual(row);
    expect(await store().findKey('start', 'a ')).toBeNull();
    expect(await store().findKey('other', 'a')).toBeNull();
  });

  it('finds definitions by version, by hash, and the latest', async () => {
    const definition = (id: string, version: number, hash: string) => ({
      id,
      version,
      hash,
      body: `{"v":${version}}`,
      createdAt: version,
    });
    const rows = [
      definition('a', 1, 'h1'),
      definition('a', 2, 'h2'),
      definition('a', 10, 'h1'),
      definition('b', 1, 'h2'),
    ];
    for (const row of rows.toReversed()) await store().saveDefinition(row);
    await reopen();
    expect(await store().listDefinitions()).toStrictEqual(rows);
    expect(await store().findDefinition('a', 2)).toStrictEqual(rows[1]);
    expect(await store().findDefinition('a', null)).toStrictEqual(rows[2]);
    expect(await store().findDefinition('a', 3)).toBeNull();
    expect(await store().findDefinition('c', null)).toBeNull();
    expect(await store().findDefinitionByHash('a', 'h2')).toStrictEqual(rows[1]);
    expect(await store().findDefinitionByHash('a', 'h1')).toStrictEqual(rows[2]);
    expect(await store().findDefinitionByHash('b', 'h1')).toBeNull();
    await store().saveDefinition({ ...rows[0]!, body: '{"again":true}' });
    expect((await store().findDefinition('a', 1))?.body).toBe('{"again":true}');
  });
}
