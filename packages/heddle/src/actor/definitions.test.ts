import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { flow, task } from './actor.testsuite.ts';
import { Definitions } from './definitions.ts';

const one = flow([task('a')]);
const two = flow([task('b')]);
const open = () => {
  const store = memoryStore();
  return { store, definitions: new Definitions(store, defaultLimits) };
};

describe('registering', () => {
  test('[DV1] equal content is the version that it already is, whatever its meta', async () => {
    const { definitions, store } = open();
    const first = await definitions.register(one, 1);
    const again = await definitions.register({ ...one, meta: { colour: 'blue' } }, 2);
    expect([first.version, first.isNew, again.version, again.isNew, again.hash === first.hash]).toEqual([
      1,
      true,
      1,
      false,
      true,
    ]);
    expect(await definitions.register({ ...one, version: 1 }, 3)).toMatchObject({ version: 1, isNew: false });
    expect(await definitions.register({ ...one, version: 7 }, 4)).toMatchObject({ version: 1, isNew: false });
    expect(await store.listDefinitions()).toHaveLength(1);
  });

  test('[DV2] other content gets the next version, or the one it asks for if that is free', async () => {
    const { definitions } = open();
    await definitions.register(one, 1);
    expect(await definitions.register({ ...two, version: 7 }, 2)).toMatchObject({ version: 7, isNew: true });
    expect(await definitions.register(flow([task('c')]), 3)).toMatchObject({ version: 8, isNew: true });
    expect(await definitions.register({ ...flow([task('d')]), version: 7 }, 4)).toMatchObject({
      version: null,
      isNew: false,
      problems: [{ severity: 'error', code: 'VERSION_EXISTS', pointer: '/version' }],
    });
  });

  test('[DF92] a definition is held against the workflows that it calls, as they are registered', async () => {
    const { definitions } = open();
    const child = {
      ...one,
      id: 'child',
      inputSchema: { type: 'object', required: ['url'], properties: { url: {} }, additionalProperties: false },
      outputSchema: { type: 'object', properties: { score: {} }, additionalProperties: false },
    };
    const call = { workflow: 'child', inputMapping: { uri: 'input.url' }, outputMapping: { 'state.s': 'result.scor' } };
    const caller = { ...flow([{ id: 'x', ...call }]), id: 'caller' };
    await definitions.register(child, 1);
    const codesOf = async (definition: object) =>
      (await definitions.register(definition, 2)).problems.map(({ code, pointer }) => `${code} ${pointer}`);
    expect(await codesOf(caller)).toEqual([
      'FIELD_NOT_IN_SCHEMA /nodes/0/inputMapping/uri',
      'INPUT_MISSING /nodes/0/inputMapping',
      'FIELD_NOT_IN_SCHEMA /nodes/0/outputMapping/state.s',
    ]);
    await definitions.register({ ...one, id: 'child' }, 3);
    expect(await codesOf(caller)).toEqual([]);
    const first = { ...caller, nodes: [{ id: 'x', ...call, workflow: { id: 'child', version: 1 } }] };
    expect(await codesOf(first)).toHaveLength(3);
  });

  test('[DV3] a sub-workflow that is not registered yet is worth a warning, no more; itself never is', async () => {
    const { definitions } = open();
    const caller = {
      ...flow(
        [
          { id: 'x', workflow: 'missing' },
          { id: 'y', workflow: 'caller' },
        ],
        [{ from: 'x', to: 'y', condition: 'input.again' }],
      ),
      id: 'caller',
    };
    expect(await definitions.register(caller, 1)).toMatchObject({
      version: 1,
      problems: [{ severity: 'warning', code: 'WORKFLOW_NOT_REGISTERED', pointer: '/nodes/0/workflow' }],
    });
  });

  test('[DV5] nothing is stored of a definition with errors', async () => {
    const { definitions, store } = open();
    const { problems, version } = await definitions.register({ ...one, initialNode: 'nowhere', surprise: 1 }, 1);
    expect(problems.map(({ code }) => code).toSorted()).toEqual(['UNKNOWN_FIELD', 'UNKNOWN_NODE']);
    expect([version, await store.listDefinitions()]).toEqual([null, []]);
  });
});

describe('finding', () => {
  test('[DV4] without a version the latest; each is compiled once', async () => {
    const { definitions } = open();
    await definitions.register(one, 1);
    const first = await definitions.find('trial', null);
    expect(await definitions.find('trial', 1)).toBe(first);
    expect(await definitions.find('trial', null)).toBe(first);
    await definitions.register(two, 2);
    expect((await definitions.find('trial', null))?.version).toBe(2);
    expect(await definitions.find('trial', 1)).toBe(first);
    expect(await definitions.find('trial', 3)).toBeNull();
    await expect(definitions.mustFind('other', null)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });

  test.each(['no JSON', '{}', 'another'])(
    '[DV8] a version that is not what was registered is damaged: %s',
    async (body) => {
      const { definitions, store } = open();
      await definitions.register(one, 1);
      const row = await store.findDefinition('trial', 1);
      const other = JSON.stringify({ ...two, version: 1 });
      await store.saveDefinition({ ...row!, body: body === 'another' ? other : body });
      await expect(definitions.find('trial', 1)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    },
  );
});
