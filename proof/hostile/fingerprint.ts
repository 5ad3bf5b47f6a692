// Fingerprint: what every program finds in its globals, to be compared after hostile input was taken. Invariant I49.

const looked: Readonly<Record<string, object>> = {
  globalThis,
  Object,
  'Object.prototype': Object.prototype,
  Array,
  'Array.prototype': Array.prototype,
  'Array iterators': Object.getPrototypeOf([][Symbol.iterator]()) as object,
  Function,
  'Function.prototype': Function.prototype,
  'String.prototype': String.prototype,
  'Number.prototype': Number.prototype,
  'Boolean.prototype': Boolean.prototype,
  'Symbol.prototype': Symbol.prototype,
  'BigInt.prototype': BigInt.prototype,
  'RegExp.prototype': RegExp.prototype,
  'Date.prototype': Date.prototype,
  Error,
  'Error.prototype': Error.prototype,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  'WeakMap.prototype': WeakMap.prototype,
  Promise,
  'Promise.prototype': Promise.prototype,
  JSON,
  Math,
  Number,
  Reflect,
  'process.env': process.env,
};

type Fingerprint = ReadonlyMap<string, ReadonlyMap<string | symbol, PropertyDescriptor>>;

/** Node puts some of its globals in their place when they are first used; that is done before the first look. */
const notLazy = new Set(['localStorage', 'sessionStorage']); // these warn when they are read

export function takeFingerprint(): Fingerprint {
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!notLazy.has(name)) Reflect.get(globalThis, name);
  return new Map(
    Object.entries(looked).map(([name, object]) => [
      name,
      new Map(Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key) ?? {}])),
    ]),
  );
}

/** What is there that was not, is gone, or is another; null if nothing is. */
export function findChange(before: Fingerprint): string | null {
  for (const [name, members] of takeFingerprint()) {
    const known = before.get(name) ?? new Map<string | symbol, PropertyDescriptor>();
    for (const key of new Set([...known.keys(), ...members.keys()])) {
      if (!isSame(known.get(key), members.get(key))) return `${name} has another ${String(key)} than before`;
    }
  }
  for (const key in {}) return `every object has a member ${key}`;
  return null;
}

function isSame(left: PropertyDescriptor | undefined, right: PropertyDescriptor | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    Object.is(left.value, right.value) &&
    left.get === right.get &&
    left.set === right.set &&
    left.writable === right.writable
  );
}
