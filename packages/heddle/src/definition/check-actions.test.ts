import { describe, expect, test } from 'vitest';
import { actionHint } from './built-in-actions.ts';
import { problemsOf } from './problems.testsuite.ts';

const node = (parts: object): string[] => problemsOf({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', ...parts }] });

const unknown = (pointer: string, name: string, known = '') =>
  `error UNKNOWN_ACTION ${pointer}: Expected a built-in action for node "a" (core.echo, core.fail, core.flaky, core.sleep${known}), but there is no "${name}"`;

describe('[DF59] a core action that does not exist', () => {
  test('in a token definition, by its name and as an object', () => {
    expect(node({ action: 'core.ecko' })).toEqual([
      `${unknown('/nodes/0/action', 'core.ecko')} | Did you mean "core.echo"?`,
    ]);
    expect(node({ action: { name: 'core.http', version: 1 } })).toEqual([
      `${unknown('/nodes/0/action/name', 'core.http')} | Did you mean "http.request"?`,
    ]);
  });

  test('in a thread', () => {
    const nodes = [
      { id: 's', type: 'start' },
      { id: 'a', type: 'action', action: 'core.noop' },
    ];
    const connectors = [{ from: 's', to: 'a' }];
    expect(problemsOf({ dialect: 'thread', id: 'w', nodes, connectors })).toEqual([
      unknown('/nodes/1/action', 'core.noop'),
    ]);
  });

  test('in a dataflow graph, which has one name more, and in a handle graph', () => {
    const drawn = (dialect: string, type: string) => problemsOf({ dialect, id: 'w', nodes: [{ id: 'a', type }] });
    expect(drawn('dataflow', 'core.sleeep')).toEqual([
      `${unknown('/nodes/0/type', 'core.sleeep', ', core.input')} | Did you mean "core.sleep"?`,
    ]);
    expect(drawn('dataflow', 'core.input')).toEqual([]);
    expect(drawn('handle', 'core.input')).toEqual([unknown('/nodes/0/type', 'core.input')]);
  });

  test('all that exist, and all other names', () => {
    for (const action of ['core.echo', 'core.fail', 'core.flaky', 'core.sleep', 'corecho', 'http.get'])
      expect(node({ action })).toEqual([]);
  });

  test('what was probably meant', () => {
    const known = ['core.echo', 'core.sleep', 'http.request', 'score'];
    const names = ['echo', 'http.get', 'fetch', 'https', 'scroe', 'nothing.like.it'];
    expect(names.map((name) => actionHint(name, known))).toEqual([
      'Did you mean "core.echo"?',
      'Did you mean "http.request"?',
      'Did you mean "http.request"?',
      'Did you mean "http.request"?',
      'Did you mean "score"?',
      undefined,
    ]);
    expect(actionHint('fetch', ['score'])).toBeUndefined();
  });
});

describe('[DF60] errors that are tried again', () => {
  const retried = (codes: readonly string[], action = 'score', parts: object = {}) =>
    node({ action, retry: { maxAttempts: 2, retryableErrors: codes }, ...parts });

  test('a code is a word', () => {
    expect(retried(['card_declined', 'States.Timeout', 'E/1', 'HTTP_TIMEOUT'])).toEqual([]);
    expect(retried(['', 'card declined', ' X', 'A\nB'])).toEqual(
      ['""', '"card declined"', '" X"', '"A\\nB"'].map((text, index) =>
        expect.stringContaining(
          `error INVALID_NAME /nodes/0/retry/retryableErrors/${index}: Expected "retryableErrors[${index}]" of node "a" to be an error code, but found the text ${text} | `,
        ),
      ),
    );
  });

  test('it is listed once', () => {
    expect(retried(['A', 'B', 'A'])).toEqual([
      'warning NO_EFFECT /nodes/0/retry/retryableErrors/2: Expected each code in "retryableErrors" of node "a" once, but "A" is there again',
    ]);
  });

  test('a built-in action can fail with it', () => {
    expect(retried(['HTTP_503', 'HTTP_STATUS', 'TASK_TIMEOUT'], 'http.request')).toEqual([
      'warning NEVER_MATCHES /nodes/0/retry/retryableErrors/0: Expected "retryableErrors" of node "a" to list codes that http.request can be retried for (HTTP_STATUS, HTTP_TIMEOUT, HTTP_CONNECTION_FAILED, TASK_TIMEOUT, TASK_LOST), but found "HTTP_503" | Statuses all fail with HTTP_STATUS; only those that may pass are retried.',
    ]);
    const told = (code: string) => retried(['A'], 'core.fail', { inputMapping: { code } });
    expect([told("'A'"), told('"A"'), told('input.code'), retried(['ACTION_FAILED'], 'core.fail')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect([told("'B'"), retried(['A'], 'core.flaky'), retried(['A'], 'core.echo')]).toEqual([
      [expect.stringContaining('(B, TASK_TIMEOUT, TASK_LOST), but found "A"')],
      [expect.stringContaining('(FLAKY, TASK_TIMEOUT, TASK_LOST), but found "A"')],
      [expect.stringContaining('(TASK_TIMEOUT, TASK_LOST), but found "A"')],
    ]);
  });
});
