// The host on Cloudflare, in the platform's own runtime: tenants and shards, keys, alarms, and what a Worker says of a request.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Outside, operatorKey, Workerd } from './workerd.testsuite.ts';

interface Killed {
  die(): Promise<void>;
}

describe.each([
  ['one object for each tenant', undefined],
  ['three for each', '3'],
  ['one for every run', 'run'],
])('%s', (_, shards) => {
  const outside = new Outside();
  const canList = shards !== 'run';
  const testLists = canList ? test : test.skip;
  let workerd: Workerd;

  beforeAll(async () => {
    workerd = await Workerd.open({
      program: 'program.worker.ts',
      isBehindService: true,
      outside: outside.answer,
      bindings: shards === undefined ? {} : { SHARDS: shards },
    });
  });
  afterAll(() => workerd.close());

  test('[T483] [DO6] a run of a definition of the program is started, done and told, over HTTP', async () => {
    const heddle = workerd.client();
    const run = await heddle.start('tell', {});
    expect(await run.result()).toMatchObject({ status: 'completed' });
    await outside.hears(run.id);
    expect((await heddle.definitions()).map(({ id }) => id)).toEqual(['double', 'nap', 'other', 'secret', 'tell']);
    const names: string[] = [];
    for await (const { type } of run.events({ follow: true })) names.push(type);
    expect(names.at(-1)).toBe('workflow.completed');
    if (canList) expect(await heddle.audit()).toMatchObject({ problems: [] });
  });

  testLists('[DO7] whatever object is asked, runs of all are listed, found, cancelled and counted', async () => {
    const heddle = workerd.client();
    const started = await heddle.startAll(Array.from({ length: 9 }, () => ({ workflow: 'nap', input: {} })));
    const ids = started.map((answer) => ('runId' in answer ? answer.runId : ''));
    const listed = await heddle.runs({ workflow: 'nap', limit: 9 });
    expect(listed.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) await heddle.run(id).cancel();
    for (const id of ids) expect(await heddle.run(id).result()).toMatchObject({ status: 'cancelled' });
    const key = { idempotencyKey: 'once' };
    const [one, other] = await Promise.all([heddle.start('tell', {}, key), heddle.start('tell', {}, key)]);
    expect(one.id).toBe(other.id);
  });

  testLists(
    '[DO7] events of all objects are followed as one stream, and again behind the last that was had',
    async () => {
      const heddle = workerd.client();
      const runs = await Promise.all(Array.from({ length: 6 }, () => heddle.start('tell', {})));
      await Promise.all(runs.map((run) => run.result()));
      const seen: string[] = [];
      for await (const { feedId } of heddle.events({ follow: false })) seen.push(feedId);
      const rest: string[] = [];
      for await (const { feedId } of heddle.events({ follow: false, after: seen[9] as string })) rest.push(feedId);
      expect(rest).toHaveLength(seen.length - 10);
      expect(new Set(seen).size).toBe(seen.length);
    },
  );

  testLists('[MT8] figures of the tenant are told to whoever has a key of it', async () => {
    const headers = { authorization: `Bearer ${operatorKey}` };
    const text = await (await workerd.fetch('http://heddle.test/metrics', { headers })).text();
    expect(text).toMatch(/^heddle_runs\{tenant="default",status="completed"\} [1-9]/m);
    expect(text).not.toContain('process_');
  });

  test('[DO4] [DO5] a run whose object was lost while it waited for a timer goes on, and nobody asks for it', async () => {
    for (let isShown = false; !isShown; ) {
      const run = await workerd.client().start('nap', {});
      const [, shard] = run.id.split('~');
      const object = await workerd.object<Killed>(shard === undefined ? 'default' : `default/${shard}`);
      await expect(object.die()).rejects.toThrow();
      isShown = !outside.hasHeard(run.id); // on a slow machine it may have gone on before
      await outside.hears(run.id);
    }
  });

  test('[DO9] what another Worker does is done as if it were done here: attempts, failures, time limits', async () => {
    const heddle = workerd.client();
    const runs = await Promise.all([21, -1, 101, 0].map((n) => heddle.start('double', { n })));
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toMatchObject([
      { status: 'completed', output: { n: 42, attempt: 1 } },
      { status: 'completed', output: { n: -2, attempt: 2 } },
      { status: 'failed', error: { code: 'n.many', message: 'too many', details: { n: 101 } } },
      { status: 'failed', error: { code: 'TASK_TIMEOUT' } },
    ]);
    for (const attempt of [1, 2]) await outside.hears(`aborted ${runs[3]?.id} ${attempt}`);
  });

  test('[DO40] another Worker has the engine over a service binding, without a key', async () => {
    const heddle = workerd.client();
    const first = await (await heddle.start('other', {})).result();
    const { runId } = first.output as { readonly runId: string }; // as its action returns it
    await outside.hears(runId);
    expect(await heddle.run(runId).result()).toMatchObject({ status: 'completed' });
  });

  test('[DO8] [AC7] a tenant has objects of its own, which nobody without a key makes or finds', async () => {
    const operator = workerd.client();
    const { key } = await operator.call('createKey', { name: 'acme', scopes: ['*'], tenant: 'acme' });
    const acme = workerd.client(key);
    const run = await acme.start('tell', {});
    expect(await run.result()).toMatchObject({ status: 'completed' });
    await expect(operator.run(run.id).summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(workerd.client('hdl_wrong').definitions()).rejects.toMatchObject({ code: 'KEY_INVALID' });
    const webhook = await workerd.fetch('http://heddle.test/v1/webhooks/nobody/orders', { method: 'POST' });
    expect(webhook.status).toBe(404);
    const forged = await workerd.fetch('http://heddle.test/v1/runs', { headers: { 'x-heddle-trusted': 'true' } });
    expect(forged.status).toBe(401);
  });

  test('[AC23] the key of the operator is no stored one; a browser signs in with it, and tokens stand on it', async () => {
    const operator = workerd.client();
    expect(await operator.call('listKeys', {})).not.toMatchObject({ items: [{ name: 'operator' }] });
    const signedIn = await workerd.fetch('http://heddle.test/v1/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ key: operatorKey }),
    });
    expect(signedIn.status).toBe(201);
    const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] as string;
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    expect((await workerd.fetch('http://heddle.test/v1/me', { headers })).status).toBe(200);
    const run = await operator.start('tell', {});
    const { token } = await operator.call('createToken', { runId: run.id, may: 'read' });
    expect(await workerd.client(token).run(run.id).summary()).toMatchObject({ runId: run.id });
  });
});

test('[SH10] a tenant whose objects were made as another number of shards is refused, and is there again with the first', async () => {
  const persist = mkdtempSync(path.join(tmpdir(), 'heddle-objects-'));
  const withShards = async <T>(shards: string, work: (workerd: Workerd) => Promise<T>): Promise<T> => {
    const workerd = await Workerd.open({
      program: 'program.worker.ts',
      isBehindService: true,
      bindings: { SHARDS: shards },
      persist,
    });
    try {
      return await work(workerd);
    } finally {
      await workerd.close();
    }
  };
  try {
    const runId = await withShards('3', async (workerd) => (await workerd.client().start('tell', {})).id);
    const refused = await withShards('2', (workerd) =>
      workerd
        .client()
        .runs()
        .catch((error: unknown) => error),
    );
    expect(refused).toMatchObject({ code: 'STORE_FOREIGN' });
    const found = await withShards('3', (workerd) => workerd.client().run(runId).result());
    expect(found).toMatchObject({ status: 'completed' });
  } finally {
    rmSync(persist, { recursive: true, force: true });
  }
});
