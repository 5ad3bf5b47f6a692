// Thread context: what a thread sees, and what of it the thread has written itself. A branch begins with what its
// fan-out saw and with nothing written.
//
// Rules: ED1 to ED3, ED6, CX1, MG6, MG10, MG12. Values are never altered, so that branches share what they see.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { type Bag, isBag, isSame } from './values.ts';

type Path = readonly string[];

/** A value at a path; without one, what was there is removed. */
interface Change {
  readonly path: Path;
  readonly value: Json | undefined;
}

export class ThreadContext {
  #view: Bag;
  readonly #own = new Own();
  readonly #changes: Change[] = [];

  constructor(view: Bag) {
    this.#view = view;
  }

  get view(): Bag {
    return this.#view;
  }

  /** What this thread itself has written there; undefined if nothing. */
  get ownOutput(): Json | undefined {
    const own = this.#own.value;
    return isBag(own) ? own['output'] : undefined;
  }

  read(path: string): Json | undefined {
    return find(this.#view, path.split('.'));
  }

  set(path: string, value: Json): void {
    this.#change({ path: path.split('.'), value });
  }

  remove(path: string): void {
    this.#change({ path: path.split('.'), value: undefined });
  }

  /** Objects key by key over what is there, all else in its place; what is there already is not written again. */
  merge(value: Json): void {
    if (isBag(value)) for (const key of Object.keys(value)) this.#lay([key], value[key] as Json, true);
  }

  /** What branches came to: laid over what is there, whatever is there. */
  mergeOutputs(outputs: readonly Json[]): void {
    this.#lay(['output'], gather(outputs), false);
  }

  /** Takes over all that a branch has written. */
  adopt(branch: ThreadContext): void {
    for (const change of branch.#changes) this.#change(change);
  }

  #lay(path: Path, above: Json, skipsSame: boolean): void {
    const below = find(this.#view, path);
    if (isBag(above) && isBag(below))
      for (const key of Object.keys(above)) this.#lay([...path, key], above[key] as Json, skipsSame);
    else if (!skipsSame || below === undefined || !isSame(above, below)) this.#change({ path, value: above });
  }

  #change(change: Change): void {
    const whole = change.value === undefined ? change : withObjectsMade(this.#view, change);
    this.#changes.push(whole);
    this.#own.change(whole);
    this.#view = changed(this.#view, whole) as Bag; // what has a path is an object
  }
}

/** ED6: objects that a write has to make on its way are part of it. */
function withObjectsMade(view: Json, { path, value }: Change): Change {
  for (let length = 1; length < path.length; length++) {
    if (isBag(find(view, path.slice(0, length)))) continue;
    const made = path.slice(length).reduceRight<Json>((inner, key) => ({ [key]: inner }), value as Json);
    return { path: path.slice(0, length), value: made };
  }
  return { path, value };
}

/** What a thread has written: a whole value, or parts of an object that was there before. */
class Own {
  #whole: Json | undefined;
  #parts = new Map<string, Own>();

  change({ path: [key, ...path], value }: Change): void {
    if (key === undefined) {
      this.#whole = value;
      this.#parts = new Map();
    } else if (this.#whole !== undefined) this.#whole = changed(this.#whole, { path: [key, ...path], value });
    else if (value === undefined && path.length === 0) this.#parts.delete(key);
    else {
      const part = this.#parts.get(key) ?? new Own();
      this.#parts.set(key, part);
      part.change({ path, value });
    }
  }

  get value(): Json | undefined {
    if (this.#whole !== undefined) return this.#whole;
    const parts: Record<string, Json> = {};
    for (const [key, part] of this.#parts) {
      const { value } = part;
      if (value !== undefined) parts[key] = value;
    }
    return Object.keys(parts).length === 0 ? undefined : parts;
  }
}

export function find(value: Json | undefined, path: Path): Json | undefined {
  let found = value;
  for (const key of path) found = isBag(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

function changed(there: Json | undefined, { path: [key, ...path], value }: Change): Json | undefined {
  if (key === undefined) return value;
  if (value === undefined && (!isBag(there) || !Object.hasOwn(there, key))) return there;
  const copy: Record<string, Json> = isBag(there) ? { ...there } : {};
  const inner = changed(copy[key], { path, value });
  if (inner === undefined) delete copy[key];
  else copy[key] = inner;
  return copy;
}

/** MG6: one value alone stays as it is, objects merge by key, all else gathers in one flat list; nothing gives `{}`. */
function gather(outputs: readonly Json[]): Json {
  const [first, ...others] = outputs;
  return first === undefined ? {} : others.reduce(gatherTwo, first);
}

function gatherTwo(left: Json, right: Json): Json {
  if (!isBag(left) || !isBag(right)) return [...listOf(left), ...listOf(right)];
  const both: Record<string, Json> = { ...left };
  for (const key of Object.keys(right)) {
    const other = right[key] as Json;
    both[key] = Object.hasOwn(left, key) ? gatherTwo(left[key] as Json, other) : other;
  }
  return both;
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [value]);
