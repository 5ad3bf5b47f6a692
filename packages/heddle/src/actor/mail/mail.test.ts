import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../hosts/memory/store.ts';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import { Background } from '../background.ts';
import type { Commit, Store } from '../ports.ts';
import { sideCommit } from '../side-writer.ts';
import { StoreError } from '../store-error.ts';
import { IncomingMail } from './incoming-mail.ts';
import { type Letter, receiptOf } from './letter.ts';
import { withMail } from './mail-store.ts';
import { OutgoingMail } from './outgoing-mail.ts';
import { Placement } from './placement.ts';

/** A shard of a fleet of three, with what it sends and whom it hands what comes. */
async function shard({
  own = 0,
  store = memoryStore(),
  clock = new VirtualClock(),
  incarnation = 'i1',
  hasIncarnationOfLife = false,
} = {}) {
  const sent: Letter[] = [];
  const delivered: Letter[] = [];
  let answer: (letter: Letter) => Promise<void> = () => Promise.resolve();
  const placement = new Placement(own, 3);
  const parts: { outgoing?: OutgoingMail; incoming?: IncomingMail } = {};
  const mailed = withMail(store, {
    placement,
    outgoing: () => parts.outgoing as OutgoingMail,
    incoming: () => parts.incoming as IncomingMail,
  });
  const background = new Background(mailed, clock, () => undefined);
  const send = (_: number, letter: Letter): Promise<void> => {
    sent.push(letter);
    return answer(letter);
  };
  const outgoing = new OutgoingMail({ own, clock, background, send, hasIncarnationOfLife });
  const incoming = new IncomingMail({ background, deliver: (letter) => delivered.push(letter) });
  Object.assign(parts, { outgoing, incoming });
  await outgoing.load(store, () => incarnation);
  await incoming.load(store);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) await new Promise<void>((resolve) => clock.defer(resolve));
  };
  return {
    store,
    mailed,
    clock,
    outgoing,
    incoming,
    sent,
    delivered,
    settle,
    answerBy(next: typeof answer) {
      answer = next;
    },
    numbers: () => sent.map(({ number }) => number),
    /** What a run of this shard tells one of shard 2. */
    post: async (n: number) => mailed.commit(told(n)),
    outbox: async () => (await store.readOutbox(null, 100)).map(({ id }) => id),
    marks: async () => (await store.listRecords('mail-mark', { limit: 1_000 })).map(({ key }) => key),
  };
}

const keysOf = async (store: Store) => (await store.listRecords('mail-counter', { limit: 10 })).map(({ key }) => key);

/** The name of an event that belongs to a shard. */
const wordIn = (shardNumber: number): string =>
  ['a', 'b', 'c', 'd', 'e', 'f', 'g'].find((word) => new Placement(0, 3).ofEvent(word, '') === shardNumber) ?? '';

const told = (n: number): Commit => ({
  ...sideCommit({}),
  outboxAdded: [{ id: `m${n}`, to: 'R~2', message: JSON.stringify({ type: 'cancel', reason: String(n) }) }],
});

const letter = (number: number, more: Partial<Letter> = {}): Letter => ({
  from: 1,
  incarnation: 'i1',
  number,
  after: number - 1,
  lowest: 1,
  to: 'R',
  message: {},
  ...more,
});

