import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { createTestEngine } from '../testing/test-engine.ts';
import { moveLargeValues } from './move-large-values.ts';

const long = 'é'.repeat(12);

async function moved(output: Json) {
  const kept: [string, string][] = [];
  const result = await moveLargeValues(output, 20, async (data, mimeType) => {
    kept.push([data, mimeType]);
    return { id: String(kept.length), mimeType };
  });
  return { kept, result };
}

describe('large outputs', () => {
  test('[AR9] members of more than inlineBytesMax bytes of JSON become references; the others stay', async () => {
    const list = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const { kept, result } = await moved({ small: 'x', n: 5, none: null, long, list });
    expect(kept).toEqual([
      [long, 'text/plain; charset=utf-8'],
      [JSON.stringify(list), 'application/json'],
    ]);
    expect(result).toEqual({
      small: 'x',
      n: 5,
      none: null,
      long: { id: '1', mimeType: 'text/plain; charset=utf-8' },
      list: { id: '2', mimeType: 'application/json' },
    });
  });

  test('[AR9] a text is moved as a whole; a list and what is small stay as they are', async () => {
    expect((await moved(long)).result).toMatchObject({ mimeType: 'text/plain; charset=utf-8' });
    for (const output of ['short', [long], {}, null, 7, true]) expect((await moved(output)).result).toEqual(output);
  });

  const page = 'x'.repeat(2_000);
  const fetching = {
    id: 'w',
    initialNode: 'a',
    nodes: [{ id: 'a', action: 'fetch', outputMapping: { 'output.page': 'result.page', 'output.n': 'result.n' } }],
    transitions: [],
  };
  const run = async (limits: object) => {
    const { engine, settle } = await createTestEngine({ actions: { fetch: () => ({ page, n: 1 }) }, limits });
    await engine.register(fetching);
    const started = await engine.start('w');
    await settle();
    return { engine, started, result: await started.result<{ page: { id: string; mimeType: string } }>() };
  };

  test('[AR9] a result that is too large for the journal goes to artifacts by itself', async () => {
    const { engine, started, result } = await run({ payloadBytesMax: 1_000, inlineBytesMax: 100 });
    expect(result).toMatchObject({ status: 'completed', output: { n: 1, page: { mimeType: /^text/ } } });
    const reference = result.output!.page;
    expect(await engine.artifacts.list(started.id)).toEqual([reference]);
    expect(new TextDecoder().decode((await engine.artifacts.get(reference)).bytes)).toBe(page);
    await engine.close();
  });

  test('[AR9] one that the journal can hold stays as it is, and one that no artifact can hold is refused', async () => {
    const whole = await run({ payloadBytesMax: 10_000, inlineBytesMax: 100 });
    expect(whole.result).toMatchObject({ status: 'completed', output: { page } });
    const refused = await run({ payloadBytesMax: 1_000, inlineBytesMax: 100, artifactBytesMax: 1_500 });
    expect(refused.result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
    await whole.engine.close();
    await refused.engine.close();
  });
});
