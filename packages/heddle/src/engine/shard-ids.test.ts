import { expect, test } from 'vitest';
import { shardOf } from '../base/shard.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { createTestEngine } from '../testing/test-engine.ts';

const child = {
  id: 'child',
  initialNode: 'ask',
  nodes: [{ id: 'ask', input: { title: "'Go on?'" } }],
  transitions: [],
};
const parent = {
  id: 'parent',
  initialNode: 'call',
  nodes: [{ id: 'call', workflow: { id: 'child' } }],
  transitions: [],
};

test.each([0, 7])(
  '[RI2] [SW1] [IN1] a run in shard %i, its sub-run and what that asks say where they are',
  async (shard) => {
    const { engine, settle } = await createTestEngine({ store: Object.assign(memoryStore(), { shard }) });
    for (const definition of [child, parent]) expect((await engine.register(definition)).problems).toEqual([]);
    const run = await engine.start('parent');
    await settle();
    const [prompt] = await engine.prompts();
    const { runId: childRunId = '', correlationId = '' } = prompt ?? {};
    expect([run.id, childRunId, correlationId].map(shardOf)).toEqual([shard, shard, shard]);
    expect(childRunId).not.toBe(run.id);
    await engine.close();
  },
);
