import { expect, test } from 'vitest';
import type { ObjectReference } from '../../packages/heddle/src/base/object-reference.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { type Fields, go, register, workflow } from './token-engine.testsuite.ts';

type ReferenceContext = ActionContext & { readonly input: { readonly file: ObjectReference } };

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Actions that write, read and list artifacts. */
const actions = {
  write: async ({ artifacts, input }: ActionContext) => {
    return { file: await artifacts.put(input['text'] as string, 'text/plain') };
  },
  read: async ({ artifacts, input }: ActionContext) => {
    const { bytes, mimeType } = await artifacts.get(input['file'] as ObjectReference);
    return { text: decode(bytes), mimeType };
  },
  list: async ({ artifacts }: ActionContext) => ({ files: await artifacts.list() }),
};

const write: Fields = {
  id: 'write',
  action: 'write',
  inputMapping: { text: 'input.text' },
  outputMapping: { 'state.file': 'result.file' },
};
const read = (file: string): Fields => ({
  id: 'read',
  action: 'read',
  inputMapping: { file },
  outputMapping: { 'output.text': 'result.text', 'output.mimeType': 'result.mimeType' },
});

/** Writes the input's text, then reads what it wrote. */
const roundTrip = workflow('round-trip', [write, read('state.file')], [go('write', 'read')]);

/** Reads the file that its input names. */
const reader = workflow('reader', [read('input.file')]);

/** Writes, then has a sub-workflow read it. */
const parent = (id: string, child: string, call: Fields): Fields =>
  workflow(
    id,
    [
      write,
      {
        id: 'call',
        workflow: { id: child, ...call },
        inputMapping: { file: 'state.file' },
        outputMapping: { 'output.text': 'result.text' },
      },
    ],
    [go('write', 'call')],
  );

/** Has a sub-workflow write, then reads what that answers with. */
const asker = workflow(
  'asker',
  [
    {
      id: 'call',
      workflow: 'writer',
      inputMapping: { text: 'input.text' },
      outputMapping: { 'state.file': 'result.file' },
    },
    read('state.file'),
  ],
  [go('call', 'read')],
);
const answering = workflow('writer', [{ ...write, outputMapping: { 'output.file': 'result.file' } }]);

/** Fetches a page, then measures it. */
const measuring = workflow(
  'measuring',
  [
    { id: 'fetch', action: 'fetch', retry: { maxAttempts: 3 }, outputMapping: { 'state.page': 'result.page' } },
    { id: 'measure', outputMapping: { 'output.size': 'size(state.page)' } },
  ],
  [go('fetch', 'measure')],
);