describe('outgoing mail', () => {
  test('[ML1] what is for another shard lies in the outbox as a letter, with the next number, in the same commit', async () => {
    const s = await shard();
    const wait = `${wordIn(2)}\n\nR\n1`;
    await s.mailed.commit({
      ...sideCommit({
        records: [
          { kind: 'prompt', key: 'here', value: '{}', dueAt: null },
          { kind: 'event-wait', key: wait, value: '{"runId":"R","token":1}', dueAt: null },
        ],
      }),
      outboxAdded: [
        { id: 'm1', to: 'R', message: '{}' },
        { id: 'm2', to: 'R~2', message: '{"type":"cancel"}' },
      ],
    });
    const rows = await s.store.readOutbox(null, 10);
    expect(rows.map(({ id, to }) => [id.replace(/0{5,}/, '…'), to])).toEqual([
      ['m1', 'R'],
      ['~2/i1/…1', '@mail'],
      ['~2/i1/…2', '@mail'],
    ]);
    expect(JSON.parse(rows[1]!.message)).toMatchObject({ to: '@records', message: { kind: 'event-wait' } });
    expect(await s.store.readRecord('event-wait', wait)).toBeNull();
    expect(await s.store.readRecord('mail-counter', '2')).toMatchObject({ value: '{"incarnation":"i1","number":2}' });
  });

  test('[WR1] what a shard commits is stamped below its mail', async () => {
    const counts: number[] = [];
    const counting = (...args: readonly unknown[]): void => void counts.push(args.length);
    const { mailed } = await shard({ store: Object.assign(memoryStore(), { commit: counting }) });
    await mailed.commit(sideCommit({}));
    expect(counts.at(-1)).toBe(1);
  });

  test('[ML1] the numbers go on where they were, although the outbox is empty', async () => {
    const before = await shard();
    before.outgoing.open();
    await before.post(1);
    await before.settle();
    expect([before.numbers(), await before.outbox()]).toEqual([[1], []]);
    const after = await shard({ store: before.store });
    after.outgoing.open();
    await after.post(2);
    expect(after.numbers()).toEqual([2]);
  });

  test('[ML2] a letter waits until it is durable, and for those before it', async () => {
    const s = await shard();
    const held: (() => void)[] = [];
    const commit = s.store.commit.bind(s.store);
    s.store.commit = async (given: Commit) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await commit(given);
    };
    s.outgoing.open();
    const [first, second] = [s.post(1), s.post(2)];
    held[1]?.();
    await second;
    expect(s.numbers()).toEqual([]);
    held[0]?.();
    await first;
    expect(s.sent.map(({ number, after, lowest }) => [number, after, lowest])).toEqual([
      [1, 0, 1],
      [2, 1, 1],
    ]);
  });

  test('[ML2] a number whose commit failed is used up, and nobody waits for it', async () => {
    const s = await shard();
    const commit = s.store.commit.bind(s.store);
    s.store.commit = () => {
      throw new StoreError('STORE_FAILED', 'the disk failed');
    };
    s.outgoing.open();
    await expect(s.post(1)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    s.store.commit = commit;
    await s.post(2);
    expect(s.sent.map(({ number, after, lowest }) => [number, after, lowest])).toEqual([[2, 0, 2]]);
  });

  test('[ML3] what could not be brought comes again, with what is behind it', async () => {
    const s = await shard();
    let isCut = true;
    s.answerBy(({ number }) => (isCut && number === 1 ? Promise.reject(new Error('cut')) : Promise.resolve()));
    s.outgoing.open();
    await Promise.all([s.post(1), s.post(2)]);
    await s.settle();
    expect([s.numbers(), (await s.outbox()).length]).toEqual([[1, 2], 1]);
    isCut = false;
    await s.clock.advanceTo(s.clock.now() + 1_000);
    await s.settle();
    expect([s.numbers(), await s.outbox()]).toEqual([[1, 2, 1], []]);
  });

  test('[ML4] a letter stays until it has arrived, and while a backup is made', async () => {
    const s = await shard();
    let arrive: () => void = () => undefined;
    s.answerBy(() => new Promise((resolve) => (arrive = resolve)));
    s.outgoing.open();
    await s.post(1);
    await s.settle();
    expect((await s.outbox()).length).toBe(1);
    for (const copy of ['one', 'other']) await s.outgoing.keep(copy);
    arrive();
    await s.settle();
    await s.outgoing.forget('one');
    await s.outgoing.forget('one');
    await s.settle();
    expect((await s.outbox()).length).toBe(1);
    await s.outgoing.forget('other');
    await s.settle();
    expect(await s.outbox()).toEqual([]);
  });

  test('[ML9] a copy sends under a new incarnation, and first what lay in its outbox', async () => {
    const s = await shard();
    await s.post(1);
    await s.outgoing.keep('copy');
    const copy = (await s.store.listRecords('mail-counter', { limit: 10 })).map((row) => ({ ...row }));
    await s.outgoing.forget('copy');
    const store = memoryStore();
    const rows = await s.store.readOutbox(null, 10);
    await store.commit({ ...sideCommit({ records: copy }), outboxAdded: rows });
    const restored = await shard({ store, incarnation: 'i2' });
    for (const { id, message } of rows) restored.outgoing.receive(JSON.parse(message), id);
    restored.outgoing.open();
    await restored.post(2);
    await restored.settle();
    expect(restored.sent.map(({ incarnation, number, lowest }) => [incarnation, number, lowest])).toEqual([
      ['i1', 1, 1],
      ['i2', 1, 1],
    ]);
  });

  test('[ML11] where every run has a shard no numbers are kept, and the next life sends under another incarnation', async () => {
    const s = await shard({ hasIncarnationOfLife: true });
    await s.post(1);
    await s.post(2);
    const next = await shard({ store: s.store, incarnation: 'i2', hasIncarnationOfLife: true });
    for (const { id, message } of await s.store.readOutbox(null, 10)) next.outgoing.receive(JSON.parse(message), id);
    next.outgoing.open();
    await next.post(3);
    await next.settle();
    expect(next.sent.map(({ incarnation, number, after }) => [incarnation, number, after])).toEqual([
      ['i1', 1, 0],
      ['i1', 2, 1],
      ['i2', 1, 0],
    ]);
    expect(await keysOf(s.store)).toEqual(['sent']);
  });

  test('[ML12] a shard that says that all has arrived has another incarnation, and its receiver remembers nothing', async () => {
    const s = await shard({ hasIncarnationOfLife: true });
    s.outgoing.open();
    expect(s.outgoing.renew()).toBeNull();
    let arrive: () => void = () => undefined;
    s.answerBy(() => new Promise((resolve) => (arrive = resolve)));
    await s.post(1);
    await s.settle();
    expect(s.outgoing.renew()).toBeNull();
    arrive();
    await s.settle();
    const next = await shard({ store: s.store, incarnation: 'i2', hasIncarnationOfLife: true });
    next.outgoing.open();
    expect(next.outgoing.renew()).toBe('i2');
    await next.post(2); // while its receiver is asked
    await next.settle();
    await next.outgoing.forgotten();
    expect(await keysOf(s.store)).toEqual(['sent']);
    expect(next.outgoing.renew()).toBe('i2');
    await next.outgoing.forgotten();
    expect(await keysOf(s.store)).toEqual([]);
    expect(next.outgoing.renew()).toBeNull();

    const receiver = await shard({ own: 2 });
    const newest = letter(1, { from: 7, incarnation: 'i2' });
    const other = letter(1, { from: 70 });
    for (const one of [letter(1, { from: 7 }), letter(2, { from: 7 }), newest, other]) {
      const arrived = receiver.incoming.receive(one);
      await receiver.mailed.commit({ ...sideCommit({ records: [] }), outboxDone: [receiptOf(one)] });
      await arrived;
    }
    await receiver.incoming.forgetSender(receiver.store, 7, 'i2');
    expect(await receiver.marks()).toEqual(['7/i2/1', '70/i1/1']);
    for (const one of [newest, other]) await receiver.incoming.receive(one);
    expect(receiver.delivered).toHaveLength(4);
  });

  test('[ML2] what a copy sends waits until what lay in its outbox has arrived', async () => {
    const s = await shard();
    await s.post(1);
    const [row] = await s.store.readOutbox(null, 10);
    const restored = await shard({ incarnation: 'i2' });
    let arrive: () => void = () => undefined;
    restored.answerBy(() => new Promise((resolve) => (arrive = resolve)));
    restored.outgoing.receive(JSON.parse(row?.message ?? ''), row?.id ?? '');
    restored.outgoing.open();
    await restored.post(2);
    await restored.settle();
    expect(restored.sent.map(({ incarnation }) => incarnation)).toEqual(['i1']);
    arrive();
    await restored.settle();
    expect(restored.sent.map(({ incarnation }) => incarnation)).toEqual(['i1', 'i2']);
  });
});

