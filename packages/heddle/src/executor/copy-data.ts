// Copy of plain data. What goes into an action and what comes out of it is copied: values inside the engine are shared
// and never altered, and an action that writes to its input, or later to what it returned, must not reach them.
//
// Always true: every member is read once, so what is checked afterwards is what is kept, whatever getters do. The walk
// ends at `depthMax` levels and `membersMax` members; what lies beyond, and what is no plain data, stays as it is, for
// the check that follows to refuse.

export interface CopyBounds {
  readonly depthMax: number;
  readonly membersMax: number;
}

export function copyData(value: unknown, bounds: CopyBounds): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return copyMembers(value, 1, { depthMax: bounds.depthMax, membersLeft: bounds.membersMax });
}

interface Walk {
  readonly depthMax: number;
  membersLeft: number;
}

function copyMembers(source: object, depth: number, walk: Walk): unknown {
  if (depth > walk.depthMax || walk.membersLeft <= 0) return source;
  if (Array.isArray(source)) return copyList(source, depth, walk);
  if (!isPlain(source)) return source;
  // Spreading keeps an own key `__proto__` a plain key, and so does writing to a key that is there.
  const copy: Record<string, unknown> = { ...source };
  for (const key of Object.keys(copy)) {
    walk.membersLeft -= 1;
    const member = copy[key];
    if (typeof member === 'object' && member !== null) copy[key] = copyMembers(member, depth + 1, walk);
  }
  return copy;
}

/** In another realm (a worker, a test runner) `Object.prototype` is another object, but the last of its chain too. */
function isPlain(source: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(source);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function copyList(source: readonly unknown[], depth: number, walk: Walk): unknown {
  const { length } = source;
  if (!(length <= walk.membersLeft)) return source;
  walk.membersLeft -= length;
  // By index: a list may have an iterator of its own, which need not end.
  const copy: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const member = source[index];
    copy.push(typeof member === 'object' && member !== null ? copyMembers(member, depth + 1, walk) : member);
  }
  return copy;
}
