// Reserved names: the words that no variable may have as its name. Apart from the parser, so that the HTTP client,
// which checks names, does not carry cel-js (24 kB of gzip).

/** The words that cel-js keeps for itself: none of them can name a variable. */
export const reservedNames: ReadonlySet<string> = new Set(
  (
    'as break const continue else for function if import let loop package namespace return var void while in ' +
    'true false null __proto__ prototype'
  ).split(' '),
);
