import { describe, expect, test } from 'vitest';
import { layOut } from './layout.ts';

const size = { width: 200, height: 64 };

describe('layout', () => {
  test.each([60, 250])('no two of %i nodes overlap, whatever the edges are', async (count) => {
    const nodes = Array.from({ length: count }, (_, n) => ({ id: `n${n}`, ...size }));
    const edges = nodes.flatMap((_, n) => [
      { from: `n${n}`, to: `n${(n * 7 + 3) % count}` },
      { from: `n${n}`, to: `n${(n * 7 + 3) % count}` },
      { from: `n${n}`, to: `n${n}` },
      { from: `n${n}`, to: 'nowhere' },
    ]);
    const places = [...(await layOut(nodes, edges)).values()];
    expect(places).toHaveLength(count);
    const overlaps = places.flatMap((a, i) =>
      places.slice(i + 1).filter((b) => Math.abs(a.x - b.x) < size.width && Math.abs(a.y - b.y) < size.height),
    );
    expect(overlaps).toEqual([]);
  });

  test('what follows stands below', async () => {
    const places = await layOut(
      [
        { id: 'b', ...size },
        { id: 'a', ...size },
      ],
      [{ from: 'a', to: 'b' }],
    );
    expect(places.get('b')?.y).toBeGreaterThanOrEqual((places.get('a')?.y ?? 0) + size.height);
  });
});
