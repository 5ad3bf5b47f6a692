import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { asking, asks, promptAt } from './prompts.testsuite.ts';
import { eventsOf, go, launch, register, scripted, stateOf, work, workflow } from './token-engine.testsuite.ts';

const schema = {
  type: 'object',
  required: ['ok', 'by'],
  properties: { ok: { type: 'boolean' }, by: { type: 'string' } },
};
const fits = { ok: true, by: 'Ada' };

onEveryHost('answers to prompts', (host) => {
  const approval = workflow(
    'w',
    [asks('approve', { schema, deadlineMs: 60_000 }), work('publish')],
    [go('approve', 'publish')],
  );

  /** Everything that an answer could have changed. */
  const imprint = async (run: Run) => [await run.summary(), await eventsOf(run), await run.prompts()];

  test('[PR5][T213] unknown: there is no such prompt, or not of this run', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const other = await t.engine.start('w');
    await t.settle();
    const { correlationId } = await promptAt(run, 'approve');
    const before = await imprint(run);
    await expect(run.reply('nope', fits)).rejects.toMatchObject({
      code: 'PROMPT_NOT_FOUND',
      message: 'Expected a prompt nope, but there is none',
    });
    await expect(other.reply(correlationId, fits)).rejects.toMatchObject({
      code: 'PROMPT_NOT_FOUND',
      message: `Expected a prompt ${correlationId} of run ${other.id}, but there is none`,
    });
    await expect(t.engine.run('nobody').reply(correlationId, fits)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
    expect(await imprint(run)).toEqual(before);
  });

  test('[PR5][T214] queued: it waits for its turn', async () => {
    const t = await host.open();
    const definition = workflow('w', ['s', asks('a'), asks('b')], [go('s', 'a'), go('s', 'b')], {
      inputPolicy: 'serial',
    });
    const run = await launch(t, definition);
    const [, second] = await eventsOf(run, 'input.queued');
    const id = String(second?.correlationId);
    const before = await imprint(run);
    await expect(run.reply(id, 1)).rejects.toMatchObject({
      code: 'PROMPT_NOT_ACTIVE',
      message: `Expected prompt ${id} to be open, but it waits for its turn; answer those before it`,
    });
    expect(await imprint(run)).toEqual(before);
    expect(await t.engine.promptSecret(id)).toMatch(new RegExp(`^${id}\\.`));
  });

  test('[PR4][PR5][T222] answered: the same again is a success that changes nothing, another is refused', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId: id } = await promptAt(run, 'approve');
    expect(await run.reply(id, fits, { key: 'click-1' })).toEqual({ applied: true });
    await t.settle();
    const before = await imprint(run);
    expect(await run.reply(id, { by: 'Ada', ok: true })).toEqual({ applied: false });
    expect(await run.reply(id, { ok: false, by: 'Bob' }, { key: 'click-1' })).toEqual({ applied: false });
    const message = `Expected prompt ${id} to be open, but it was answered already`;
    await expect(run.reply(id, { ok: false, by: 'Ada' })).rejects.toMatchObject({ code: 'ALREADY_ANSWERED', message });
    await expect(run.reply(id, { ok: false, by: 'Ada' }, { key: 'click-2' })).rejects.toMatchObject({ message });
    expect(await imprint(run)).toEqual(before);
    expect(await stateOf(run)).toEqual({ approve: fits });
  });

  test('[IN5][PR4] the same holds after the run has ended, and in another process', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', [asks('ask')]));
    const { correlationId: id } = await promptAt(run, 'ask');
    await run.reply(id, 'yes', { key: 'k' });
    await t.settle();
    const next = await host.restart(t);
    const again = next.engine.run(run.id);
    expect(await again.status()).toBe('completed');
    expect(await again.reply(id, 'yes')).toEqual({ applied: false });
    expect(await again.reply(id, 'no', { key: 'k' })).toEqual({ applied: false });
    await expect(again.reply(id, 'no')).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
  });

  test('[IN6][PR4][T222] of many answers at once exactly one is taken', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId: id } = await promptAt(run, 'approve');
    const replies = await Promise.allSettled([
      run.reply(id, fits),
      run.reply(id, fits),
      run.reply(id, { ...fits, by: 'Bob' }),
      run.reply(id, fits),
    ]);
    const told = replies.map((reply) =>
      reply.status === 'fulfilled' ? String(reply.value.applied) : (reply.reason as { code: string }).code,
    );
    // Over HTTP any may come first: the same answer again is a success, another one is refused.
    const isBobs = told[2] === 'true';
    const others = isBobs ? Array<string>(3).fill('ALREADY_ANSWERED') : ['ALREADY_ANSWERED', 'false', 'false'];
    expect(told.toSorted()).toEqual([...others, 'true'].toSorted());
    expect((await eventsOf(run, 'input.resumed')).length).toBe(1);
  });

  test('[PR5] expired: its deadline has passed', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId: id, deadline } = await promptAt(run, 'approve');
    await t.advance(60_000);
    const message = `Expected prompt ${id} to be open, but its deadline passed at ${new Date(Number(deadline)).toISOString()}`;
    await expect(run.reply(id, fits)).rejects.toMatchObject({ code: 'PROMPT_EXPIRED', message });
    await expect(t.engine.promptSecret(id)).rejects.toMatchObject({ code: 'PROMPT_EXPIRED' });
  });

  test('[PR5] called off: nobody waits for the answer any more', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId: id } = await promptAt(run, 'approve');
    await run.cancel();
    await t.settle();
    const message = `Expected prompt ${id} to be open, but nobody waits for the answer any more`;
    await expect(run.reply(id, fits)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED', message });
  });

  test('[IN7][PR5] an answer that does not fit is refused with all that is wrong, and the prompt stays', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId: id } = await promptAt(run, 'approve');
    const before = await imprint(run);
    const error = await run.reply(id, { ok: 'yes' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PAYLOAD_INVALID', message: expect.stringContaining(`prompt ${id} to fit`) });
    const { problems } = error as { problems: { severity: string; code: string; pointer: string }[] };
    expect(problems.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`).toSorted()).toEqual([
      'error PAYLOAD_INVALID ',
      'error PAYLOAD_INVALID /ok',
    ]);
    expect(await imprint(run)).toEqual(before);
    expect(await run.reply(id, fits)).toEqual({ applied: true });
  });

  test('[KY3] an answer is JSON within the limits', async () => {
    const t = await host.open({ limits: { payloadBytesMax: 1_000, jsonDepthMax: 5 } });
    const run = await launch(t, workflow('w', [asks('ask')]));
    const { correlationId: id } = await promptAt(run, 'ask');
    const codeOf = (payload: unknown) => run.reply(id, payload).catch(({ code, message }) => `${code} ${message}`);
    expect(await codeOf(() => 1)).toMatch(/^PAYLOAD_INVALID In the payload: /);
    expect(await codeOf({ a: Number.NaN })).toMatch(/^PAYLOAD_INVALID /);
    expect(await codeOf('x'.repeat(2_000))).toMatch(/^LIMIT_EXCEEDED /);
    expect(await codeOf([[[[[[1]]]]]])).toMatch(/^LIMIT_EXCEEDED /);
    expect(await asking(run)).toEqual(['ask']);
  });

  test('[OP1] options are checked', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', [asks('ask')]));
    const { correlationId: id } = await promptAt(run, 'ask');
    const wrong = { keys: 'x' } as object;
    await expect(run.reply(id, 1, wrong)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(run.reply(id, 1, { key: '' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(run.reply('', 1)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(t.engine.prompts({ run: run.id } as object)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(await asking(run)).toEqual(['ask']);
  });
});

onEveryHost('secrets of prompts', (host) => {
  const ask = workflow('w', [asks('ask', { deadlineMs: 60_000 })]);

  test('[PR3][SC1] a secret answers its prompt, without naming a run, and is the same in every process', async () => {
    const t = await host.open();
    const run = await launch(t, ask);
    const { correlationId: id } = await promptAt(run, 'ask');
    const secret = await t.engine.promptSecret(id);
    expect(secret).toMatch(new RegExp(`^${id}\\.[\\w-]{43}$`));
    const next = await host.restart(t);
    expect(await next.engine.promptSecret(id)).toBe(secret);
    expect(await next.engine.reply(secret, 'yes', { key: 'k' })).toEqual({ applied: true });
    await next.settle();
    const again = next.engine.run(run.id);
    expect([await again.status(), await stateOf(again)]).toEqual(['completed', { ask: 'yes' }]);
  });

  test('[PR3] it opens no other prompt, and one that is wrong tells nothing', async () => {
    const t = await host.open();
    const run = await launch(t, ask);
    const other = await t.engine.start('w');
    await t.settle();
    const { correlationId: id } = await promptAt(run, 'ask');
    const { correlationId: otherId } = await promptAt(other, 'ask');
    const secret = await t.engine.promptSecret(id);
    const mac = secret.slice(id.length + 1);
    const flipped = `${id}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    const message = 'Expected a prompt with this secret, but there is none';
    for (const wrong of [`${otherId}.${mac}`, flipped, id, `${id}.`, `.${mac}`, mac, `${secret}x`, `${secret} `]) {
      await expect(t.engine.reply(wrong, 1)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND', message });
    }
    expect([await asking(run), await asking(other)]).toEqual([['ask'], ['ask']]);
  });

  test('[PR3] another store makes other secrets of the same prompts', async () => {
    const one = await host.open();
    const two = await host.open();
    const run = await launch(one, ask);
    const { correlationId: id } = await promptAt(run, 'ask');
    const secret = await one.engine.promptSecret(id);
    await expect(two.engine.reply(secret, 1)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
    await expect(two.engine.promptSecret(id)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
  });

  test('[PR3] it is worth nothing once its prompt is over', async () => {
    const t = await host.open();
    await register(t.engine, ask);
    const start = async () => {
      const run = await t.engine.start('w');
      await t.settle();
      return { run, secret: await t.engine.promptSecret((await promptAt(run, 'ask')).correlationId) };
    };
    const [answered, cancelled, expired] = [await start(), await start(), await start()];
    await t.engine.reply(answered.secret, 'yes');
    await cancelled.run.cancel();
    await t.advance(60_000);
    expect(await t.engine.reply(answered.secret, 'yes')).toEqual({ applied: false });
    await expect(t.engine.reply(answered.secret, 'no')).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
    await expect(t.engine.reply(cancelled.secret, 'yes')).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
    await expect(t.engine.reply(expired.secret, 'yes')).rejects.toMatchObject({ code: 'PROMPT_EXPIRED' });
  });

  host.testHere(
    '[PR1] looking resumes nothing; an engine that only reads makes secrets and cannot answer',
    async () => {
      const t = await host.open();
      const run = await launch(t, ask);
      const { correlationId: id } = await promptAt(run, 'ask');
      const secret = await t.engine.promptSecret(id);
      const reader = await openEngine(t.store, { clock: t.clock, readOnly: true });
      expect(await reader.prompts()).toEqual(await run.prompts());
      expect(await reader.promptSecret(id)).toBe(secret);
      await expect(reader.reply(secret, 1)).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
      await expect(reader.run(run.id).reply(id, 1)).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
      await t.settle();
      expect([await run.status(), await asking(run)]).toEqual(['waiting', ['ask']]);
    },
  );
});
