import { expect, test } from 'vitest';
import { scorePapers } from '../definition/definitions.testsuite.ts';
import { contentHash } from './version.ts';

const base = contentHash(scorePapers);
const [first, ...others] = scorePapers.nodes;

test('[DF44] the hash does not know version, decoration and order of keys', () => {
  const { id, nodes, transitions, ...rest } = scorePapers;
  const decorated = {
    ...rest,
    transitions: transitions?.map((transition) => ({ meta: 'x', ...transition })) ?? [],
    nodes: nodes.map((node) => ({ ...node, meta: { x: 1 } })),
    meta: [],
    version: 99,
    id,
  };
  expect(base).toMatch(/^[0-9a-f]{64}$/);
  expect(contentHash(decorated)).toBe(base);
});

test('[DF44] the hash knows everything else', () => {
  expect(contentHash({ ...scorePapers, name: 'x' })).not.toBe(base);
  expect(contentHash({ ...scorePapers, nodes: [...others, first!] })).not.toBe(base);
  expect(contentHash({ ...scorePapers, inputSchema: { meta: 1 } })).not.toBe(
    contentHash({ ...scorePapers, inputSchema: { meta: 2 } }),
  );
  expect(contentHash({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] })).toBe(
    contentHash({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] }),
  );
});
