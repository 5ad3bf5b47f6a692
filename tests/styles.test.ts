// Style sheets of the web app and its components are loaded when they are used, in any order.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The root of all components: its tokens, and what a capsule has beside them. */
const shared = new Set(['hd']);

const folders = ['packages/heddle-react/src', 'apps/web/src'];

const sheetsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css'))
    .map((name) => path.join(folder, name));

test('a class is laid out by one style sheet, so that it looks the same whichever were loaded', () => {
  const places = new Map<string, Set<string>>();
  for (const file of folders.flatMap(sheetsIn)) {
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    for (const [, selectors = ''] of text.matchAll(/([^{}]+)\{/g))
      for (const selector of selectors.split(',')) {
        const name = /^\.([\w-]+)$/.exec(selector.trim())?.[1];
        if (name !== undefined && !shared.has(name)) places.set(name, (places.get(name) ?? new Set()).add(file));
      }
  }
  const several = [...places].filter(([, files]) => files.size > 1);
  expect(several).toEqual([]);
  expect(places.size).toBeGreaterThan(100);
});
