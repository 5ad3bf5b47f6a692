// Results and inputs of 1, 2, 4 and 8 MiB, whoever makes them: kept and read as they were up to the engine's limit, also by an object
// that has just come into memory; above it refused by the limit's name. No run is ever set aside for its size.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../packages/heddle/src/client/client.ts';
import { startWorker, type Worker } from '../../packages/heddle/src/client/worker.ts';
import { defaultLimits } from '../../packages/heddle/src/definition/limits.ts';
import { isEverything, isInShare } from '../commit-share.testsuite.ts';
import { FaultyWorkerd } from './outside.testsuite.ts';
import { largeText } from './shapes.ts';

const mebibyte = 1_048_576;

/** Who makes the text, and the workflow in which that becomes the output. */
const ways = {
  'an action in the object': 'large',
  'an action of another Worker': 'large-there',
  'a worker over HTTP': 'large-outside',
  'a sub-run': 'large-child',
  'whoever starts': 'large-given',
} as const;

/** All of them with HEDDLE_EVERYTHING, else an eighth, another with every commit. */
const trialsOf = (mebibytes: readonly number[]) =>
  mebibytes
    .flatMap((each) => Object.entries(ways).map(([way, workflow]) => ({ way, workflow, each })))
    .filter((_, place) => isEverything || isInShare(place, 8));

describe.each([
  { what: 'the default limit', limit: defaultLimits.payloadBytesMax, kept: [1, 2, 4], refused: [4 + 1 / mebibyte, 8] },
  { what: 'a limit of 16 MiB', limit: 16 * mebibyte, kept: [8], refused: [] },
])('$what', ({ limit, kept, refused }) => {
  let faulty: FaultyWorkerd;
  let client: Client;
  let worker: Worker;

  beforeAll(async () => {
    const bindings = limit === defaultLimits.payloadBytesMax ? {} : { PAYLOAD: String(limit) };
    faulty = await FaultyWorkerd.open({ bindings });
    client = await faulty.tenant('large');
    worker = startWorker({
      url: 'http://heddle.test',
      key: await faulty.keyOf('large'),
      fetch: faulty.workerd.fetch,
      limits: { payloadBytesMax: limit },
      actions: { largeOutside: async ({ input }) => ({ text: largeText(Number(input['size'])) }) },
      onError: () => undefined, // its object dies, and it asks again
    });
  });
  afterAll(async () => {
    worker.abandon();
    await faulty.close();
  });

  const start = (workflow: string, size: number) =>
    client.start(workflow, workflow === ways['whoever starts'] ? { text: largeText(size) } : { size });

  test.each(trialsOf(kept))('[DO2] $each MiB of $way are kept and read', async ({ workflow, each }) => {
    const size = each * mebibyte;
    const run = await start(workflow, size);
    await run.result();
    await (await faulty.object('large')).do('die').catch(() => undefined); // as it should
    const { status, output } = await run.result();
    const { text } = (output ?? {}) as { readonly text?: string }; // of the shape
    expect([status, text === largeText(size)]).toEqual(['completed', true]);
  });

  test.each(trialsOf(refused))('[AR9] $each MiB of $way are refused', async ({ workflow, each }) => {
    const failure = await start(workflow, each * mebibyte).then(
      async (run) => (await run.result()).error,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringMatching(/payloadBytesMax|bodyBytesMax/) as unknown,
    });
  });

  test('[RN1] no run was set aside, and nothing is wrong with what is stored', async () => {
    expect(await (await faulty.object('large')).do('aside')).toEqual([]);
    expect((await client.audit()).problems).toEqual([]);
  });
});
