import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { defaultLimits } from '../../../definition/limits.ts';
import type { ActionContext, ActionFunction } from '../../../executor/action.ts';
import { ActionError } from '../../../executor/action-error.ts';
import { describeThrow } from '../../../executor/describe-throw.ts';
import { InvalidActionsError } from '../../../executor/registry.ts';
import { addExecutors, defineExecutors, type NodeExecutor, type NodeExecutorParams } from './node-executor.ts';

const { signal } = new AbortController();

const contextOf = (input: JsonObject, more: Partial<ActionContext>): ActionContext =>
  ({ input, signal, attempt: 2, idempotencyKey: 'key', nodeId: 'n', ...more }) as ActionContext; // all that is read

/** Calls an executor as the engine calls its action. */
function call(executor: NodeExecutor, more: Partial<ActionContext> = {}): Promise<unknown> {
  const { X } = defineExecutors({ X: executor });
  return (X as ActionFunction)(
    contextOf({ data: { url: 'u' }, nodeId: 'n', context: { a: 1 } }, more),
  ) as Promise<unknown>;
}

/** The failure that the engine makes of what an executor throws. */
async function failureOf(executor: NodeExecutor) {
  const error = await call(executor).catch((thrown: unknown) => thrown);
  return describeThrow(error, { now: 0, limits: defaultLimits });
}

describe('what an executor is given', () => {
  test('[T268][HN11] data, nodeId, runId, context, step, publish and artifacts', async () => {
    const seen: NodeExecutorParams[] = [];
    const published: unknown[][] = [];
    const publish: ActionContext['publish'] = async (...event) => {
      published.push(event);
      return {} as Awaited<ReturnType<ActionContext['publish']>>; // not looked at
    };
    const executor: NodeExecutor = async (params) => {
      seen.push(params);
      await params.publish('paid', { n: 1 });
      return { ...params.context, b: 2 };
    };
    const artifacts = {} as ActionContext['artifacts']; // handed on, not used
    expect(await call(executor, { publish, artifacts, runId: 'r' })).toEqual({ a: 1, b: 2 });
    expect(seen).toEqual([
      {
        data: { url: 'u' },
        nodeId: 'n',
        runId: 'r',
        context: { a: 1 },
        step: { attempt: 2, idempotencyKey: 'key', signal, run: expect.any(Function) },
        publish,
        artifacts,
      },
    ]);
    expect(seen[0]?.artifacts).toBe(artifacts);
    expect(published).toEqual([['paid', { n: 1 }]]);
  });

  test('[HN38] its steps are those of the action', async () => {
    const step: ActionContext['step'] = { run: async (name, work) => work({ idempotencyKey: `key/${name}` }) };
    const executor: NodeExecutor = async (params) => ({
      key: await params.step.run('fetch', ({ idempotencyKey }) => idempotencyKey),
    });
    expect(await call(executor, { step })).toEqual({ key: 'key/fetch' });
  });
});

describe('what an executor returns', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a string', 'ok'],
    ['an empty text', ''],
  ])('[HN31] %s is no context', async (found, returned) => {
    const { failure, retryable } = await failureOf(() => returned as never);
    expect(failure).toMatchObject({
      code: 'CONTEXT_INVALID',
      message: `Expected executor "X" of node "n" to return the context, but it returned ${found}`,
    });
    expect(retryable).toBe(false);
  });
});

describe('what an executor throws', () => {
  test('keeps its code, its details, whether it may be tried again, and its stack', async () => {
    const error = new ActionError('too much', {
      code: 'RATE_LIMITED',
      details: { left: 0 },
      retryable: false,
      retryAfterMs: 7,
    });
    const { stack } = error;
    expect(
      await failureOf(() => {
        throw error;
      }),
    ).toEqual({
      failure: {
        code: 'RATE_LIMITED',
        message: 'too much',
        details: { left: 0 },
        thrown: { name: 'ActionError', stack },
      },
      retryable: false,
      retryAfterMs: 7,
    });
  });
});

describe('beside actions', () => {
  const executor: NodeExecutor = ({ context }) => context;

  test('[HN30] an executor is an action by the name of its type, whatever form the actions have', () => {
    const action = () => 1;
    expect(addExecutors({ a: action }, { X: executor })).toEqual({
      actions: { a: action, X: expect.any(Function) },
      problems: [],
    });
    expect(addExecutors([{ name: 'a', run: action }], { X: executor })).toEqual({
      actions: [
        { name: 'a', run: action },
        { name: 'X', run: expect.any(Function) },
      ],
      problems: [],
    });
  });

  test('[HN30] a name that is taken and what is no function are refused, all at once; the others are actions', () => {
    const problem = (pointer: string, code: string, message: string) => ({ severity: 'error', code, pointer, message });
    for (const actions of [{ X: () => 1 }, [{ name: 'X', run: () => 1 }]]) {
      const { actions: made, problems } = addExecutors(actions, { X: executor, Y: 'no' as never, Z: executor });
      expect(problems).toEqual([
        problem('/X', 'DUPLICATE_NAME', 'Expected the name of an executor, but "X" is an action already'),
        problem('/Y', 'WRONG_TYPE', 'Expected executor "Y" to be a function, but found a string'),
      ]);
      expect(Object.keys(made)).toHaveLength(2);
    }
  });

  test('[HN30] a set of executors that cannot be used is refused where it is defined', () => {
    const define = () => defineExecutors({ X: 'no' as never, Y: null as never });
    expect(define).toThrow(InvalidActionsError);
    expect(define).toThrow(
      '/X: Expected executor "X" to be a function, but found a string\n' +
        '/Y: Expected executor "Y" to be a function, but found null',
    );
  });
});
