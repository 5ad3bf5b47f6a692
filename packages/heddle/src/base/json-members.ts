// JSON members: every member of every object and list of a JSON text, by its pointer, with where it begins.
//
// Always true: the text was accepted by `JSON.parse`.

import { JsonScanner, jsonSign } from './scan-json.ts';

interface Container {
  readonly pointer: string;
  readonly isObject: boolean;
  /** The member that is being read. */
  key: string;
  index: number;
}

export interface JsonMember {
  readonly pointer: string;
  /** Of its key, in an object. */
  readonly offset: number;
}

export function* listJsonMembers(text: string): Iterable<JsonMember> {
  const scanner = new JsonScanner(text);
  const trail: Container[] = [];
  /** Whether a key (a value, in a list) comes next. */
  let isNext = false;
  for (let code = scanner.next(); code !== jsonSign.end; code = scanner.next()) {
    const inner = trail.at(-1);
    if (code === jsonSign.closeObject || code === jsonSign.closeList) trail.pop();
    else if (code === jsonSign.comma && inner) inner.index++;
    else if (inner && isNext) {
      if (inner.isObject) inner.key = escapeKey(JSON.parse(scanner.written) as string); // a text in quotes
      yield { pointer: pointerOf(inner), offset: scanner.start };
    }
    const isOpening = code === jsonSign.openObject || code === jsonSign.openList;
    if (isOpening) {
      const pointer = inner ? pointerOf(inner) : '';
      trail.push({ pointer, isObject: code === jsonSign.openObject, key: '', index: 0 });
    }
    isNext = isOpening || code === jsonSign.comma;
  }
}

const pointerOf = ({ pointer, isObject, key, index }: Container): string => `${pointer}/${isObject ? key : index}`;

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
