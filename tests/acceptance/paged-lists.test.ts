import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { register, workflow } from './token-engine.testsuite.ts';

onEveryHost('lists of what lies around', (host) => {
  test('[LS7] triggers and artifacts come whole, or page by page', async () => {
    const { engine } = await host.open();
    await register(engine, workflow('w', ['a']));
    for (const id of ['c', 'a', 'b']) await engine.triggers.create({ id, type: 'manual', workflow: 'w' });
    const triggers = async (page?: object) => (await engine.triggers.list(page)).map(({ id }) => id);
    expect([
      await triggers(),
      await triggers({ limit: 2 }),
      await triggers({ after: 'b' }),
      await triggers({ after: 'aa', limit: 1 }),
      await triggers({ after: 'c' }),
    ]).toEqual([['a', 'b', 'c'], ['a', 'b'], ['c'], ['b'], []]);

    for (const text of ['x', 'y', 'z']) await engine.artifacts.put(text, 'text/plain');
    const all = await engine.artifacts.list();
    expect(all).toHaveLength(3);
    expect(await engine.artifacts.list(undefined, { limit: 2 })).toEqual(all.slice(0, 2));
    expect(await engine.artifacts.list(undefined, { after: all[0]!.id, limit: 1 })).toEqual(all.slice(1, 2));
    expect(await engine.artifacts.list(undefined, { after: all[2]!.id })).toEqual([]);
  });
});
