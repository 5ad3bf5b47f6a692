import { describe, expect, test } from 'vitest';
import type { Commit, Store } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import type { Charge } from '../core/effects.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Ledger } from './ledger.ts';

const reserve = (runId: string, amount: number, token?: number): Charge => ({
  type: 'reserve',
  organization: 'acme',
  runId,
  amount,
  ...(token === undefined ? {} : { token }),
});

const settle = (runId: string, spent: number): Charge => ({ type: 'settle', organization: 'acme', runId, spent });

/** A ledger on a store whose commits can fail, and what comes out of it, in order. */
function openLedger({ store = memoryStore(), clock = new VirtualClock() } = {}) {
  const told: string[] = [];
  const errors: string[] = [];
  const commits: Commit[] = [];
  let failures = 0;
  let charges = 0;
  const watched: Store = new Proxy(store, {
    get(target, key) {
      if (key !== 'commit') return (Reflect.get(target, key) as () => unknown).bind(target);
      return async (commit: Commit) => {
        if (failures-- > 0) throw new StoreError('STORE_FAILED', 'the disk is on fire');
        commits.push(commit);
        await target.commit(commit);
      };
    },
  });
  const ledger = new Ledger({
    store: watched,
    clock,
    deliver: (to, { token, granted, balance }, outboxId) =>
      told.push(
        `${outboxId.replace('/answer', '')}: ${to}${token === undefined ? '' : `#${token}`} ${granted ? 'yes' : 'no'} ${balance}`,
      ),
    report: (error) => errors.push((error as Error).message),
  });
  return {
    ledger,
    store,
    clock,
    commits,
    errors,
    fail: (count: number) => (failures = count),
    /** Asks all of them at once, as the runs' commit does; answers with what the runs are told. */
    ask: async (...asked: readonly Charge[]) => {
      for (const charge of asked) ledger.receive(charge, `${++charges}`);
      await ledger.whenIdle();
      return told.splice(0);
    },
    told: () => told.splice(0),
    deposit: (amount: number, key: string | null = null) => ledger.deposit({ organization: 'acme', amount, key }),
    /** The stored balance, and what runs have reserved and spent of it. */
    books: async () => {
      const account = await store.readRecord('account', '"acme"');
      const rows = await store.listRecords('reservation', { prefix: '"acme"/', limit: 100 });
      return [account && JSON.parse(account.value), ...rows.map(({ value }) => JSON.parse(value))];
    },
  };
}

