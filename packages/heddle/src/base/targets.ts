// Targets: where a value is written, as one text: `state.score`.

import type { Path } from './path.ts';

/** Targets are keys joined by dots; a dot inside a key is written as `\u0001d`, and `\u0001` itself as `\u0001s`. */
export function splitTarget(target: string): Path {
  const keys = target.split('.');
  return target.includes('\u0001')
    ? keys.map((key) => key.replaceAll('\u0001d', '.').replaceAll('\u0001s', '\u0001'))
    : keys;
}

export function joinTarget(path: Path): string {
  return path.map((key) => key.replaceAll('\u0001', '\u0001s').replaceAll('.', '\u0001d')).join('.');
}
