import type { RunEvent } from 'heddle';
import { createTestEngine } from 'heddle/testing';
import { expect, test } from 'vitest';
import { draw, follow } from './board.testsuite.ts';
import { table } from './table.ts';

function fanOut(size: number) {
  return {
    id: 'fan',
    initialNode: 'start',
    nodes: [
      { id: 'start' },
      {
        id: 'work',
        action: 'core.echo',
        inputMapping: { i: '_branch.index' },
        outputMapping: { 'state.i': 'result.i' },
      },
      { id: 'join', workflow: 'child', inputMapping: { all: 'state.all' } },
    ],
    transitions: [
      { from: 'start', to: 'work', spawnCount: size, siblingGroup: 'g' },
      {
        from: 'work',
        to: 'join',
        synchronization: {
          strategy: 'all',
          siblingGroup: 'g',
          merge: { source: '_branch.output.i', target: 'state.all', strategy: 'append' },
        },
      },
    ],
  };
}

const child = {
  id: 'child',
  initialNode: 'flaky',
  nodes: [{ id: 'flaky', action: 'core.flaky', inputMapping: { failures: '1' }, retry: { maxAttempts: 2 } }],
};

async function eventsOf(size: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const virtual = await createTestEngine({ onEvent: (event) => void events.push(event) });
  const { engine } = virtual;
  for (const definition of [child, fanOut(size)]) await engine.register(definition);
  const run = await engine.start('fan');
  await virtual.advance(60_000);
  expect(await run.status()).toBe('completed');
  await engine.close();
  return events;
}

test('a finished run is drawn with a sign for each visit, and the runs that it called below', async () => {
  const { board } = follow(await eventsOf(3));
  expect(draw(board)).toEqual([
    '  fan v1  RUN  completed',
    '    ✓ start',
    '    ✓ work      ✓✓✓  3 of 3',
    '    ✓ join',
    '        child v1  RUN  completed',
    '          ✓ flaky     at attempt 2',
  ]);
});

test('while branches are missing, the join shows who waits', async () => {
  const events = await eventsOf(3);
  const untilSecond = events.findIndex((event) => event.type === 'task.completed' && event.token === 3);
  const { board } = follow(events.slice(0, untilSecond));
  expect(draw(board)).toEqual([
    '  fan v1  RUN  running',
    '    ✓ start',
    '    * work      ✓●●  1 of 3',
    '    ◷ join      waiting for the others',
  ]);
});

test('events that come twice change nothing', async () => {
  const events = await eventsOf(3);
  const once = follow(events);
  const rootRunId = events[0]!.runId;
  const twice = follow(events.flatMap((event, index) => [event, ...events.slice(0, index + 1)]));
  expect(twice.lines).toEqual(once.lines);
  expect(draw(twice.board)).toEqual(draw(once.board));
  expect(once.board.lastSeen(rootRunId)).toBe(events.findLast(({ runId }) => runId === rootRunId)!.id);
});

test('as lines: each step, the fan-out, the join, the retry', async () => {
  const { lines } = follow(await eventsOf(2));
  expect(lines.toSorted()).toEqual(
    [
      'fan: started, version 1, run RUN',
      'start: fans out into 2 branches',
      'work[0]: starts',
      'work[1]: starts',
      'work[0]: done in',
      'work[1]: done in',
      'join/g: joins 2 branches',
      'join: calls child, run RUN',
      'child: started, version 1, run RUN',
      'flaky: starts',
      'flaky: attempt 1 failed, again in: FLAKY: Expected success from attempt 2 on, but this is attempt 1',
      'flaky: starts, attempt 2',
      'flaky: done in',
      'child: completed in',
      'fan: completed in',
    ].toSorted(),
  );
});

test('many tokens are counted, in tenths', async () => {
  const { board, lines } = follow(await eventsOf(200));
  expect(draw(board)[2]).toBe('    ✓ work      ✓ 200  200 of 200');
  const work = lines.filter((line) => line.startsWith('work'));
  expect(work).toEqual(
    ['20', '40', '60', '80', '100', '120', '140', '160', '180', '200'].map((n) => `work: ${n} of 200 done`),
  );
});

test('columns line up by what is seen', () => {
  expect(
    table(
      [
        ['a', 'bb', 'c'],
        ['\u001b[31maaa\u001b[39m', 'b', 'c'],
      ],
      '> ',
    ),
  ).toEqual(['> a    bb  c', '> \u001b[31maaa\u001b[39m  b   c']);
});
