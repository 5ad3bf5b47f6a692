// Hostile values: what a program may hand in where JSON is asked for, and is none, with the place of the culprit below.
//
// Always true: each is made anew, so that nothing one engine did to it reaches the next.

export type Refusal = 'NOT_JSON' | 'FORBIDDEN_KEY' | 'TOO_DEEP';

export interface HostileValue {
  readonly what: string;
  readonly make: () => unknown;
  /** The pointer from the value to what is wrong in it. */
  readonly below: string;
  readonly code: Refusal;
}

class Instance {
  readonly field = 1;
}

class Listed extends Array<unknown> {}

function raise(thrown: unknown): never {
  throw thrown as Error;
}

const notJson = (what: string, make: () => unknown, below = ''): HostileValue => ({
  what,
  make,
  below,
  code: 'NOT_JSON',
});

const scalars: readonly HostileValue[] = [
  notJson('a function', () => () => 1),
  notJson('a class', () => Instance),
  notJson('a symbol', () => Symbol('s')),
  notJson('Symbol.iterator', () => Symbol.iterator),
  notJson('a BigInt', () => 10n ** 30n),
  notJson('NaN', () => Number.NaN),
  notJson('Infinity', () => Number.POSITIVE_INFINITY),
  notJson('-Infinity', () => Number.NEGATIVE_INFINITY),
];

const instances: readonly HostileValue[] = [
  notJson('a Date', () => new Date(0)),
  notJson('a Date of no time', () => new Date(Number.NaN)),
  notJson('a Map', () => new Map([['a', 1]])),
  notJson('a Set', () => new Set([1])),
  notJson('a RegExp', () => /a/),
  notJson('an Error', () => new Error('no')),
  notJson('a URL', () => new URL('https://example.org')),
  notJson('a promise', () => Promise.resolve(1)),
  notJson('bytes', () => new Uint8Array([1, 2])),
  notJson('a buffer', () => Buffer.from('abc')),
  notJson('an ArrayBuffer', () => new ArrayBuffer(8)),
  notJson('a WeakMap', () => new WeakMap()),
  notJson('an instance of a class', () => new Instance()),
  notJson('a list of a class of its own', () => Listed.from([1])),
  notJson('a text in an object', () => Object('text')),
  notJson('a number in an object', () => Object(1)),
  notJson('a truth value in an object', () => Object(true)),
  notJson('a symbol in an object', () => Object(Symbol('s'))),
  notJson('a generator', () => [][Symbol.iterator]()),
  notJson('an object with a prototype of its own', () => Object.create({ inherited: 1 }) as unknown),
  notJson('a toJSON', () => ({ a: 1, toJSON: () => 'other' })),
  notJson('a toJSON that throws', () => ({ toJSON: () => raise(new Error('gotcha')) })),
  notJson(
    'an inherited toJSON',
    () => Object.create(Object.assign(Object.create(null), { toJSON: () => 1 })) as unknown,
  ),
  notJson('globalThis', () => globalThis),
  notJson('process', () => process),
];

/** What no program makes that does not mean harm. */
const strange: readonly HostileValue[] = [
  notJson('a list without a prototype', () => Object.setPrototypeOf([1], null) as unknown),
  notJson('a list with a prototype of its own', () => Object.setPrototypeOf([1], { map: 1 }) as unknown),
];

const members: readonly HostileValue[] = [
  notJson('a list with nothing in it', () => [1, undefined], '/1'),
  // oxlint-disable-next-line no-sparse-arrays -- the hole is the point
  notJson('a list with a hole', () => [1, , 2], '/1'),
  notJson('a function in a list', () => ['a', [() => 1]], '/1/0'),
  notJson('a function in an object', () => ({ a: { b: () => 1 } }), '/a/b'),
  notJson('NaN in an object', () => ({ 'a/b': { '~': Number.NaN } }), '/a~1b/~0'),
  notJson('a BigInt in a list in an object', () => ({ a: [0, 1n] }), '/a/1'),
  notJson('an instance in a list', () => [new Instance()], '/0'),
];