describe('incoming mail', () => {
  const arrive = (s: { mailed: Store }, one: Letter) =>
    Promise.resolve(s.mailed.commit(sideCommit({ outboxDone: [receiptOf(one)] })));

  test('[ML5] a letter is answered when its effect is durable, with its mark; again it changes nothing', async () => {
    const s = await shard();
    const answered: string[] = [];
    void s.incoming.receive(letter(1, { after: 0 })).then(() => answered.push('first'));
    void s.incoming.receive(letter(1, { after: 0 })).then(() => answered.push('doubled'));
    await s.settle();
    expect([answered, s.delivered.length]).toEqual([[], 1]);
    await arrive(s, letter(1));
    await s.settle();
    expect([answered, await s.marks()]).toEqual([['first', 'doubled'], ['1/i1/1']]);
    const next = await shard({ store: s.store });
    await next.incoming.receive(letter(1, { after: 0 }));
    expect(next.delivered).toEqual([]);
  });

  test('[ML5] in another incarnation, or of another sender, it is another letter', async () => {
    const s = await shard();
    void s.incoming.receive(letter(1, { after: 0 }));
    void s.incoming.receive(letter(1, { after: 0, incarnation: 'i2' }));
    void s.incoming.receive(letter(1, { after: 0, from: 2 }));
    expect(s.delivered.length).toBe(3);
  });

  test('[ML6] a letter whose predecessor has not come is refused, unless that has arrived by its sender', async () => {
    const s = await shard();
    await expect(s.incoming.receive(letter(3))).rejects.toMatchObject({ code: 'LETTER_OUT_OF_ORDER' });
    void s.incoming.receive(letter(3, { lowest: 3 }));
    void s.incoming.receive(letter(4, { lowest: 3 }));
    expect(s.delivered.map(({ number }) => number)).toEqual([3, 4]);
  });

  test('[ML6] after a restart a mark does not stand for what came before its letter and was not durable', async () => {
    const first = await shard();
    for (const [number, to] of [
      [1, 'R'],
      [2, 'S'],
    ] as const)
      void first.incoming.receive(letter(number, { to, lowest: 1 }));
    await arrive(first, letter(2));
    const next = await shard({ store: first.store });
    const third = letter(3, { to: 'R', lowest: 1 });
    await next.incoming.receive(letter(2, { lowest: 1 }));
    await expect(next.incoming.receive(third)).rejects.toMatchObject({ code: 'LETTER_OUT_OF_ORDER' });
    void next.incoming.receive(letter(1, { to: 'R', lowest: 1 }));
    await next.incoming.receive(letter(2, { lowest: 1 }));
    void next.incoming.receive(third);
    expect(next.delivered.map(({ number }) => number)).toEqual([1, 3]);
  });

  test('[ML7] marks go once their sender has forgotten the letters, and these are known all the same', async () => {
    const s = await shard();
    for (let number = 1; number <= 300; number++) {
      const one = letter(number, { after: 0, lowest: number });
      void s.incoming.receive(one);
      await arrive(s, one);
    }
    await s.settle();
    expect((await s.marks()).length).toBeLessThan(100);
    const next = await shard({ store: s.store });
    for (const number of [1, 100, 256, 300]) await next.incoming.receive(letter(number, { after: 0, lowest: 1 }));
    expect(next.delivered).toEqual([]);
  });

  test('[ML7] a letter that is still under way is not taken for one of those around it, which have arrived', async () => {
    const s = await shard();
    const answered: number[] = [];
    const bring = (number: number) =>
      void s.incoming.receive(letter(number, { after: number - 1, lowest: 1 })).then(() => answered.push(number));
    for (const number of [1, 2, 3, 2]) bring(number);
    for (const number of [1, 3]) await arrive(s, letter(number));
    bring(2);
    await s.settle();
    expect(answered).toEqual([1, 3]);
    await arrive(s, letter(2));
    await s.settle();
    expect(answered).toEqual([1, 3, 2, 2, 2]);
  });

  test('[ML8] what a run in quarantine refused is handed to it once more', async () => {
    const s = await shard();
    void s.incoming.receive(letter(1, { after: 0, to: 'R' }));
    void s.incoming.receive(letter(2, { to: 'S' }));
    s.incoming.again('R');
    expect(s.delivered.map(({ number }) => number)).toEqual([1, 2, 1]);
  });
});

describe('placement', () => {
  const placement = new Placement(0, 3);

  test('[SH1] an id says its shard; one without belongs to the first', () => {
    expect(['R', 'R~2', 'R~02', 'R~x'].map((id) => placement.ofId(id))).toEqual([0, 2, 0, 0]);
  });

  test('[SH2] what callers name is placed by a hash that does not change', () => {
    const events = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => placement.ofEvent(name, ''));
    expect(events).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => new Placement(2, 3).ofEvent(name, '')));
    expect(new Set(events).size).toBeGreaterThan(1);
    expect([placement.ofKey('start', 'k'), placement.ofOrganization('acme'), placement.ofEventId('e')]).toEqual([
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  test('[SH2] these are the places of fleets that exist', () => {
    const places = ['k1', 'k2', 'k3', 'k4'].map((key) => new Placement(0, 16).ofKey('start', key));
    expect([places, placement.ofEvent('paid', '7'), placement.ofOrganization('acme')]).toMatchInlineSnapshot(`
      [
        [
          6,
          13,
          11,
          13,
        ],
        0,
        2,
      ]
    `);
  });
});
