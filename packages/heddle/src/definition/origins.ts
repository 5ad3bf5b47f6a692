// Origins: where each part of a normalised definition stands in the JSON that its author wrote, so that every problem
// points there, whatever spelling or shorthand was used.
//
// Always true: pointers are RFC 6901; an object of the normalised definition has at most one origin.

export function escapePointerKey(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}

export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${typeof key === 'number' ? key : escapePointerKey(key)}`;
}

export class Origins {
  readonly #places = new Map<object, string>();
  readonly #fields = new Map<object, Map<string, string>>();
  readonly #written = new Map<object, ReadonlySet<string>>();

  /** `part` of the normalised definition was made from what stands at `pointer`. */
  place(part: object, pointer: string): void {
    this.#places.set(part, pointer);
  }

  /** One field of `part` stands elsewhere than its name says: an alias, or a shorthand. */
  placeField(part: object, field: string, pointer: string): void {
    const fields = this.#fields.get(part) ?? new Map<string, string>();
    fields.set(field, pointer);
    this.#fields.set(part, fields);
  }

  /** The author wrote these fields of `part`, be they right or not. */
  noteWritten(part: object, fields: ReadonlySet<string>): void {
    this.#written.set(part, fields);
  }

  wasWritten(part: object, field: string): boolean {
    return this.#written.get(part)?.has(field) ?? false;
  }

  /** Whether all that the author wrote of `part` could be read. */
  isWhole(part: object): boolean {
    for (const field of this.#written.get(part) ?? []) if (!Object.hasOwn(part, field)) return false;
    return true;
  }

  of(part: object, key?: string): string {
    const place = this.#places.get(part) ?? '';
    if (key === undefined) return place;
    return this.#fields.get(part)?.get(key) ?? pointerTo(place, key);
  }
}
