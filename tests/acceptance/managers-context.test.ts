import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/heddle/src/exports.ts';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, journaled, openWith, startRun, tokensAt } from './managers.testsuite.ts';
import { flow, go, node, task } from './planning.testsuite.ts';

/** Tasks in a line, each with an output mapping. */
const line = (...mappings: object[]) => {
  const nodes = mappings.map((outputMapping, i) => task(`n${i}`, { outputMapping }));
  return flow(
    [...nodes, task('end')],
    [...nodes.slice(1), { id: 'end' }].map(({ id }, i) => go(`n${i}`, id)),
  );
};

onEveryHost('values', (host) => {
  test('[T383] a start validates the input and keeps it; what does not fit starts nothing', async () => {
    const inputSchema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    const engine = await openWith(host, [flow([task('a')], [], { inputSchema })]);
    await expect(engine.engine.start('w', { n: 'many' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      details: [{ pointer: '/n', message: expect.any(String) as string }],
    });
    await expect(engine.engine.start('w')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await engine.engine.runs({ subRuns: true })).toEqual([]);
    expect(engine.script.calls).toEqual([]);
    const run = await startRun(engine, 'w', { n: 1 });
    expect(await run.state()).toEqual({ runId: run.id, status: 'running', input: { n: 1 }, state: {}, output: {} });
  });

  test('[T384] nested paths are read', async () => {
    const inputMapping = {
      a: 'input.deep.list[1].x',
      b: 'state.m.n.o',
      c: "input['odd key'].y",
      none: 'input.deep.x.y',
    };
    const engine = await openWith(host, [
      flow([task('n', { outputMapping: { 'state.m.n.o': 'result.o' } }), task('b', { inputMapping })], [go('n', 'b')]),
    ]);
    await startRun(engine, 'w', { deep: { list: [{}, { x: 7 }] }, 'odd key': { y: true } });
    await answer(engine, 'n', { o: ['O'] });
    expect(callsAt(engine, 'b')[0]?.input).toEqual({ a: 7, b: ['O'], c: true });
  });

  test('[T385] whole sections are read, by people and by mappings', async () => {
    const inputMapping = { all: 'input', state: 'state', output: 'output' };
    const engine = await openWith(host, [
      flow(
        [task('a', { outputMapping: { 'state.x': 'result.x', 'output.y': 'result.y' } }), task('b', { inputMapping })],
        [go('a', 'b')],
      ),
    ]);
    const run = await startRun(engine, 'w', { n: 1 });
    await answer(engine, 'a', { x: 1, y: 2 });
    expect(callsAt(engine, 'b')[0]?.input).toEqual({ all: { n: 1 }, state: { x: 1 }, output: { y: 2 } });
    expect(await run.state()).toMatchObject({ input: { n: 1 }, state: { x: 1 }, output: { y: 2 } });
  });

  test('[T386] a look at the values is a copy: later writes do not change it, and changing it changes nothing', async () => {
    const engine = await openWith(host, [line({ 'state.a.x': 'result.x' }, { 'state.a.x': 'result.x' })]);
    const run = await startRun(engine, 'w', { n: { m: 1 } });
    await answer(engine, 'n0', { x: [1] });
    const before = await run.state();
    await answer(engine, 'n1', { x: [2] });
    expect(before.state).toEqual({ a: { x: [1] } });
    const after = await run.state();
    (after.state as { a: { x: number[] } }).a.x.push(3);
    (after.input as { n: { m: number } }).n.m = 2;
    expect(await run.state()).toMatchObject({ input: { n: { m: 1 } }, state: { a: { x: [2] } } });
  });

  test('[T387] a field is written, the fields beside it stay', async () => {
    const engine = await openWith(host, [
      line({ 'state.a': 'result' }, { 'state.a.x': 'result.x', 'state.b.c.d': 'result.x' }),
    ]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'n0', { x: 1, y: 2 });
    await answer(engine, 'n1', { x: 3 });
    expect((await run.state()).state).toEqual({ a: { x: 3, y: 2 }, b: { c: { d: 3 } } });
  });

  test('[T388] an object is replaced as a whole', async () => {
    const engine = await openWith(host, [line({ 'state.a': 'result', 'output.o': 'result' }, { 'state.a': 'result' })]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'n0', { x: 1, y: { z: 2 } });
    await answer(engine, 'n1', { q: 3 });
    expect(await run.state()).toMatchObject({ state: { a: { q: 3 } }, output: { o: { x: 1, y: { z: 2 } } } });
    expect((await run.state()).state).toEqual({ a: { q: 3 } });
  });

  test('[T389] an output mapping writes its values to their paths, and skips what is missing', async () => {
    const engine = await openWith(host, [
      line({ 'state.sum': 'result.a + result.b', 'output.list': '[result.a, input.n]', 'state.none': 'result.none' }),
    ]);
    const run = await startRun(engine, 'w', { n: 9 });
    await answer(engine, 'n0', { a: 1, b: 2 });
    expect(await run.state()).toMatchObject({ state: { sum: 3 }, output: { list: [1, 9] } });
    expect(await journaled(run, 'context.updated')).toMatchObject([
      {
        branch: [0, 0],
        writes: [
          ['state.sum', 3],
          ['output.list', [1, 9]],
        ],
      },
    ]);
  });

  const work = { outputMapping: { 'state.x': 'result.x', 'output.o': 'result.o' } };
  const merge = { source: '_branch.output', target: 'state.all', strategy: 'keyed_by_branch' };
  /** `work`, then `again` in every branch, then the join. */
  const branches = flow(
    [
      node('split'),
      task('work', work),
      task('again', { inputMapping: { x: 'state.x', shared: 'state.shared', mine: '_branch.output' } }),
      task('join', { inputMapping: { branch: '_branch', x: 'state.x', all: 'state.all' } }),
    ],
    [
      go('split', 'work', { foreach: { collection: 'input.items' }, siblingGroup: 'g' }),
      go('work', 'again'),
      go('again', 'join', { synchronization: { siblingGroup: 'g', strategy: 'all', merge } }),
    ],
    alarmsAreMeant,
  );

  test('[T390] what a branch writes, no other branch and nobody outside sees', async () => {
    const engine = await openWith(host, [branches]);
    const run = await startRun(engine, 'w', { items: [1, 2] });
    await answer(engine, 'work', { x: 'first', o: 1 }, 0);
    await answer(engine, 'work', {}, 0);
    const inputs = callsAt(engine, 'again').map(({ input }) => input);
    expect(inputs).toEqual([{ x: 'first', mine: { x: 'first', o: 1 } }, { mine: {} }]);
    expect(await run.state()).toMatchObject({ state: {}, output: {} });
    expect((await run.state()).state).toEqual({});
  });

  test('[T391][T392] the outputs are taken with their indices, and the merged value goes to its target', async () => {
    const engine = await openWith(host, [branches]);
    const run = await startRun(engine, 'w', { items: [1, 2, 3] });
    for (const position of [2, 1, 0]) await answer(engine, 'work', { x: `x${position}`, o: position }, position);
    for (const position of [1, 1]) await answer(engine, 'again', {}, position);
    expect((await run.state()).state).toEqual({});
    await answer(engine, 'again');
    const all: JsonObject = { 0: { x: 'x0', o: 0 }, 1: { x: 'x1', o: 1 }, 2: { x: 'x2', o: 2 } };
    expect(await journaled(run, 'branches.merged')).toMatchObject([
      { group: 1, branch: [0, 0], writes: [['state.all', all]] },
    ]);
    expect((await run.state()).state).toEqual({ all });
  });

  test('[T393] after the join the storage of its branches is gone', async () => {
    const engine = await openWith(host, [branches]);
    const run = await startRun(engine, 'w', { items: [1] });
    await answer(engine, 'work', { x: 1 });
    await answer(engine, 'again');
    expect((await tokensAt(run, 'join')).at(-1)?.input).toEqual({ all: { 0: { x: 1 } } });
    expect((await engine.engine.introspection.simulateSynchronization(run.id)).groups).toEqual([]);
    const later = await host.restart(engine, { scripted: ['work'] });
    expect((await later.engine.run(run.id).state()).state).toEqual({ all: { 0: { x: 1 } } });
  });

  test('[T390][T393] what branches wrote that never meet is dropped, and said to be', async () => {
    const engine = await openWith(host, [flow([node('s'), task('a', work)], [go('s', 'a', { spawnCount: 2 })])]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'a', { x: 1 });
    await answer(engine, 'a', { x: 2, o: 3 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: {} });
    expect(await journaled(run, 'branch.discarded')).toMatchObject([
      { branch: [1, 0], paths: ['state.x'] },
      { branch: [1, 1], paths: ['state.x', 'output.o'] },
    ]);
  });
});
