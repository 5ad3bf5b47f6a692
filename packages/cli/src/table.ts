// Table: rows of text in columns that line up. Widths count what is seen, not what colours it.

import { stripVTControlCharacters } from 'node:util';

const widthOf = (text: string): number => stripVTControlCharacters(text).length;

export function table(rows: readonly (readonly string[])[], indent = ''): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)));
    return (indent + cells.join('  ')).trimEnd();
  });
}
