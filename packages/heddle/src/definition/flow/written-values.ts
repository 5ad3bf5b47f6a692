// Written values: what is known of the values that a definition writes, wherever it writes them.
//
// Always true: a value that depends on itself, in a circle of mappings, may be anything; each is worked out once.

import type { Form, MemberPath } from '../../expression/reads.ts';
import type { Flow, Write } from './flow.ts';
import { joinOutlines, listOf, type Outline, objectOf, outlineAt, scalar } from './outline.ts';

/** Of a key with more writers nothing is known. */
const writersMax = 64;

export class WrittenValues {
  readonly #flow: Flow;
  /** By section and first key; by section alone where all keys of an object are written. */
  readonly #writers = new Map<string, Write[]>();
  readonly #outlines = new Map<Write | string, Outline>();

  constructor(flow: Flow) {
    this.#flow = flow;
    for (const write of [...flow.exits.values(), ...flow.entries.values()].flat()) {
      const name = nameOf(write.path);
      const others = this.#writers.get(name);
      if (others === undefined) this.#writers.set(name, [write]);
      else others.push(write);
    }
  }

  /** The keys of a section that are written. */
  keysOf(section: string): string[] {
    const all = [...this.#writers.values()].flat().filter(({ path }) => path[0] === section);
    return [...new Set(all.flatMap((write) => write.path[1] ?? membersOf(this.#outlineOf(write))))];
  }

  /** Whether a path is written anywhere at all. */
  isWritten(path: readonly string[]): boolean {
    return this.#writersOf(path).some((write) => this.provides(write, path));
  }

  /** Whether a write may be what a read of `path` finds. */
  provides(write: Write, path: readonly (string | number)[]): boolean {
    const isNear = write.path.every((key, index) => index >= path.length || key === path[index]);
    if (!isNear || write.path.length >= path.length) return isNear;
    return outlineAt(this.#outlineOf(write), path.slice(write.path.length)) !== null;
  }

  /** What may stand at a path, seen from a node. */
  outlineAt({ root, keys }: MemberPath, node: number): Outline {
    return outlineAt(this.#outlineOfRoot(root, { keys, node }), keys) ?? scalar;
  }

  #outlineOfRoot(root: string, { keys: [key], node }: { keys: MemberPath['keys']; node: number }): Outline {
    if (root === 'input') return this.#flow.input;
    if (root === 'result') return this.#flow.results(node).outline;
    if (root === 'nodes' || typeof key !== 'string') return 'any';
    const section = root === 'context' ? 'state' : root;
    const isSection = section === 'state' || section === 'output';
    return isSection ? objectOf(new Map([[key, this.#outlineOfKey(section, key)]])) : 'any';
  }

  #outlineOfKey(section: string, key: string): Outline {
    const name = nameOf([section, key]);
    const known = this.#outlines.get(name);
    if (known !== undefined) return known;
    this.#outlines.set(name, 'any'); // for those who ask again on the way
    const writers = this.#writersOf([section, key]);
    const outline =
      writers.length > writersMax
        ? 'any'
        : writers.map((write) => this.#below(write, key)).reduce(joinOutlines, scalar);
    this.#outlines.set(name, outline);
    return outline;
  }

  /** What a write leaves at the first key of its section. */
  #below(write: Write, key: string): Outline {
    const [, ...keys] = write.path;
    if (keys.length === 0) return outlineAt(this.#outlineOf(write), [key]) ?? scalar;
    return keys.slice(1).reduceRight((inner, each) => objectOf(new Map([[each, inner]])), this.#outlineOf(write));
  }

  #writersOf([section = '', key = '']: readonly string[]): readonly Write[] {
    return [...(this.#writers.get(nameOf([section, key])) ?? []), ...(this.#writers.get(nameOf([section])) ?? [])];
  }

  #outlineOf(write: Write): Outline {
    const known = this.#outlines.get(write);
    if (known !== undefined) return known;
    this.#outlines.set(write, 'any');
    const { value } = write;
    const outline = 'outline' in value ? value.outline : this.outlineOfForm(value.form, value.node);
    this.#outlines.set(write, outline);
    return outline;
  }

  /** Forms are a few levels deep. */
  outlineOfForm(form: Form, node: number): Outline {
    switch (form.type) {
      case 'path':
        return this.outlineAt(form.path, node);
      case 'object':
        return objectOf(new Map([...form.members].map(([key, part]) => [key, this.outlineOfForm(part, node)])));
      case 'list':
        return listOf(form.items.map((item) => this.outlineOfForm(item, node)).reduce(joinOutlines, scalar));
      case 'scalar':
        return scalar;
      case 'unknown':
        return 'any';
    }
  }
}

const membersOf = (outline: Outline): string[] => (outline === 'any' ? [] : [...outline.members.keys()]);

const nameOf = ([section, key]: readonly string[]): string =>
  JSON.stringify(key === undefined ? [section] : [section, key]);
