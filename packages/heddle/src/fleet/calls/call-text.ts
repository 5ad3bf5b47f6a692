// Call text: what a call asks, and what it came to, as the text that crosses: JSON, in which bytes are marked; and how much of it
// crosses at once.

const plain = '=';
const marked = '*';
const bytesKey = 'bytes:base64';

export function writeCall(data: unknown): string {
  let hasBytes = false;
  const text = JSON.stringify(data, function (this: Readonly<Record<string, unknown>>, key: string, value: unknown) {
    const given = this[key]; // `value` is what its `toJSON` made of it
    if (!(given instanceof Uint8Array)) return value;
    hasBytes = true;
    return { [bytesKey]: btoa(Array.from(given, (byte) => String.fromCharCode(byte)).join('')) };
  });
  return (hasBytes ? marked : plain) + text;
}

export function readCall(text: string): unknown {
  const json = text.slice(1);
  // What nobody marked is read as it is: any object may have any key.
  return text.startsWith(marked) ? JSON.parse(json, reviveBytes) : JSON.parse(json);
}

/** Of one exchange; a text that is longer goes alone. */
const charactersMax = 16_000_000;

/** The first of them, as many as go into one exchange. */
export function fitting<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  let characters = 0;
  const end = items.findIndex((item, place) => {
    characters += textOf(item).length;
    return place > 0 && characters > charactersMax;
  });
  return end < 0 ? items : items.slice(0, end);
}

function reviveBytes(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, bytesKey)) return value;
  const base64 = String((value as Readonly<Record<string, unknown>>)[bytesKey]); // it has it
  return Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
}
