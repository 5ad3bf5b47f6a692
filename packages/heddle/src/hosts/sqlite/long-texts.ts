// LongTexts: how texts lie in tables that may be longer than a value of their database can be: a result, the events of a
// command, a definition. What fits is stored as it is; what does not lies in pieces elsewhere, and a mark stands in its place.
//
// Always true: only JSON is stored so, and no JSON begins like a mark; whoever reads a text gets what was written.

import { cutBefore } from '../../base/cut-text.ts';
import type { SqlDriver } from './driver.ts';

/** Whose a text is: the table and the key of its row. */
export type TextPlace = readonly [what: 'journal' | 'result' | 'outbox' | 'record' | 'definition', ...key: unknown[]];

export interface LongTexts {
  /** What is stored in the place of a text; there is no older one in this place. */
  keep(text: string, ...place: TextPlace): string;
  /** The text that was stored. */
  read(stored: string, ...place: TextPlace): string;
  /** That text is removed, or written over. */
  drop(...place: TextPlace): void;
  /** Those of all places that begin so. */
  dropAll(...place: TextPlace): void;
}

/** Where a value can be as long as it likes. */
export const wholeTexts: LongTexts = {
  keep: (text) => text,
  read: (stored) => stored,
  drop: () => undefined,
  dropAll: () => undefined,
};

const mark = '~';

const piecesTable = `
  CREATE TABLE IF NOT EXISTS pieces (
    place TEXT NOT NULL,
    piece INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (place, piece)
  ) STRICT, WITHOUT ROWID;
`;

/** DO2: in pieces of at most so many units of UTF-16, each of which takes up to three bytes. */
export function cutTexts(driver: Pick<SqlDriver, 'exec' | 'prepare'>, pieceMax: number): LongTexts {
  driver.exec(piecesTable);
  const insert = driver.prepare('INSERT INTO pieces (place, piece, body) VALUES (?, ?, ?)');
  const select = driver.prepare<{ body: string }>('SELECT body FROM pieces WHERE place = ? ORDER BY piece');
  const remove = driver.prepare('DELETE FROM pieces WHERE place = ?');
  const removeAll = driver.prepare('DELETE FROM pieces WHERE place > ? AND place < ?');
  return {
    keep(text, ...place) {
      if (text.length <= pieceMax) return text;
      const at = nameOf(place);
      const pieces = cut(text, pieceMax);
      for (const [piece, body] of pieces.entries()) insert.run(at, piece, body);
      return `${mark}${pieces.length}`;
    },
    read(stored, ...place) {
      if (!stored.startsWith(mark)) return stored;
      const pieces = select.all(nameOf(place));
      // One that is missing shows where the text is checked, like any other damage.
      return pieces.map(({ body }) => body).join('');
    },
    drop: (...place) => void remove.run(nameOf(place)),
    dropAll(...place) {
      const first = nameOf(place).replace(/]$/, ',');
      removeAll.run(first, `${first}\u007f`);
    },
  };
}

/** Plain characters only, whatever keys hold. */
const nameOf = (place: TextPlace): string => JSON.stringify(place);

function cut(text: string, lengthMax: number): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = cutBefore(text, from + lengthMax);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}
