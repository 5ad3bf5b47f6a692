// Globals: whether what every program shares (I49) is as it was: the global object and the prototypes that data has.

type Shared = readonly [name: string, object: object];

const shared: readonly Shared[] = [
  ['globalThis', globalThis],
  ...[Object, Array, Function, String, Number, Boolean, RegExp, Map, Set, Promise, Error, Date].map(
    ({ name, prototype }): Shared => [`${name}.prototype`, prototype as object],
  ),
];

/** What the members of an object are, without calling any of them. */
function fingerprintOf(object: object): Map<PropertyKey, unknown> {
  const members = new Map<PropertyKey, unknown>();
  for (const key of Reflect.ownKeys(object)) {
    const descriptor: { readonly get?: unknown; readonly value?: unknown } | undefined =
      Object.getOwnPropertyDescriptor(object, key);
    members.set(key, descriptor?.get ?? descriptor?.value);
  }
  return members;
}

export class Globals {
  readonly #before: readonly (readonly [Shared, Map<PropertyKey, unknown>])[];

  /** As they are now. */
  constructor() {
    this.#before = shared.map((one) => [one, fingerprintOf(one[1])]);
  }

  /** Null, or what has changed. A global that is loaded when it is first asked for was there before. */
  findChange(): string | null {
    for (const [[name, object], before] of this.#before) {
      const keys = Reflect.ownKeys(object);
      const added = keys.find((key) => !before.has(key));
      if (added !== undefined) return `Expected no new member of ${name}, but found ${String(added)}`;
      if (keys.length !== before.size) return `Expected all members of ${name}, but some are gone`;
      if (object === globalThis) continue;
      const now = fingerprintOf(object);
      for (const [key, value] of before)
        if (now.get(key) !== value) return `Expected ${name}.${String(key)} as it was, but it is another`;
    }
    return null;
  }
}
