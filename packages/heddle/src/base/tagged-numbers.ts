// Tagged numbers: NaN and the infinities, which JSON does not know, as `{"$number": "NaN"}`, so that they survive the
// journal and reach the next node as what they were.
//
// Always true: a value without such numbers (tags) comes back as it is, the same reference. The walk ends at so many
// levels and members; what lies beyond stays as it is, for the check that follows to refuse.

const tag = '$number';
const numbers: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

export interface TagBounds {
  readonly depthMax: number;
  readonly membersMax: number;
}

/** More than any value of a run has, by default. */
const defaultBounds: TagBounds = { depthMax: 200, membersMax: 4_194_304 };

/** NaN and infinities become tagged values, at any depth. */
export function tagNumbers(value: unknown, bounds: TagBounds = defaultBounds): unknown {
  return new Walk(bounds, (one) =>
    typeof one === 'number' && !Number.isFinite(one) ? { [tag]: String(one) } : undefined,
  ).change(value, 0);
}

/** The other way round: tagged values become the numbers that they stand for. */
export function untagNumbers(value: unknown, bounds: TagBounds = defaultBounds): unknown {
  return new Walk(bounds, readTag).change(value, 0);
}

function readTag(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, tag)) return undefined;
  const members = Object.values(value);
  return members.length === 1 ? numbers.get(members[0]) : undefined;
}

class Walk {
  readonly #depthMax: number;
  readonly #replace: (value: unknown) => unknown;
  #membersLeft: number;

  constructor({ depthMax, membersMax }: TagBounds, replace: (value: unknown) => unknown) {
    this.#depthMax = depthMax;
    this.#membersLeft = membersMax;
    this.#replace = replace;
  }

  change(value: unknown, depth: number): unknown {
    const replaced = this.#replace(value);
    if (replaced !== undefined) return replaced;
    if (typeof value !== 'object' || value === null || depth >= this.#depthMax) return value;
    if (Array.isArray(value)) return this.#changeList(value, depth + 1);
    // Any object can be read by key.
    return isPlain(value) ? this.#changeObject(value as Readonly<Record<string, unknown>>, depth + 1) : value;
  }

  #changeList(list: readonly unknown[], depth: number): unknown {
    this.#membersLeft -= list.length;
    if (this.#membersLeft < 0) return list;
    const copy = list.map((member) => this.change(member, depth));
    return copy.every((member, index) => member === list[index]) ? list : copy;
  }

  #changeObject(value: Readonly<Record<string, unknown>>, depth: number): unknown {
    const keys = Object.keys(value);
    this.#membersLeft -= keys.length;
    if (this.#membersLeft < 0) return value;
    let copy: Record<string, unknown> | null = null;
    for (const key of keys) {
      const changed = this.change(value[key], depth);
      if (changed === value[key]) continue;
      copy ??= { ...value };
      copy[key] = changed;
    }
    return copy ?? value;
  }
}

/** In another realm `Object.prototype` is another object, but the last of its chain too. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
