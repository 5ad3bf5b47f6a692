import type { CommanderError } from 'commander';
import { Command } from 'commander';
import type { OperationName } from 'heddle/operations';
import { expect, test } from 'vitest';
import { makeFlag } from './flags.ts';

/** What a command with one flag reads from these words; what it says where it refuses them. */
function read(operation: OperationName, member: string, ...words: string[]): unknown {
  const command = new Command('c').exitOverride().configureOutput({ writeErr: () => undefined });
  command.addOption(makeFlag(operation, member));
  try {
    return command.parse(words, { from: 'user' }).opts();
  } catch (error) {
    return (error as CommanderError).message; // nothing else is thrown while words are read
  }
}

test.each([
  ['listRuns', 'statuses', ['--status', 'failed', '--status', 'completed'], { statuses: ['failed', 'completed'] }],
  ['listRuns', 'tags', ['--tag', 'a=1', '--tag', 'b=x=y'], { tags: { a: '1', b: 'x=y' } }],
  ['listRuns', 'quarantined', ['--set-aside'], { quarantined: true }],
  ['listRuns', 'createdBefore', ['--until', '2026-01-02T00:00Z'], { createdBefore: Date.UTC(2026, 0, 2) }],
  ['listPrompts', 'limit', ['--limit', '1000'], { limit: 1_000 }],
  ['startRun', 'delayMs', ['--delay', '1.5s'], { delayMs: 1_500 }],
  ['startRun', 'ifFailed', ['--if-failed', 'retry'], { ifFailed: 'retry' }],
  ['startRun', 'idempotencyKey', ['--idempotency-key', 'k'], { idempotencyKey: 'k' }],
  [
    'createKey',
    'scopes',
    ['--scope', 'run:read, run:start', '--scope', '*'],
    { scopes: ['run:read', 'run:start', '*'] },
  ],
  // `--key` is the key for the server.
  ['replyToPrompt', 'key', ['--reply-key', 'k'], { replyKey: 'k' }],
] as const)('%s: %s', (operation, member, words, expected) =>
  expect(read(operation, member, ...words)).toEqual(expected),
);

test.each([
  ['listRuns', 'statuses', ['--status', 'bogus'], 'Allowed choices are submitted, running'],
  ['listRuns', 'tags', ['--tag', 'a'], 'Write it as key=value.'],
  ['listRuns', 'createdAfter', ['--since', 'yesterday'], 'Write a time such as 30m, 2h or 7d, or a date'],
  ['listPrompts', 'limit', ['--limit', '1001'], 'Write a number from 1 to 1000.'],
  ['startRun', 'version', ['--workflow-version', '0'], 'Write a number from 1 on.'],
  ['startRun', 'delayMs', ['--delay', '5'], 'Write a time such as 500ms, 90s'],
  ['createKey', 'scopes', ['--scope', 'run:read,run:reed'], 'Allowed choices are *, definition:read'],
] as const)('%s: %s is refused: %j', (operation, member, words, expected) =>
  expect(read(operation, member, ...words)).toContain(expected),
);

test('its text is that of the table, with how it is written', () => {
  const text = (operation: OperationName, member: string) => makeFlag(operation, member).description;
  expect(text('cancelRun', 'reason')).toBe('why');
  expect(text('listRuns', 'tags')).toBe('only runs with these tags; may be given again');
  expect(text('listRuns', 'createdAfter')).toBe('only runs started then or later: 30m, 2h or 7d ago, or a date');
  expect(text('rotateKey', 'graceMs')).toMatch(/: 90s, 10m, 2h \(default: a day\)$/);
});

test('what no flag can stand for is a fault of ours', () => {
  expect(() => makeFlag('startRun', 'input')).toThrow('Expected input to be what one word can say, but it is json');
  expect(() => makeFlag('startRun', 'nope')).toThrow('Expected startRun to take nope, but it does not');
});