describe('reserving', () => {
  test('[CR6] without an account there is nothing, and nothing costs nothing', async () => {
    const { ask, books } = openLedger();
    expect(await ask(reserve('R1', 1, 1), reserve('R2', 0))).toEqual(['1: R1#1 no 0', '2: R2 yes 0']);
    expect(await books()).toEqual([{ balance: 0 }, { runId: 'R2', reserved: 0, spent: null }]);
  });

  test('[CR7] is granted whole or not at all, in the order of asking, and never beyond the balance', async () => {
    const { ask, deposit, books } = openLedger();
    await deposit(10);
    const answers = await ask(reserve('R1', 7), reserve('R2', 4, 1), reserve('R2', 3, 2), reserve('R3', 1));
    expect(answers).toEqual(['1: R1 yes 3', '2: R2#1 no 3', '3: R2#2 yes 0', '4: R3 no 0']);
    expect(await books()).toEqual([
      { balance: 0 },
      { runId: 'R1', reserved: 7, spent: null },
      { runId: 'R2', reserved: 3, spent: null },
    ]);
  });

  test('[CR7] organizations do not share, whatever their names', async () => {
    const { ledger, store } = openLedger();
    const names = ['a', 'a"/', 'a/b', '"', '\ud800', '\udfff', ''];
    for (const [amount, organization] of names.entries()) await ledger.deposit({ organization, amount, key: 'k' });
    const rows = await store.listRecords('account', { limit: 10 });
    expect(new Set(rows.map(({ value }) => JSON.parse(value).balance))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
  });

  test('[CR8] a token, or a run, that was answered is answered alike and changes nothing', async () => {
    const { ask, deposit, books } = openLedger();
    await deposit(10);
    expect(await ask(reserve('R1', 4, 1), reserve('R1', 4, 1))).toEqual(['1: R1#1 yes 6', '2: R1#1 yes 6']);
    expect(await ask(reserve('R1', 4, 1), reserve('R2', 9), reserve('R1', 6))).toEqual([
      '3: R1#1 yes 6',
      '4: R2 no 6',
      '5: R1 yes 0',
    ]);
    await deposit(100);
    expect(await ask(reserve('R2', 9))).toEqual(['6: R2 no 100']);
    expect(await books()).toEqual([{ balance: 100 }, { runId: 'R1', reserved: 10, spent: null }]);
  });
});

describe('settling', () => {
  test('[CR9] gives back what was not spent, once', async () => {
    const { ask, deposit, books } = openLedger();
    await deposit(10);
    expect(await ask(reserve('R1', 4, 1), reserve('R1', 5, 2), settle('R1', 4))).toHaveLength(2);
    expect(await books()).toEqual([{ balance: 6 }, { runId: 'R1', reserved: 9, spent: 4 }]);
    expect(await ask(settle('R1', 4), settle('R1', 0))).toEqual([]);
    expect(await books()).toEqual([{ balance: 6 }, { runId: 'R1', reserved: 9, spent: 4 }]);
  });

  test('[CR7] a run that was settled gets no more, also if it never reserved', async () => {
    const { ask, deposit, books } = openLedger();
    await deposit(10);
    expect(await ask(settle('R1', 0), reserve('R1', 1, 1), reserve('R1', 0, 2))).toEqual([
      '2: R1#1 no 10',
      '3: R1#2 no 10',
    ]);
    expect(await books()).toEqual([{ balance: 10 }, { runId: 'R1', reserved: 0, spent: 0 }]);
  });
});

describe('deposits', () => {
  test('[CR10] add up; with a key they are made once', async () => {
    const { deposit, books } = openLedger();
    expect(await deposit(3)).toEqual({ applied: true, balance: 3 });
    expect(await deposit(3)).toEqual({ applied: true, balance: 6 });
    const [first, second] = await Promise.all([deposit(5, 'june'), deposit(5, 'june')]);
    expect([first, second]).toEqual([
      { applied: true, balance: 11 },
      { applied: false, balance: 11 },
    ]);
    expect(await deposit(5, 'june')).toEqual({ applied: false, balance: 11 });
    await expect(deposit(6, 'june')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      message: 'Expected the deposit of 5 that key june of organization acme was first used with, but found 6',
    });
    expect(await books()).toEqual([{ balance: 11 }]);
  });

  test('[CR10] a balance that could not be counted exactly is refused', async () => {
    const { deposit, books } = openLedger();
    await deposit(Number.MAX_SAFE_INTEGER);
    await expect(deposit(1, 'one')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(await books()).toEqual([{ balance: Number.MAX_SAFE_INTEGER }]);
    expect(await deposit(0, 'one')).toMatchObject({ applied: true });
  });
});

describe('turns', () => {
  test('[CR11] what is asked together is one commit with records, answers and the end of the requests', async () => {
    const { ask, deposit, commits } = openLedger();
    await deposit(10);
    commits.length = 0;
    await ask(reserve('R1', 4, 1), reserve('R2', 5), settle('R1', 4));
    expect(commits).toMatchObject([
      {
        runs: [],
        journal: [],
        keys: [],
        outboxDone: ['1', '2', '3'],
        outboxAdded: [
          {
            id: '1/answer',
            to: 'R1',
            message: '{"type":"credits.answer","token":1,"granted":true,"amount":4,"balance":6}',
          },
          { id: '2/answer', to: 'R2', message: '{"type":"credits.answer","granted":true,"amount":5,"balance":1}' },
        ],
      },
    ]);
    const places = commits[0]?.records.map(({ kind, key }) => `${kind} ${key}`);
    expect(places).toEqual([
      'grant "acme"/R1/1',
      'account "acme"',
      'reservation "acme"/R1',
      'grant "acme"/R2/run',
      'reservation "acme"/R2',
    ]);
  });

  test('[CR12] a store that fails is tried again, ever more slowly; nothing is answered before, and the order stays', async () => {
    const { ask, deposit, clock, fail, told, errors, ledger } = openLedger();
    await deposit(5);
    fail(3);
    expect(await ask(reserve('R1', 5))).toEqual([]);
    expect(await ask(reserve('R2', 5))).toEqual([]);
    expect(ledger.isIdle).toBe(true);
    await clock.advance(100 + 200 + 399);
    expect([told(), errors]).toEqual([[], Array(3).fill('the disk is on fire')]);
    await clock.advance(1);
    expect(told()).toEqual(['1: R1 yes 0', '2: R2 no 0']);
    fail(1);
    await ask(reserve('R3', 1));
    await clock.advance(100);
    expect(told()).toEqual(['3: R3 no 0']);
  });

  test('[CR12] whoever deposits is told that the store failed, and nothing was deposited', async () => {
    const { deposit, clock, fail, books } = openLedger();
    fail(1);
    await expect(deposit(5)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await clock.advance(60_000);
    expect(await books()).toEqual([null]);
    expect(await deposit(5)).toEqual({ applied: true, balance: 5 });
  });

  test('[CR13] a damaged record hurts only those who need it', async () => {
    const { ask, store, errors, commits, ledger } = openLedger();
    const damaged = { kind: 'account', key: '"bad"', value: '{', dueAt: null };
    await store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [damaged] });
    const asked = await ask({ ...reserve('R1', 0), organization: 'bad' }, reserve('R2', 0));
    expect(asked).toEqual(['2: R2 yes 0']);
    expect(errors).toEqual(['Expected the account "bad" to be JSON, but it is damaged']);
    expect(commits.map(({ outboxDone }) => outboxDone)).toEqual([['2']]);
    const refused = ledger.deposit({ organization: 'bad', amount: 1, key: null });
    await expect(refused).rejects.toMatchObject({ code: 'RECORD_DAMAGED' });
  });

  test('a closed ledger commits nothing more', async () => {
    const { ask, deposit, ledger, fail, clock, commits, told } = openLedger();
    await deposit(5);
    fail(1);
    await ask(reserve('R1', 5));
    const late = deposit(5);
    await ledger.close();
    await expect(late).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await expect(deposit(5)).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await clock.advance(60_000);
    expect([await ask(reserve('R1', 5)), told(), commits.length, clock.nextAt]).toEqual([[], [], 1, null]);
  });

  test.each([0, 1])(
    'a turn that is under way when the ledger closes lets nothing out, with %i faults',
    async (faults) => {
      const { deposit, ledger, fail, clock, told } = openLedger();
      await deposit(5);
      await ledger.whenIdle();
      fail(faults);
      ledger.receive(reserve('R1', 5), '1');
      await Promise.resolve();
      await ledger.close();
      expect([told(), clock.nextAt, ledger.isIdle]).toEqual([[], null, true]);
    },
  );

  test('a thousand runs and a late one: two commits', async () => {
    const { ask, deposit, commits } = openLedger();
    await deposit(1_001);
    const answers = await ask(...Array.from({ length: 1_001 }, (_, index) => reserve(`R${index}`, 1)));
    expect(answers.at(-1)).toBe('1001: R1000 yes 0');
    expect(commits.map(({ outboxDone }) => outboxDone.length)).toEqual([0, 1_000, 1]);
  });
});
