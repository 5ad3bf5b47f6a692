// The runtime of the platform is killed (SIGKILL) with runs under way, and started anew on what its objects have stored, with the
// same program or the next version of it. What nobody asks for goes on by alarms; who follows events has each of them once.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, type onTestFinished, test } from 'vitest';
import type { Client } from '../../packages/heddle/src/client/client.ts';
import { readStream } from '../../packages/heddle/src/client/read-stream.ts';
import { isEverything } from '../commit-share.testsuite.ts';
import { KillableWorkerd, OutsideServer } from './killable.testsuite.ts';
import { type Effect, FaultyWorkerd, Outside } from './outside.testsuite.ts';

/** One folder of objects, and the runtimes that have it one after the other. */
class Lives {
  readonly outside = new Outside();
  /** What is told and not answered: whoever tells it waits. */
  isHeld: (effect: Effect) => boolean = () => false;
  readonly #persist = mkdtempSync(path.join(tmpdir(), 'heddle-killed-'));
  #server: OutsideServer | null = null;
  #workerd: KillableWorkerd | null = null;

  /** Another one, with this version of the program, or the newest. */
  async begin(older?: string): Promise<KillableWorkerd> {
    await this.#workerd?.kill();
    this.#server ??= await OutsideServer.open(async (request) => {
      const answer = await this.outside.answer(request);
      return this.isHeld(this.outside.effects.at(-1) as Effect) ? new Promise<never>(() => undefined) : answer; // it was just told
    });
    const version = older === undefined ? {} : { older };
    this.#workerd = await KillableWorkerd.open({ persist: this.#persist, outside: this.#server, ...version });
    return this.#workerd;
  }

  async end(): Promise<void> {
    await this.#workerd?.kill();
    this.#server?.close();
    rmSync(this.#persist, { recursive: true, force: true });
  }
}

function makeLives(finished: typeof onTestFinished): Lives {
  const lives = new Lives();
  finished(() => lives.end());
  return lives;
}

const items = Array.from({ length: 12 }, (_, n) => n);
const once = (count: number): readonly number[] => Array.from({ length: count }, () => 1);

/** How often each task of a run was recorded. */
async function recordedOf(client: Client, runId: string): Promise<readonly number[]> {
  const counts = new Map<number, number>();
  for await (const event of client.run(runId).events())
    if (event.type === 'task.completed') counts.set(event.token, (counts.get(event.token) ?? 0) + 1);
  return [...counts.values()];
}

/** Follows all events, whatever breaks on the way, until so many runs have ended. */
async function idsUntilEnded(
  runs: number,
  open: (headers: Readonly<Record<string, string>>) => Promise<Response>,
  onEvent: (count: number) => Promise<void>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let ended = 0;
  const opened = (after = '') => open({ 'last-event-id': after });
  for await (const { id, data } of readStream(opened, 'start', { forever: true })) {
    ids.push(String(id));
    if ((JSON.parse(data) as { readonly type: string }).type === 'workflow.completed') ended++;
    if (ended === runs) break;
    await onEvent(ids.length);
  }
  return ids;
}

async function allIdsOf(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { feedId } of client.events({ follow: false })) ids.push(feedId);
  return ids;
}

// Groups of processes are not killed so elsewhere.
describe.skipIf(process.platform === 'win32').concurrent('killed and started anew', () => {
  test('[DO10] a fan-out that is cut off is brought to its end by the alarm, each branch recorded once', async ({
    onTestFinished: finished,
  }) => {
    const lives = makeLives(finished);
    const { outside } = lives;
    /** So many branches are done, the others at work. */
    const cutOffAfter = (most: number): (() => Promise<void>) => {
      const answered = new Set<number>();
      const before = outside.effects.length;
      lives.isHeld = ({ tokenId }) => answered.size === most || answered.add(tokenId).size > most;
      return () => outside.until(() => outside.effects.length > before + most);
    };
    let client = (await lives.begin()).client();
    let cutOff = cutOffAfter(4);
    const { id } = await client.start('fan', { items });
    for (const more of isEverything ? [3, 2] : []) {
      await cutOff();
      cutOff = cutOffAfter(more);
      await lives.begin();
    }
    await cutOff();
    lives.isHeld = () => false;
    client = (await lives.begin()).client();
    await outside.hears(id);
    expect(await client.run(id).result()).toMatchObject({ status: 'completed', output: { all: items } });
    expect(await recordedOf(client, id)).toEqual(once(items.length + 1));
    const keys = new Map<number, Set<string>>();
    for (const { tokenId, key: used } of outside.effects) keys.set(tokenId, (keys.get(tokenId) ?? new Set()).add(used));
    expect([...keys.values()].map(({ size }) => size)).toEqual(once(items.length + 1));
    expect((await client.audit()).problems).toEqual([]);
  });

  test('[DO6] [DV2] [DV7] the next version of the program: runs under way keep their definition, others have the new, its code does both, and what waited for it', async ({
    onTestFinished: finished,
  }) => {
    const lives = makeLives(finished);
    const { outside } = lives;
    let client = (await lives.begin('older')).client();
    const before = (await client.start('changed')).id;
    const unknown = (await client.start('later')).id;
    for await (const { type } of client.run(before).events({ follow: true })) if (type === 'token.waiting') break;
    client = (await lives.begin()).client();
    await outside.hears(before, 'second');
    await outside.hears(unknown);
    const after = (await client.start('changed')).id;
    await outside.hears(after, 'only');
    const told = (of: string) =>
      outside.effects.flatMap(({ runId, program, nodeId }) => (runId === of ? [`${program}: ${nodeId}`] : []));
    expect(told(before)).toEqual(['older: first', 'newest: second']);
    expect(told(after)).toEqual(['newest: only']);
    expect(await client.run(before).result()).toMatchObject({ status: 'completed' });
    expect((await client.audit()).problems).toEqual([]);
  });

  test('[SE2] a stream of all events goes on behind Last-Event-ID in the next life', async ({
    onTestFinished: finished,
  }) => {
    const lives = makeLives(finished);
    let workerd = await lives.begin();
    for (let n = 0; n < 3; n++) await workerd.client().start('fan', { items });
    const open = (headers: Readonly<Record<string, string>>) =>
      fetch(`${workerd.url}v1/events/stream`, { headers: { ...headers, authorization: `Bearer ${workerd.key}` } });
    const killedAt = isEverything ? [10, 30, 50, 90] : [30];
    const ids = await idsUntilEnded(3, open, async (count) => {
      if (killedAt.includes(count)) workerd = await lives.begin();
    });
    expect(ids).toEqual(await allIdsOf(workerd.client()));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each(isEverything ? [undefined, '3'] : [undefined])(
  '[SE2] a stream of all events goes on behind Last-Event-ID when its object was lost (%s shards)',
  async (shards) => {
    const faulty = await FaultyWorkerd.open(shards === undefined ? {} : { bindings: { SHARDS: shards } });
    try {
      const client = await faulty.tenant('followed');
      const authorization = `Bearer ${await faulty.keyOf('followed')}`;
      for (let n = 0; n < 3; n++) await client.start('fan', { items });
      const open = (headers: Readonly<Record<string, string>>) =>
        faulty.workerd.fetch('http://heddle.test/v1/events/stream', { headers: { ...headers, authorization } });
      const ids = await idsUntilEnded(3, open, async (count) => {
        if (count % 20 !== 0 || count > 100) return;
        await (await faulty.object('followed')).do('die').catch(() => undefined); // as it should
      });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength((await allIdsOf(client)).length);
    } finally {
      await faulty.close();
    }
  },
);
