// Short JSON: the beginning of a value's JSON text, for people. No more of the value is read than is written, so that one
// of any size costs the same.

import { isJsonArray, type Json } from './json.ts';

/** The compact JSON text, or its first characters. */
export function shortJson(value: Json, lengthMax: number): string {
  let text = '';
  for (const piece of pieces(value, lengthMax)) {
    text += piece;
    if (text.length >= lengthMax) break;
  }
  return text.slice(0, lengthMax);
}

/** Every level writes a bracket before the next one is entered: it goes no deeper than the text is long. */
function* pieces(value: Json, lengthMax: number): Generator<string, void> {
  if (typeof value === 'string') yield JSON.stringify(value.slice(0, lengthMax));
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (isJsonArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* pieces(item, lengthMax);
    }
    yield ']';
  } else {
    yield '{';
    let separator = '';
    for (const key in value) {
      yield `${separator}${JSON.stringify(key.slice(0, lengthMax))}:`;
      yield* pieces(value[key] as Json, lengthMax); // its own key: JSON inherits none
      separator = ',';
    }
    yield '}';
  }
}
