import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { type ActionContext, type DefinedAction, defineAction } from './action.ts';
import { completed, failureOf, runOne } from './executor.testsuite.ts';

describe('Standard Schema', () => {
  const input = z.object({ url: z.string(), times: z.number().default(3) });

  it('infers the input, and hands on the parsed value', async () => {
    const work = defineAction({
      input,
      run: (context) => {
        expectTypeOf(context.input).toEqualTypeOf<{ url: string; times: number }>();
        return context.input;
      },
    });
    expect(await runOne({ input: { url: 'u' } }, { actions: { work } })).toEqual(completed({ url: 'u', times: 3 }));
  });

  it('[EX5] refuses an input before the action is called', async () => {
    let calls = 0;
    const work = defineAction({ input, run: () => (calls += 1) });
    const outcome = await runOne({ input: { url: 1, times: 'x' } }, { actions: { work } });
    expect(outcome).toMatchObject({ type: 'failed', retryable: false, failure: { code: 'ACTION_INPUT_INVALID' } });
    expect(failureOf(outcome).message).toMatch(
      /^Expected the input of action "work" to fit its schema, but at \/url: .*expected string.* \(and 1 more\)$/,
    );
    expect(failureOf(outcome).details).toMatchObject([{ pointer: '/url' }, { pointer: '/times' }]);
    expect(calls).toBe(0);
  });

  it('waits for schemas that take their time', async () => {
    const slow = z.object({ n: z.number().refine(async (n) => n > 0, 'must be positive') });
    const work = defineAction({ input: slow, output: slow, run: ({ input: { n } }) => ({ n: n - 1 }) });
    expect(await runOne({ input: { n: 2 } }, { actions: { work } })).toEqual(completed({ n: 1 }));
    expect(failureOf(await runOne({ input: { n: 0 } }, { actions: { work } })).code).toBe('ACTION_INPUT_INVALID');
    expect(failureOf(await runOne({ input: { n: 1 } }, { actions: { work } })).code).toBe('ACTION_OUTPUT_INVALID');
  });

  it('[EX8] makes of the result what the output schema says, dates included', async () => {
    const output = z.object({ at: z.date().transform((date) => date.toISOString()) });
    const work = defineAction({ output, run: () => ({ at: new Date(0) }) });
    expect(await runOne({}, { actions: { work } })).toEqual(completed({ at: '1970-01-01T00:00:00.000Z' }));
  });

  it('takes schemas that are functions, and fails with what a schema throws', async () => {
    const validate = (value: unknown) => ({ value: { wrapped: value } });
    const callable = Object.assign(() => 1, { '~standard': { version: 1, vendor: 'test', validate } as const });
    const actions = { work: { run: ({ input: seen }: { input: object }) => seen, input: callable } };
    expect(await runOne({ input: {} }, { actions })).toEqual(completed({ wrapped: {} }));
    const throwing = { version: 1, vendor: 'test', validate: () => JSON.parse('{') } as const;
    const broken = { work: { run: () => 1, input: { '~standard': throwing } } };
    expect(failureOf(await runOne({}, { actions: broken })).code).toBe('ACTION_FAILED');
  });

  it('does not compile with a result of another type', () => {
    const output = z.object({ n: z.number() });
    // @ts-expect-error -- a text is no number
    const wrong = () => defineAction({ output, run: () => ({ n: 'one' }) });
    expect(wrong).toBeTypeOf('function');
  });

  it('takes the input that its author names, without a schema and beside settings', async () => {
    type Paper = { readonly url: string };
    const named = {
      byFunction: defineAction<Paper>((context) => context.input.url.length),
      bySettings: defineAction<Paper>({ timeoutMs: 500, run: async (context) => context.input.url.length }),
      byContext: defineAction({
        timeoutMs: 500,
        run: async (context: ActionContext<Paper>) => context.input.url.length,
      }),
      byInput: defineAction({ timeoutMs: 500, run: (context: { readonly input: Paper }) => context.input.url.length }),
      byJsonSchema: defineAction({
        input: { type: 'object' },
        run: (context: ActionContext<Paper>) => context.input.url.length,
      }),
    };
    for (const work of Object.values(named))
      expect(await runOne({ input: { url: 'u' } }, { actions: { work } })).toEqual(completed(1));
    const { bySettings, ...others } = named;
    expectTypeOf(bySettings).toEqualTypeOf<DefinedAction<Paper>>();
    for (const work of Object.values(others)) expectTypeOf(work).toExtend<DefinedAction<Paper>>();
    defineAction({ timeoutMs: 500, run: (context) => expectTypeOf(context.input).toEqualTypeOf<JsonObject>() });
  });

  it('keeps the types that mappings see: before the input schema, after the output schema', () => {
    const output = z.object({ at: z.date().transform((date) => date.toISOString()) });
    const work = defineAction({ input, output, run: async () => ({ at: new Date(0) }) });
    expectTypeOf(work).toEqualTypeOf<DefinedAction<{ url: string; times?: number | undefined }, { at: string }>>();
    const plain = defineAction({ run: async ({ input: given }: ActionContext<{ n: number }>) => ({ m: given.n }) });
    expectTypeOf(plain).toEqualTypeOf<DefinedAction<{ n: number }, { m: number }>>();
  });
});

describe('JSON Schema', () => {
  const schema = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };

  it('[EX5] checks the input', async () => {
    const work = { input: schema, run: () => 1 };
    expect(await runOne({ input: { n: 1 } }, { actions: { work } })).toEqual(completed(1));
    const failure = failureOf(await runOne({ input: { n: 'one' } }, { actions: { work } }));
    expect(failure.code).toBe('ACTION_INPUT_INVALID');
    expect(failure.details).toMatchObject([{ pointer: '/n' }]);
  });

  it('[EX8] checks the output', async () => {
    const work = { output: schema, run: ({ input }: { input: object }) => input };
    expect(await runOne({ input: { n: 1 } }, { actions: { work } })).toEqual(completed({ n: 1 }));
    expect(failureOf(await runOne({ input: {} }, { actions: { work } })).code).toBe('ACTION_OUTPUT_INVALID');
    expect(failureOf(await runOne({}, { actions: { work: { output: false, run: () => 1 } } })).code).toBe(
      'ACTION_OUTPUT_INVALID',
    );
  });

  it('refuses a schema that is none, when the action is registered', async () => {
    const actions = { work: { run: () => 1, input: { type: 'nonsense' } } };
    await expect(runOne({}, { actions })).rejects.toThrow(/work\/input/);
  });
});
