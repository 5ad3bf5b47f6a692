// Every id of what the web app must show in a browser (W01 to W54) is in the name of a test.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const idsMax = 54;

test('every id from W01 to W54 is in the name of a test', () => {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const files = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
  const names = files.flatMap((file) => {
    const text = readFileSync(path.join(here, file), 'utf8');
    return [...text.matchAll(/webTest\(\s*['"`]((?:\[[^\]]+\])+)/g)].map(([, ids = '']) => ids);
  });
  const named = new Set(names.flatMap((ids) => [...ids.matchAll(/W\d\d/g)].map(([id]) => id)));
  const wanted = Array.from({ length: idsMax }, (_, index) => `W${String(index + 1).padStart(2, '0')}`);
  expect(wanted.filter((id) => !named.has(id))).toEqual([]);
});