const traps: readonly HostileValue[] = [
  notJson(
    'a getter that throws',
    () => Object.defineProperty({ a: 1 }, 'x', { enumerable: true, get: () => raise(new Error('gotcha')) }),
    '/x',
  ),
  notJson(
    'a getter that throws undefined',
    () => Object.defineProperty({}, 'x', { enumerable: true, get: () => raise(undefined) }),
    '/x',
  ),
  notJson(
    'a getter that throws what has no text',
    () => Object.defineProperty({}, 'x', { enumerable: true, get: () => raise(Object.create(null)) }),
    '/x',
  ),
  notJson(
    'a getter that throws a symbol',
    () => ({ a: [Object.defineProperty({}, 'x', { enumerable: true, get: () => raise(Symbol('s')) })] }),
    '/a/0/x',
  ),
  notJson(
    'an item that throws',
    () => Object.defineProperty([1, 2], 1, { enumerable: true, get: () => raise(new Error('gotcha')) }),
    '/1',
  ),
  notJson('a proxy without keys', () => new Proxy({}, { ownKeys: () => raise(new Error('gotcha')) })),
  notJson(
    'a proxy without a prototype',
    () => ({ a: new Proxy({}, { getPrototypeOf: () => raise(new Error('gotcha')) }) }),
    '/a',
  ),
  notJson('a proxy without members', () => new Proxy({ a: 1 }, { get: () => raise(new Error('gotcha')) })),
  notJson('a proxy that was revoked', revoked),
  notJson('a proxy of a list that was revoked', () => ({ a: [revoked()] }), '/a/0'),
  notJson(
    'a proxy that throws itself',
    () => new Proxy({}, { ownKeys: () => raise(new Proxy({}, { get: () => raise(1) })) }),
  ),
  notJson(
    'an error whose message throws',
    () =>
      Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => raise(Object.defineProperty(new Error('no'), 'message', { get: () => raise(new Error('deeper')) })),
      }),
    '/x',
  ),
];

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const forbidden = (what: string, text: string, below: string): HostileValue => ({
  what,
  make: () => JSON.parse(text) as unknown,
  below,
  code: 'FORBIDDEN_KEY',
});

const keys: readonly HostileValue[] = [
  forbidden('__proto__', '{"__proto__":{"polluted":true}}', '/__proto__'),
  forbidden('__proto__ that is null', '{"a":1,"__proto__":null}', '/__proto__'),
  forbidden('__proto__ in a list', '[0,[{"a":{"__proto__":[]}}]]', '/1/0/a/__proto__'),
  forbidden('__proto__ in a constructor', '{"constructor":{"__proto__":1}}', '/constructor/__proto__'),
];

/** Those that can be looked at without running code of theirs. */
export const quietValues: readonly HostileValue[] = [...scalars, ...instances, ...members, ...keys];

export const hostileValues: readonly HostileValue[] = [...quietValues, ...strange, ...traps];

/** Without end, or far too deep: refused at the first level beyond `depthMax`, counted from the top of what is handed in. */
export const deepValues: readonly { readonly what: string; readonly make: () => unknown; readonly step: string }[] = [
  { what: 'lists in lists', make: () => nested(1_000, (inner) => [inner]), step: '/0' },
  { what: 'objects in objects', make: () => nested(1_000, (inner) => ({ a: inner })), step: '/a' },
  { what: 'a list in itself', make: cyclicList, step: '/1' },
  { what: 'an object in itself', make: cyclicObject, step: '/self' },
  { what: 'getters without end', make: endless, step: '/next' },
];

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

function cyclicList(): unknown {
  const list: unknown[] = [1];
  list.push(list);
  return list;
}

function cyclicObject(): unknown {
  const object: Record<string, unknown> = { a: 1 };
  object['self'] = object;
  return object;
}

function endless(): unknown {
  return Object.defineProperty({}, 'next', { enumerable: true, get: endless });
}
