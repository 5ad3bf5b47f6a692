import { expect, test } from 'vitest';
import { createEngine } from '../index.ts';

const handle = { dialect: 'handle', id: 'h', nodes: [{ id: 'a', type: 'htpp' }], connections: [] };
const token = { id: 't', initialNode: 'a', nodes: [{ id: 'a', action: 'htpp' }] };

test('[DV7] an action that nobody has is worth a warning, with the one that was probably meant', async () => {
  const engine = await createEngine({ actions: { http: async () => ({}) } });
  const warning = {
    severity: 'warning',
    code: 'ACTION_NOT_REGISTERED',
    message: 'Expected an action named "htpp" for node "a", but this engine has none',
    hint: 'Did you mean "http"?',
  };
  expect(await engine.register(handle)).toMatchObject({
    version: 1,
    problems: [{ ...warning, pointer: '/nodes/0/type' }],
  });
  expect((await engine.register(token)).problems).toEqual([{ ...warning, pointer: '/nodes/0/action' }]);
});

test('[DV7] it points to the node as it was drawn, beside notes, and is told without registering too', async () => {
  const engine = await createEngine({ actions: { http: async () => ({}) } });
  const drawn = { ...handle, nodes: [{ id: 'n', type: 'note' }, ...handle.nodes] };
  expect(engine.validate(drawn).map(({ pointer }) => pointer)).toEqual(['/nodes/1/type']);
});

test('[DV7] where actions can be loaded later nothing is said', async () => {
  const engine = await createEngine({ loadAction: () => undefined });
  expect((await engine.register(token)).problems).toEqual([]);
});
