import type { RunEvent } from 'heddle';
import { createTestEngine } from 'heddle/testing';
import { expect, test } from 'vitest';
import { draw, follow } from './board.testsuite.ts';

/** The events of a fan-out whose tasks have begun and not ended. */
async function beginning(size: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const { engine } = await createTestEngine({
    actions: { render: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)) },
    onEvent: (event) => void events.push(event),
  });
  await engine.register({
    id: 'film',
    initialNode: 'plan',
    nodes: [{ id: 'plan' }, { id: 'render', action: 'render' }],
    transitions: [{ from: 'plan', to: 'render', spawnCount: size, siblingGroup: 'scenes' }],
  });
  await engine.start('film');
  await engine.whenIdle();
  const told = events.slice();
  await engine.close({ graceMs: 0 });
  return told;
}

const runIdOf = (events: readonly RunEvent[]): string => events[0]?.runId ?? '';

test('how far tasks are is a bar with what they say; of several, how far they are together', async () => {
  const events = await beginning(2);
  const { board } = follow(events);
  const tell = (tokenId: number, fraction: number | null, message: string | null) =>
    board.tell({ runId: runIdOf(events), tokenId, nodeId: 'render', at: 0, details: null, fraction, message });
  expect(draw(board).at(-1)).toBe('    * render    ●●  0 of 2');
  tell(2, null, 'frame 1');
  expect(draw(board).at(-1)).toBe('    * render    ●●  frame 1');
  tell(2, 0.3, 'frame 3');
  tell(3, 0.5, null);
  expect(draw(board).at(-1)).toBe('    * render    ●●  ████████░░░░░░░░░░░░  40 %  frame 3');
  tell(2, 1, '\u001b[2Jdone');
  tell(3, 1, null);
  expect(draw(board).at(-1)).toBe('    * render    ●●  ████████████████████ 100 %  \\u001b[2Jdone');
});

test('what does not run has none; a task that is handed out again begins anew', async () => {
  const events = await beginning(1);
  const runId = runIdOf(events);
  const { board } = follow(events);
  const progress = { nodeId: 'render', at: 0, details: null, fraction: 0.5, message: null };
  expect(board.tell({ ...progress, runId, tokenId: 1 })).toBeNull();
  expect(board.tell({ ...progress, runId: 'other', tokenId: 2 })).toBeNull();
  expect(board.tell({ ...progress, runId, tokenId: 2 })).toMatchObject({ progress: { fraction: 0.5 } });
  const at = 1;
  board.add({ type: 'task.dispatched', token: 2, attempt: 2, dispatch: 2, input: {}, runId, id: '99.0', seq: 99, at });
  expect(draw(board).at(-1)).toBe('    * render    attempt 2');
});

test('a fan-out with too many tokens to draw has a bar of its own', async () => {
  const { board } = follow(await beginning(50));
  expect(draw(board).at(-1)).toMatch(/^ {4}\* render {4}● \d+ {2}(· \d+ {2})?░{20} {3}0 % {2}0 of 50$/);
});
