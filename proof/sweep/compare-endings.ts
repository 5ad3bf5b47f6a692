// CompareEndings: what differs between two endings, in a few lines.

import type { Ending } from './ending.ts';

const linesMax = 12;

/** Empty if they are the same story. */
export function compareEndings(expected: Ending, found: Ending): string[] {
  const sections = new Set([...expected.keys(), ...found.keys()]);
  return [...sections].flatMap((section) => compareSection(section, expected.get(section), found.get(section)));
}

function compareSection(section: string, expected?: readonly string[], found?: readonly string[]): string[] {
  if (!expected) return [`${section}: expected none, but it is there`];
  if (!found) return [`${section}: expected, but it is not there`];
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same++;
  if (same === expected.length && same === found.length) return [];
  const missing = without(expected.slice(same), found.slice(same));
  const surplus = without(found.slice(same), expected.slice(same));
  const lines = [...missing.map((line) => `  - ${line}`), ...surplus.map((line) => `  + ${line}`)];
  const order = lines.length === 0 ? [`  in another order, from line ${same + 1}: ${found[same]}`] : [];
  return [`${section}: - expected, + found`, ...order, ...lines.slice(0, linesMax)];
}

/** Those of one list that the other has not, as often. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
