// What the compiler says about programs that are wrong: the message names the field, the node or the action, where a user
// looks for it. That what is right compiles is shown beside the sources.

import { expect, test } from 'vitest';
import { compile, makeProject } from './project.testsuite.ts';

const actions = `
import { z } from 'zod';
import { type ActionContext, defineAction, workflow } from 'heddle';

const fetch = defineAction({
  input: z.object({ url: z.string(), times: z.number().default(3) }),
  output: z.object({ papers: z.array(z.string()), note: z.string().optional() }),
  run: async ({ input }) => ({ papers: [input.url] }),
});
const score = async ({ input }: ActionContext<{ paper: string; by?: { name: string } }>) => ({ score: input.paper.length });
const papers = workflow('papers').actions({ fetch, score });
`;

/** What is wrong in a line, and what the compiler must say about it. */
const slips: Readonly<Record<string, readonly [code: string, message: RegExp]>> = {
  'a result with a field of the wrong type': [
    "defineAction({ output: z.object({ n: z.number(), text: z.string() }), run: () => ({ n: 'one', text: 'x' }) });",
    /^error TS2322: Type 'string' is not assignable to type 'number'\.$/,
  ],
  'an awaited result that lacks a field': [
    'defineAction({ output: z.object({ n: z.number(), text: z.string() }), run: async () => ({ n: 1 }) });',
    /Property 'text' is missing in type '\{ n: number; \}'/,
  ],
  'an awaited result with a field of the wrong type': [
    "defineAction({ output: z.object({ n: z.number() }), async run() { return { n: 'one' }; } });",
    /Types of property 'n' are incompatible\.\s+Type 'string' is not assignable to type 'number'\.$/,
  ],
  'an input that the schema does not give': [
    'defineAction({ input: z.object({ n: z.number() }), run: ({ input }: ActionContext<{ n: string }>) => input.n });',
    /Types of property 'n' are incompatible/,
  ],
  'a setting of the wrong type': [
    "defineAction({ timeoutMs: '5', run: ({ input }) => input });",
    /^error TS2322: Type 'string' is not assignable to type 'number'\.$/,
  ],
  'a field that is not in the named input': [
    'defineAction<{ paper: string }>({ timeoutMs: 5, run: ({ input }) => input.papr });',
    /Property 'papr' does not exist on type '\{ paper: string; \}'/,
  ],
  'an initial node that is not there': [
    "workflow('w', { initialNode: 'z' }).node('a').node('b').build();",
    /Expected initialNode to be the id of a node, but there is no node \\"z\\"/,
  ],
  'an action that is not there': ["papers.node('a', { action: 'fetsh' });", /Did you mean '"fetch"'\?$/],
  'an input mapping that writes what is no field': [
    "papers.node('a', { action: 'fetch', inputMapping: { url: 'input.url', tims: '3' } });",
    /Expected a field of the input of action \\"fetch\\", but it has no \\"tims\\"/,
  ],
  'an input mapping that writes below what is no field': [
    "papers.node('a', { action: { name: 'score' }, inputMapping: { paper: 'input.paper', 'form.name': 'input.me' } });",
    /Expected a field of the input of action \\"score\\", but it has no \\"form\\"/,
  ],
  'an input mapping that lacks a required field': [
    "papers.node('a', { action: 'fetch', inputMapping: { times: '3' } });",
    /Property 'url' is missing/,
  ],
  'no input mapping for an action that needs one': [
    "papers.node('a', { action: 'fetch' });",
    /Property 'inputMapping' is missing/,
  ],
  'an output mapping that reads what is no field': [
    "papers.node('a', { action: 'score', inputMapping: { paper: 'input.paper' }, outputMapping: { 'state.s': 'result.skore + 1' } });",
    /Expected a field of the result of action \\"score\\", but it has no \\"skore\\"/,
  ],
  'a field of a node that there is not': [
    "papers.node('a', { action: 'score', inputMapping: { paper: 'input.paper' }, timeoutMS: 5 });",
    /Did you mean to write 'timeoutMs'\?$/,
  ],
};

test('the compiler names what is wrong, once and in its place', async () => {
  const project = makeProject();
  project.write('slips.ts', [actions, ...Object.values(slips).map(([code]) => code)].join('\n'));
  const errors = await compile(project);
  const first = actions.split('\n').length + 1;
  const found = errors.map((error) => {
    const [, row = '', message = error] = /^slips\.ts\((\d+),\d+\): (.*)$/s.exec(error) ?? [];
    return [Object.keys(slips)[Number(row) - first], message];
  });
  expect(found).toEqual(Object.entries(slips).map(([name, [, message]]) => [name, expect.stringMatching(message)]));
});
