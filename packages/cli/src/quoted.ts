// Quoted: a word as a shell reads it, for commands that are shown to be pasted.

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