onEveryHost('artifacts', (host) => {
  test('[AR9] a result above payloadBytesMax fails its task, once, and says what to do', async () => {
    const fetch = () => ({ page: 'x'.repeat(5_000) });
    const { engine } = await host.open({ actions: { fetch }, limits: { payloadBytesMax: 4_000 } });
    await register(engine, measuring);
    const run = await engine.start('measuring');
    const { status, error } = await run.result();
    expect({ status, error }).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', nodeId: 'fetch', attempts: 1 },
    });
    expect(error?.message).toMatch(/at most 4000 bytes .*payloadBytesMax.* it has 5011; .*artifacts\.put.* raise/);
    expect(await engine.artifacts.list(run.id)).toEqual([]);
  });

  test('[AR9] a result as large as payloadBytesMax keeps its type', async () => {
    const fetch = () => ({ page: 'x'.repeat(3_989) });
    const { engine } = await host.open({ actions: { fetch }, limits: { payloadBytesMax: 4_000 } });
    await register(engine, measuring);
    const run = await engine.start('measuring');
    expect(await run.result()).toMatchObject({ status: 'completed', output: { size: 3_989 } });
  });

  test('[AR7] what a sub-run puts, its caller reads', async () => {
    const { engine } = await host.open({ actions });
    await register(engine, answering, asker);
    const run = await engine.start('asker', { text: 'hello' });
    expect((await run.result()).output).toEqual({ text: 'hello', mimeType: 'text/plain' });
    expect(await engine.artifacts.list(run.id)).toHaveLength(1);
  });

  test('[AR1][AR2] bytes go from node to node as a reference, which is JSON', async () => {
    const { engine } = await host.open({ actions });
    await register(engine, roundTrip);
    const run = await engine.start('round-trip', { text: 'hello' });
    expect(await run.result()).toMatchObject({ output: { text: 'hello', mimeType: 'text/plain' } });
    const [file] = await engine.artifacts.list(run.id);
    expect((await run.state()).state).toEqual({ file });
    expect(file).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), mimeType: 'text/plain' });
  });

  test('[AR2] they are there after a restart, in the run and for the program', async () => {
    const before = await host.open({ actions: { write: actions.write }, scripted: ['read'] });
    await register(before.engine, roundTrip);
    const { id } = await before.engine.start('round-trip', { text: 'hello' });
    await expect.poll(() => before.script.calls.length).toBe(1);
    const after = await host.restart(before, { actions });
    expect(await after.engine.run(id).result()).toMatchObject({ output: { text: 'hello' } });
    const [file] = await after.engine.artifacts.list(id);
    expect(decode((await after.engine.artifacts.get(file as ObjectReference)).bytes)).toBe('hello');
  });

  test('[AR4][AR6] what the program puts, every run may read', async () => {
    const { engine } = await host.open({ actions });
    await register(engine, reader);
    const image = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255]);
    const file = await engine.artifacts.put(image, 'image/png');
    expect(await engine.artifacts.get(file)).toEqual({ bytes: image, mimeType: 'image/png' });
    expect(await engine.artifacts.list()).toEqual([file]);
    const results = [1, 2].map(async () => (await engine.start('reader', { file })).result());
    for (const result of await Promise.all(results))
      expect(result.output).toEqual({ text: decode(image), mimeType: 'image/png' });
  });

  test('[AR4] what another run has put is not found, and the failure says so', async () => {
    const { engine } = await host.open({ actions });
    await register(engine, roundTrip, reader);
    const other = await engine.start('round-trip', { text: 'hello' });
    await other.result();
    const [file] = await engine.artifacts.list(other.id);
    const run = await engine.start('reader', { file });
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: {
        code: 'ARTIFACT_NOT_FOUND',
        message: `Expected an artifact of run ${run.id}, or one for every run, but none of them has put ${file?.id}`,
      },
    });
  });

  test('[T062][AR4] a sub-workflow sees its own artifacts only, unless the call lets it inherit', async () => {
    const { engine } = await host.open({ actions });
    await register(engine, reader, parent('alone', 'reader', {}), parent('heir', 'reader', { inheritArtifacts: true }));
    expect(await (await engine.start('alone', { text: 'hello' })).result()).toMatchObject({
      status: 'failed',
      error: { code: 'ARTIFACT_NOT_FOUND' },
    });
    expect(await (await engine.start('heir', { text: 'hello' })).result()).toMatchObject({ output: { text: 'hello' } });
  });

  test('[AR4] artifacts are inherited as far down as each call says', async () => {
    const { engine } = await host.open({ actions });
    const between = (id: string, inheritArtifacts: boolean): Fields =>
      workflow(id, [
        {
          id: 'call',
          workflow: { id: 'reader', inheritArtifacts },
          inputMapping: { file: 'input.file' },
          outputMapping: { 'output.text': 'result.text' },
        },
      ]);
    await register(engine, reader, between('open', true), between('shut', false));
    await register(engine, parent('to-open', 'open', { inheritArtifacts: true }));
    await register(engine, parent('to-shut', 'shut', { inheritArtifacts: true }));
    await register(engine, parent('not-at-all', 'open', {}));
    const statusOf = async (id: string) => (await (await engine.start(id, { text: 'hello' })).result()).status;
    expect(await statusOf('to-open')).toBe('completed');
    expect(await statusOf('to-shut')).toBe('failed');
    expect(await statusOf('not-at-all')).toBe('failed');
  });

  test('[AR4] a retry reads what the run before it put', async () => {
    let isBroken = true;
    const flaky = (context: ReferenceContext) => {
      if (isBroken) throw new Error('not yet');
      return actions.read(context);
    };
    const { engine } = await host.open({ actions: { ...actions, read: flaky } });
    await register(engine, roundTrip);
    const run = await engine.start('round-trip', { text: 'hello' });
    expect((await run.result()).status).toBe('failed');
    isBroken = false;
    expect(await (await run.retry()).result()).toMatchObject({ output: { text: 'hello' } });
  });

  test('[AR6] an action lists what its run has put', async () => {
    const { engine } = await host.open({ actions });
    const list = { id: 'list', action: 'list', outputMapping: { 'output.files': 'result.files' } };
    await register(engine, workflow('w', [write, list], [go('write', 'list')]));
    await engine.artifacts.put('for all', 'text/plain');
    const run = await engine.start('w', { text: 'hello' });
    const { output } = await run.result<{ files: ObjectReference[] }>();
    expect(output?.files).toEqual(await engine.artifacts.list(run.id));
    expect(output?.files).toHaveLength(1);
    expect(await engine.artifacts.list('unknown')).toEqual([]);
  });

  test('[AR3] the limit of the engine, and a lower one of a workflow, are named', async () => {
    const { engine } = await host.open({ actions, limits: { artifactBytesMax: 100 } });
    await register(engine, { ...roundTrip, limits: { artifactBytesMax: 4 } });
    expect(await (await engine.start('round-trip', { text: 'hello' })).result()).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringMatching(/4 bytes .*artifactBytesMax, but found 5/) },
    });
    await expect(engine.artifacts.put(new Uint8Array(101), 'a/b')).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'artifactBytesMax',
    });
    expect(await engine.artifacts.list()).toEqual([]);
  });

  host.testReadOnly('what may not be written is told', async () => {
    const writer = await host.open({ actions });
    const file = await writer.engine.artifacts.put('hello', 'text/plain');
    const { engine } = await host.restart(writer, { readOnly: true });
    expect(decode((await engine.artifacts.get(file)).bytes)).toBe('hello');
    await expect(engine.artifacts.put('x', 'text/plain')).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
  });

  test('what is not there is told', async () => {
    const { engine } = await host.open({ actions });
    const file = await engine.artifacts.put('hello', 'text/plain');
    const absent = { ...file, id: '0'.repeat(64) };
    await expect(engine.artifacts.get(absent)).rejects.toMatchObject({
      code: 'ARTIFACT_NOT_FOUND',
      message: `Expected an artifact ${absent.id}, but nobody has put it`,
    });
  });
});
