import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { openEngine } from './engine.testsuite.ts';

const line = { id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] };

test('[RN18] whoever stops waiting for a result is told so and leaves nothing; others wait on', async () => {
  const { engine, script, advance } = await openEngine({ scripted: ['work'] });
  await engine.register(line);
  const run = await engine.start('w', {});
  await advance(0);

  const patience = new AbortController();
  const impatient = run.result({ signal: patience.signal });
  const patient = engine.run(run.id).result({ signal: new AbortController().signal });
  patience.abort(new Error('no more time'));
  await expect(impatient).rejects.toThrow('no more time');
  await expect(run.result({ signal: patience.signal })).rejects.toThrow('no more time');
  expect(getEventListeners(patience.signal, 'abort')).toEqual([]);

  script.next('work').complete({});
  expect(await patient).toMatchObject({ status: 'completed' });
  expect(await run.result()).toMatchObject({ status: 'completed' });
});

test('[RN18] a wait that ends is over for its signal', async () => {
  const { engine, script, advance } = await openEngine({ scripted: ['work'] });
  await engine.register(line);
  const run = await engine.start('w', {});
  await advance(0);
  const { signal } = new AbortController();
  const result = run.result({ signal });
  script.next('work').complete({});
  expect(await result).toMatchObject({ status: 'completed' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
