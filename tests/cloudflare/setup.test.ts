// What a Worker says that was not given what it needs: a sentence that says what to do, whoever asks.

import { expect, test } from 'vitest';
import { operatorKey, Workerd, type WorkerdOptions } from './workerd.testsuite.ts';

const quiet: WorkerdOptions['more'] = { handleRuntimeStdio: () => undefined };
const objects = { className: 'HeddleObject', useSQLite: true };

test.each([
  ['KEY_NEEDED', /in \.dev\.vars while you develop/, { bindings: { HEDDLE_KEY: '' } }],
  ['BINDING_MISSING', /"durable_objects"/, { more: { durableObjects: { OTHER: objects } } }],
  [
    'SQLITE_MISSING',
    /"new_sqlite_classes": \["HeddleObject"\]/,
    { more: { durableObjects: { HEDDLE: { ...objects, useSQLite: false } } } },
  ],
] as [string, RegExp, Pick<WorkerdOptions, 'bindings' | 'more'>][])('[HT1] %s', async (code, sentence, options) => {
  const workerd = await Workerd.open({ program: 'program.worker.ts', ...options, more: { ...quiet, ...options.more } });
  try {
    const headers = { authorization: `Bearer ${operatorKey}` };
    const response = await workerd.fetch('http://heddle.test/v1/runs', { headers });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code, detail: expect.stringMatching(sentence) as unknown });
  } finally {
    await workerd.close();
  }
});
