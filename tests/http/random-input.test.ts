// Random requests to every route, by a key that may do everything: whatever comes, the answer is the promised one or a
// problem document, and never that something unforeseen went wrong.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import { type Call, callsOf, initOf } from './calls.testsuite.ts';
import { problemIn } from './problems.testsuite.ts';
import { makeWorld, type World } from './world.testsuite.ts';

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
}

const namesOf = (schema: unknown): readonly string[] => Object.keys((schema as Shape | undefined)?.properties ?? {});

/** Members of the route with any values, members that it does not have, and what is no object at all. */
function bodies({ route, body }: Call): fc.Arbitrary<Json> {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const odd = fc.constantFrom<Json>(
    -1,
    0,
    1.5,
    1e21,
    2 ** 53,
    -(2 ** 63),
    '',
    '\u0000',
    '\ud800',
    'x'.repeat(3_000),
    [],
    {},
  );
  const value = fc.oneof(json, odd);
  const members = fc.dictionary(fc.constantFrom(...namesOf(route.body), 'surplus', '__proto__'), value, { maxKeys: 4 });
  const right = (body ?? {}) as JsonObject;
  return fc
    .oneof(
      json,
      members,
      members.map((some) => ({ ...right, ...some })),
    )
    .map(withoutWaiting);
}

/** Nobody waits here: how long a caller waits is no part of the question. */
function withoutWaiting(body: Json): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return 'waitMs' in body && typeof body['waitMs'] === 'number' ? { ...body, waitMs: 0 } : body;
}

const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '..',
    '%2e%2e',
    '%',
    '%ff',
    '%00',
    '0',
    '-1',
    '1.0',
    '9'.repeat(30),
    'a'.repeat(5_000),
    'null',
    "' or 1=1 --",
  ),
);

async function see(response: Response, what: () => string): Promise<void> {
  if (response.ok) await response.body?.cancel();
  else expect((await problemIn(response)).code, what()).not.toBe('INTERNAL');
}

const seed = 20_260_101;

async function randomly(world: World, calls: readonly Call[], numRuns: number): Promise<void> {
  const { ask } = world.server;
  const headers = { authorization: `Bearer ${world.key}` };
  for (const call of calls) {
    const body = call.route.body === undefined ? fc.constant(null) : bodies(call);
    const query = fc.array(fc.tuple(fc.constantFrom(...namesOf(call.route.query), 'surplus'), words), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(body, query, fc.boolean(), words, async (given, pairs, isOtherPath, word) => {
        const some = pairs.filter(([name]) => name !== 'waitMs');
        const [plain = ''] = call.path.split('?');
        const place = isOtherPath ? otherPlace(call, word) : plain;
        const path = some.length === 0 ? place : `${place}?${new URLSearchParams(some).toString()}`;
        const init =
          call.route.body === undefined
            ? initOf(call, { headers })
            : initOf(call, { headers, body: JSON.stringify(given) });
        await see(await ask(path, init), () => `${call.name} ${path} ${JSON.stringify(given)}`);
      }),
      { numRuns, seed },
    );
  }
}

/** Any word in place of every id. */
function otherPlace({ route }: Call, word: string): string {
  return route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(Buffer.from(word).toString()) || '-');
}

test('[HT1] [HT2] whatever is sent to whatever route, nothing unforeseen goes wrong', async () => {
  const world = await makeWorld();
  await randomly(world, callsOf(world.ids), 12);
  expect((await world.server.ask('/health')).status).toBe(200);
  // What was there before the storm is still sound.
  expect(
    await (
      await world.server.ask('/v1/audit', { method: 'POST', headers: { authorization: `Bearer ${world.key}` } })
    ).json(),
  ).toMatchObject({
    problems: [],
  });
});
