import { expect, test, vi } from 'vitest';
import { checkedOptions, refusedDefinition } from './checked-options.ts';
import { type HeddleOptions, report } from './options.ts';
import type { TaskQueue } from './task-queue.ts';

interface Env {
  readonly HEDDLE?: object;
  readonly KEY?: string;
}

const given: HeddleOptions<Env> = { objects: (env) => env.HEDDLE as never, key: (env) => env.KEY as never };

test.each([
  [{ key: given.key }, 'Expected objects to be a function of env, as objects: (env) => …, but found nothing'],
  [{ ...given, key: 'abc' }, 'Expected key to be a function of env, as key: (env) => …, but found "abc"'],
  [{ ...given, engine: {} }, 'Expected engine to be a function of env, as engine: (env) => …, but found an object'],
  [{ ...given, definitions: {} }, 'Expected definitions to be a list, but found an object'],
  [{ ...given, action: {} }, /^Expected an option of heddle, but found action/],
])('[OP1] what a program says wrongly is refused when it is loaded', (options, message) => {
  expect(() => checkedOptions(options as never)).toThrow(message);
});

test('[HT1] what the environment lacks is said when it is needed, with what to do', () => {
  const { objects, key, secretKey, pages, queues } = checkedOptions<Env>({
    ...given,
    secretKey: ({ KEY }) => KEY as never,
    pages: () => ({}) as never,
    queues: (env) => ({ resize: { queue: (env as { TASKS?: TaskQueue }).TASKS as never } }),
  });
  const codeOf = (ask: () => unknown): unknown => {
    try {
      return ask();
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(codeOf(() => key({}))).toBe('KEY_NEEDED');
  expect(codeOf(() => key({ KEY: '' }))).toBe('KEY_NEEDED');
  expect(codeOf(() => secretKey?.({}))).toBe('KEY_NEEDED');
  expect(codeOf(() => objects({}))).toBe('BINDING_MISSING');
  expect(codeOf(() => pages?.({}))).toBe('BINDING_MISSING');
  expect(codeOf(() => queues?.({}))).toBe('BINDING_MISSING');
  const TASKS: TaskQueue = { sendBatch: () => Promise.resolve() };
  expect(queues?.({ TASKS } as Env)).toEqual({ resize: { queue: TASKS } });
  expect(() => objects({})).toThrow(
    /but found nothing\. Name it in wrangler\.jsonc as the program does: "durable_objects"/,
  );
  expect(key({ KEY: 'abc' })).toBe('abc');
  const HEDDLE = { idFromName: () => ({}), get: () => ({}) };
  expect(objects({ HEDDLE })).toBe(HEDDLE);
});

test('[DO6] a definition that is refused is told in the log once, with its problems and what may have been meant', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    const hint = 'Did you mean "greet"?';
    const problem = {
      severity: 'error',
      code: 'UNKNOWN_NODE',
      pointer: '/initialNode',
      message: 'No "gret"',
      hint,
    } as const;
    report({}, refusedDefinition({ id: 'hello' }, [problem]));
    expect(written.mock.calls).toEqual([
      [
        'DEFINITION_INVALID: Expected the definition "hello" to be right, but it was refused; what is registered of it stays in use\n' +
          '  /initialNode  UNKNOWN_NODE  No "gret" (Did you mean "greet"?)',
      ],
    ]);
    const unforeseen = new Error('unforeseen');
    report({}, unforeseen);
    expect(written).toHaveBeenLastCalledWith(unforeseen);
    const told: unknown[] = [];
    report({ onError: (error) => told.push(error) }, unforeseen);
    expect([told, written.mock.calls.length]).toEqual([[unforeseen], 2]);
  } finally {
    written.mockRestore();
  }
});
