// Printable: a text for people in which nothing can move a cursor, begin a new line of a log or hide what stands behind it,
// whatever names it quotes.

export function printable(text: string): string {
  return text.replace(unprintable, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Controls, formats, surrogates that stand alone, line separators. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;
