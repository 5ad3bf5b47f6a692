// Locate pointer: from a JSON pointer to the line of the text it points into, so that an editor can jump there.
//
// Always true: the text was accepted by `JSON.parse`; a pointer to what is not there finds the nearest thing around it.

interface Container {
  readonly pointer: string;
  readonly isObject: boolean;
  /** The member that is being read. */
  key: string;
  index: number;
}

/** Lines count from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export function locatePointer(text: string, pointer: string): number {
  let best = { length: 0, offset: Math.max(0, text.search(/\S/)) };
  for (const { pointer: found, offset } of members(text)) {
    const leadsThere = pointer === found || pointer.startsWith(`${found}/`);
    if (leadsThere && found.length > best.length) best = { length: found.length, offset };
    if (found === pointer) break;
  }
  return lineOf(text, best.offset);
}

/** Every member of every object and list, with where it begins. */
function* members(text: string): Iterable<{ readonly pointer: string; readonly offset: number }> {
  const trail: Container[] = [];
  let isKeyNext = false;
  let isValueNext = false;
  for (let offset = 0; offset < text.length; offset++) {
    const character = text.charAt(offset);
    const inner = trail.at(-1);
    if (' \t\r\n:'.includes(character)) continue;
    if (inner && !inner.isObject && isValueNext && character !== ']') {
      yield { pointer: `${inner.pointer}/${inner.index}`, offset };
    }
    if (character === '"') {
      const end = endOfString(text, offset);
      if (inner?.isObject && isKeyNext) {
        inner.key = escape(JSON.parse(text.slice(offset, end)) as string);
        yield { pointer: `${inner.pointer}/${inner.key}`, offset };
      }
      isKeyNext = false;
      offset = end - 1;
    } else if (character === '{' || character === '[') {
      const at = inner ? `${inner.pointer}/${inner.isObject ? inner.key : inner.index}` : '';
      trail.push({ pointer: at, isObject: character === '{', key: '', index: 0 });
      isKeyNext = character === '{';
      isValueNext = true;
      continue;
    } else if (character === '}' || character === ']') {
      trail.pop();
    } else if (character === ',' && inner) {
      inner.index++;
      isKeyNext = inner.isObject;
      isValueNext = true;
      continue;
    }
    isValueNext = false;
  }
}

/** Behind the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
