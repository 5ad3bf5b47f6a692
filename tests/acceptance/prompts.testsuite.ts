// What the acceptance tests of prompts share: nodes that ask, looks at what is asked, and answers.

import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { Prompt } from '../../packages/heddle/src/operations/prompts.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { Fields } from './token-engine.testsuite.ts';

/** A node that asks, and keeps the answer as `state.<id>`. */
export const asks = (id: string, input: unknown = true, more: Fields = {}): Fields => ({
  id,
  input,
  outputMapping: { [`state.${id}`]: 'result' },
  ...more,
});

/** The nodes that ask now, in the order in which they began to. */
export async function asking(run: Run): Promise<string[]> {
  const prompts = await run.prompts();
  return prompts.toSorted(byTime).map(({ nodeId }) => nodeId);
}

const byTime = (a: Prompt, b: Prompt): number => a.requestedAt - b.requestedAt || (a.nodeId < b.nodeId ? -1 : 1);

export async function promptAt(run: Run, node: string): Promise<Prompt> {
  const prompts = await run.prompts();
  const found = prompts.find(({ nodeId }) => nodeId === node);
  if (found) return found;
  throw new Error(`Expected node ${node} to ask, but asking are ${prompts.map(({ nodeId }) => nodeId).join(', ')}`);
}

/** Answers the prompt of a node and lets the run go on. */
export async function say(test: TestEngine, run: Run, node: string, payload: unknown): Promise<void> {
  const { correlationId } = await promptAt(run, node);
  await run.reply(correlationId, payload);
  await test.settle();
}
