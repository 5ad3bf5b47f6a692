// Functions on objects. Own members only; nothing is ever written to the key `__proto__`.

import type { Json } from '../base/json.ts';
import { charge, type Frame } from './frame.ts';
import { define, defineOnObject, type FunctionTable, wrong } from './library-function.ts';
import { Fault, failed, isList, isObject, ownMember } from './value.ts';

export const objectFunctions: FunctionTable = {
  keys: defineOnObject('keys', (object, frame) => {
    const keys = Object.keys(object);
    return charge(frame, 2 * keys.length) ?? keys;
  }),
  values: defineOnObject('values', (object, frame) => {
    const values = Object.values(object);
    return charge(frame, 2 * values.length) ?? values;
  }),
  merge: define([1, 32], merge),
  get: define([2, 3], ([value = null, path = null, otherwise], frame) => get(value, path, otherwise, frame)),
};

/** Shallow; later objects win. */
function merge(objects: readonly Json[], frame: Frame): Json | Fault {
  const merged: Record<string, Json> = {};
  for (const object of objects) {
    if (!isObject(object)) return wrong('merge', 'objects', object);
    const keys = Object.keys(object);
    const over = charge(frame, 8 * keys.length);
    if (over) return over;
    for (const key of keys) {
      const refused = setMember(merged, key, object[key] as Json); // its own key
      if (refused) return refused;
    }
  }
  return merged;
}

/** The only way in which expressions write to an object. */
export function setMember(target: Record<string, Json>, key: string, value: Json): Fault | null {
  if (key === '__proto__') return failed('Expected a key other than __proto__ for an object, but found it');
  target[key] = value;
  return null;
}

/** The path is a text (`'a.b.0'`) or a list of keys and indices. */
function get(value: Json, path: Json, otherwise: Json | undefined, frame: Frame): Json | Fault {
  if (typeof path !== 'string' && !isList(path)) return wrong('get', 'a text or a list as path', path);
  const over = charge(frame, path.length);
  if (over) return over;
  const keys = typeof path === 'string' ? path.split('.') : path;
  let found: Json | undefined = value;
  for (const key of keys) {
    if (typeof key !== 'string' && typeof key !== 'number') return wrong('get', 'texts and numbers in the path', key);
    found = found === undefined ? undefined : step(found, key);
  }
  if (found !== undefined) return found;
  if (otherwise !== undefined) return otherwise;
  return new Fault('missing', `${JSON.stringify(path).slice(0, 200)} is missing`);
}

function step(value: Json, key: string | number): Json | undefined {
  if (isList(value) && typeof key === 'string')
    return /^\d{1,9}$/.test(key) ? ownMember(value, Number(key)) : undefined;
  return ownMember(value, key);
}
