// OrderedText: free text as the key of an ordered table. Raw text may hold NUL or half a surrogate pair, which not every
// driver keeps; and SQLite compares bytes of UTF-8, JavaScript units of UTF-16.
//
// Always true: it is printable ASCII; two texts are in the order of JavaScript's `<`, and one begins with another, exactly
// if their stored forms do; no two texts share a form.

/** Units from `"` to `}` stand for themselves. Those below are written behind the character below, and so above. */
const below = '!';
const above = '~';
const others = /[^"-}]/g;

export function toOrderedText(text: string): string {
  return text.replace(others, escapeUnit);
}

export function fromOrderedText(stored: string): string {
  return stored.replace(/[!~](.{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The least form that comes after this one. */
export function nextOrderedText(stored: string): string {
  return stored + below;
}

/** Above all forms that begin with this one, and below all others that come after it. */
export function endOfPrefix(stored: string): string {
  return `${stored}\u007f`;
}

function escapeUnit(unit: string): string {
  return (unit < '"' ? below : above) + unit.charCodeAt(0).toString(16).padStart(4, '0');
}
