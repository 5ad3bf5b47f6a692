import { expect, test } from 'vitest';
import { openEngine } from './engine.testsuite.ts';

test('[DV11] a list of definitions has what their authors say of them, in short', async () => {
  const { engine } = await openEngine();
  const step = { initialNode: 'a', nodes: [{ id: 'a', input: { title: 'Well?', description: 'Of a node' } }] };
  const long = `${'x'.repeat(198)}😀${'y'.repeat(100)}`;
  await engine.register({ ...step, id: 'described', description: 'From the basket to the parcel.' });
  await engine.register({ ...step, id: 'long', description: long });
  await engine.register({ ...step, id: 'silent' });
  const listed = await engine.definitions();
  expect(listed.map(({ id, description }) => [id, description])).toEqual([
    ['described', 'From the basket to the parcel.'],
    ['long', `${'x'.repeat(198)}…`],
    ['silent', undefined],
  ]);
});
