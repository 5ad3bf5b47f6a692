import { describe, expect, test } from 'vitest';
import { createEngine } from '../index.ts';
import { openEngine } from './engine.testsuite.ts';

const code = 'OPTION_INVALID';
/** As a program without types may have it. */
const untyped = (options: object): object => options;

describe('options', () => {
  test('[OP1] an unknown option is refused, with the one that was probably meant', async () => {
    const { engine } = await openEngine();
    await expect(createEngine(untyped({ actoins: {} }))).rejects.toMatchObject({
      code,
      message: 'Expected an option of createEngine, but found actoins; did you mean actions?',
    });
    await expect(engine.start('w', {}, untyped({ idempotencykey: 'x' }))).rejects.toMatchObject({ code });
    await expect(engine.runs(untyped({ statuss: 'x' }))).rejects.toMatchObject({ code });
  });

  test.each([{ concurrencyPerProcess: 0 }, { payloadBytesMax: -3 }, { payloadBytesMax: '4MB' }, { nestingMax: 1.5 }])(
    '[OP2] limits are whole numbers from 1 on: %o',
    async (limits) => {
      const [limit] = Object.keys(limits);
      await expect(createEngine(untyped({ limits }))).rejects.toMatchObject({ code, limit });
    },
  );

  test('[OP2] a limit that nobody knows is refused; one that is undefined has its default', async () => {
    await expect(createEngine(untyped({ limits: { foo: 3 } }))).rejects.toMatchObject({ code });
    const engine = await createEngine({ limits: untyped({ payloadBytesMax: undefined }) });
    await engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] });
    await expect(engine.start('w', 'x'.repeat(5_000_000))).rejects.toMatchObject({ limit: 'payloadBytesMax' });
    await engine.close();
  });

  test('[OP3] workflow, tags and keys are texts, or nothing starts', async () => {
    const { engine } = await openEngine();
    await engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] });
    for (const idempotencyKey of ['', null, 7, {}, 'x'.repeat(1_001)]) {
      await expect(engine.start('w', {}, untyped({ idempotencyKey }))).rejects.toMatchObject({ code });
    }
    for (const customer of [undefined, 42, '']) {
      await expect(engine.start('w', {}, untyped({ tags: { customer } }))).rejects.toMatchObject({ code });
    }
    await expect(engine.start(untyped({ id: 'w' }) as unknown as string)).rejects.toMatchObject({ code });
    expect(await engine.runs()).toEqual([]);
  });

  test('[OP8] options are an object, and each is of its kind', async () => {
    const { engine } = await openEngine();
    for (const options of [null, 5, 'text', ['a'], new Map(), Symbol('s')] as never[]) {
      await expect(engine.publish('e', {}, options)).rejects.toMatchObject({ code });
      await expect(engine.start('w', {}, options)).rejects.toMatchObject({ code });
      await expect(engine.prompts(options)).rejects.toMatchObject({ code });
    }
    for (const clock of [5, null, 'now', {}, { now: () => 0, schedule: () => undefined, defer: () => undefined }]) {
      await expect(createEngine(untyped({ clock }))).rejects.toMatchObject({ code });
    }
    const query = untyped({ limit: Symbol('s'), after: 1n, runId: {} }) as Record<string, never>;
    for (const [name, value] of Object.entries(query)) {
      await expect(engine.prompts({ [name]: value })).rejects.toMatchObject({ code });
      await expect(engine.runs({ limit: value })).rejects.toMatchObject({ code });
    }
    await expect(engine.publish('e', {}, { ttlMs: Object.create(null) as never })).rejects.toMatchObject({
      code,
      message: expect.stringContaining('but found an object'),
    });
  });

  test('[OP4] a status that does not exist is refused', async () => {
    const { engine } = await openEngine();
    await expect(engine.runs({ status: 'complet' })).rejects.toMatchObject({ code });
    expect(await engine.runs({ status: 'completed' })).toEqual([]);
  });

  test('[OP5] a store is a store', async () => {
    await expect(createEngine(untyped({ store: 42 }))).rejects.toMatchObject({ code });
  });

  test('[RN13] waiting for a result ends when the engine is closed', async () => {
    const { engine, settle } = await openEngine({ scripted: ['work'] });
    await engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] });
    const run = await engine.start('w');
    await settle();
    const waiting = expect(run.result()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    const seen: string[] = [];
    const following = (async () => {
      for await (const { type } of run.events()) seen.push(type);
    })();
    await settle();
    await engine.close({ graceMs: 0 });
    await waiting;
    await following;
    expect(seen).toEqual(['workflow.started', 'token.created', 'task.dispatched']);
    await expect(run.result()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });

  test('[DV5] whoever starts a workflow whose definition was refused hears why', async () => {
    const { engine } = await openEngine();
    await engine.register({ id: 'w', initialNode: 'b', nodes: [{ id: 'a' }] });
    await expect(engine.start('w')).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
      message: expect.stringContaining('its definition was refused: /initialNode'),
    });
  });
});
