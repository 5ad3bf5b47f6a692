// Reads: which members an expression reads, and what its value is made of, without running it. For checks that know
// what can be there.
//
// Always true: what is asked for before it is read (`has`, `.?`, `in`) is no read; a read is certain only if every
// evaluation makes it and none has a value without it.

import { isMacro } from './macros.ts';
import { type BinaryNode, isBinary } from './operators.ts';
import { type Node, parseSource } from './parse-source.ts';

/** `state.a.b`: a name and the keys behind it, as far as they are fixed. */
export interface MemberPath {
  readonly root: string;
  /** A number is an index of a list. */
  readonly keys: readonly (string | number)[];
}

export interface Read extends MemberPath {
  readonly isCertain: boolean;
}

/** What a value is made of, as far as the expression itself says. */
export type Form =
  | { readonly type: 'path'; readonly path: MemberPath }
  | { readonly type: 'object'; readonly members: ReadonlyMap<string, Form> }
  | { readonly type: 'list'; readonly items: readonly Form[] }
  /** Without `value` where JSON has none for it. */
  | { readonly type: 'scalar'; readonly value?: string | number | boolean | null }
  | { readonly type: 'unknown' };

export interface Reading {
  readonly reads: readonly Read[];
  /** All that it names, also what it only asks for. */
  readonly mentions: readonly MemberPath[];
  readonly form: Form;
}

const nothing: Reading = { reads: [], mentions: [], form: { type: 'unknown' } };
const pathPattern = /^\s*[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\s*$/;
const literalPattern = /^\s*(true|false|null|-?\d+(\.\d+)?|"[^"\\]*"|'[^'\\]*')\s*$/;

/** Of an expression that compiles; of any other nothing is said. */
export function findReads(source: string): Reading {
  const literal = literalPattern.exec(source)?.[1];
  if (literal !== undefined) return { reads: [], mentions: [], form: { type: 'scalar', value: readLiteral(literal) } };
  if (pathPattern.test(source)) {
    const [root = '', ...keys] = source.trim().split('.');
    const path = { root, keys };
    return { reads: [{ ...path, isCertain: true }], mentions: [path], form: { type: 'path', path } };
  }
  const parsed = parseSource(source, new Set());
  return 'node' in parsed ? new Search().run(parsed.node) : nothing;
}

/** A text has no escapes in it. */
function readLiteral(literal: string): string | number | boolean | null {
  if (literal === 'null') return null;
  if (literal === 'true' || literal === 'false') return literal === 'true';
  return /^["']/.test(literal) ? literal.slice(1, -1) : Number(literal);
}

/** Whether asking for `guard` shows that `read` is there, or that something of it is. */
function guards(guard: MemberPath, read: MemberPath): boolean {
  return (
    guard.root === read.root && guard.keys.every((key, index) => index >= read.keys.length || key === read.keys[index])
  );
}

interface Place {
  readonly node: Node;
  readonly isCertain: boolean;
  /** Variables of macros around it. */
  readonly bound: ReadonlySet<string>;
}

/** Works off a list of nodes instead of calling itself: the depth of what an author wrote costs no stack. */
class Search {
  readonly #reads: Read[] = [];
  readonly #guards: MemberPath[] = [];
  readonly #pending: Place[] = [];

  run(root: Node): Reading {
    this.#pending.push({ node: root, isCertain: true, bound: new Set() });
    for (let place = this.#pending.pop(); place !== undefined; place = this.#pending.pop()) this.#visit(place);
    const isFree = (read: Read): boolean => !this.#guards.some((guard) => guards(guard, read));
    return { reads: this.#reads.filter(isFree), mentions: [...this.#reads, ...this.#guards], form: readForm(root, 0) };
  }

  #visit(place: Place): void {
    const { node } = place;
    if (isBinary(node)) return this.#visitBinary(place, node);
    switch (node.op) {
      case 'value':
        return;
      case 'id':
      case '.':
      case '[]':
        return this.#visitChain(place);
      case '.?':
      case '[?]':
        return this.#guard(place, node);
      case 'call':
        return this.#visitCall(place, node.args);
      case 'rcall':
        return this.#visitMethod(place, node.args);
      case '?:':
        this.#look(place, node.args[0]);
        return this.#look({ ...place, isCertain: false }, node.args[1], node.args[2]);
      case '||':
      case '&&':
        return this.#look({ ...place, isCertain: false }, ...node.args);
      case '!_':
      case '-_':
        return this.#look(place, node.args);
      case 'map':
        return this.#look(place, ...node.args.flat());
      case 'list':
        return this.#look(place, ...node.args);
    }
  }

  #visitBinary(place: Place, { op, args }: BinaryNode): void {
    if (op === 'in') this.#guardKey(place, args);
    this.#look(place, ...args);
  }

  #look({ isCertain, bound }: Omit<Place, 'node'>, ...nodes: readonly Node[]): void {
    for (const node of nodes) this.#pending.push({ node, isCertain, bound });
  }

  /** A chain of members: the path that is fixed is read; what computes a key, or the value before it, is looked at. */
  #visitChain({ node, isCertain, bound }: Place): void {
    const { path, base, keys, isOptional } = readChain(node);
    if (isOptional) return this.#guard({ node, isCertain, bound }, node);
    this.#look({ isCertain, bound }, ...keys);
    if (path === null) this.#look({ isCertain, bound }, base);
    else if (!bound.has(path.root)) this.#reads.push({ ...path, isCertain });
  }

  /** Whatever is missing on the way to an optional member makes it absent; a key is computed all the same. */
  #guard({ isCertain, bound }: Place, node: Node): void {
    const { path, keys } = readChain(node);
    if (path !== null && !bound.has(path.root)) this.#guards.push(path);
    this.#look({ isCertain, bound }, ...keys);
  }

  /** `'a' in state` asks for state.a. */
  #guardKey({ bound }: Place, [key, container]: readonly [Node, Node]): void {
    const { path } = readChain(container);
    if (key.op === 'value' && typeof key.args === 'string' && path !== null && !bound.has(path.root))
      this.#guards.push({ ...path, keys: [...path.keys, key.args] });
  }

  #visitCall(place: Place, [name, args]: readonly [string, readonly Node[]]): void {
    const [target] = args;
    if (name === 'has' && target !== undefined) this.#guard(place, target);
    else this.#look(place, ...args);
  }

  #visitMethod(place: Place, [name, receiver, args]: readonly [string, Node, readonly Node[]]): void {
    const [variable, ...bodies] = args;
    const isBinding = receiver.op === 'id' && receiver.args === 'cel' && name === 'bind';
    if ((isMacro(name) || isBinding) && variable?.op === 'id') {
      const bound = new Set([...place.bound, variable.args]);
      const [value, ...others] = isBinding ? bodies : [receiver, ...bodies];
      if (value !== undefined) this.#look(place, value);
      return this.#look({ isCertain: isBinding && place.isCertain, bound }, ...others);
    }
    if (receiver.op !== 'id' || receiver.args !== 'optional') this.#look(place, receiver);
    // The argument of `orValue` and `or` is looked at only where it is needed.
    this.#look({ ...place, isCertain: place.isCertain && name !== 'orValue' && name !== 'or' }, ...args);
  }
}

interface Chain {
  /** What it begins with. */
  readonly base: Node;
  /** Null if that is no name. */
  readonly path: MemberPath | null;
  /** Keys that are computed. */
  readonly keys: readonly Node[];
  /** It asks for a member, and for all that come behind it. */
  readonly isOptional: boolean;
}

export function readChain(node: Node): Chain {
  const links: (string | number | null)[] = [];
  const computed: Node[] = [];
  let base = node;
  let isOptional = false;
  while (base.op === '.' || base.op === '.?' || base.op === '[]' || base.op === '[?]') {
    const [inner, key]: readonly [Node, Node | string] = base.args;
    const fixed = typeof key === 'string' ? key : fixedKey(key);
    if (fixed === null && typeof key !== 'string') computed.push(key);
    links.push(fixed);
    isOptional ||= base.op === '.?' || base.op === '[?]';
    base = inner;
  }
  links.reverse();
  const end = links.indexOf(null);
  const keys = (end === -1 ? links : links.slice(0, end)) as (string | number)[]; // no null before the first one
  return { base, path: base.op === 'id' ? { root: base.args, keys } : null, keys: computed, isOptional };
}

function fixedKey(node: Node): string | number | null {
  if (node.op !== 'value') return null;
  if (typeof node.args === 'string') return node.args;
  return typeof node.args === 'bigint' ? Number(node.args) : null;
}

/** Deeper than this nobody looks. */
const formDepthMax = 8;

function readForm(node: Node, depth: number): Form {
  if (depth > formDepthMax) return { type: 'unknown' };
  if (node.op === 'value') return scalarForm(node.args);
  if (node.op === 'list') return { type: 'list', items: node.args.map((item) => readForm(item, depth + 1)) };
  return node.op === 'map' ? objectForm(node.args, depth) : pathForm(node);
}

function scalarForm(value: unknown): Form {
  if (typeof value === 'bigint') return { type: 'scalar', value: Number(value) };
  const isJson = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  // As `isJson` says.
  return isJson ? { type: 'scalar', value: value as string | number | boolean | null } : { type: 'scalar' };
}

/** Without an optional on the way, for its value would be one, and with all keys fixed. */
function pathForm(node: Node): Form {
  const { path, keys, isOptional } = readChain(node);
  return path === null || keys.length > 0 || isOptional ? { type: 'unknown' } : { type: 'path', path };
}

function objectForm(entries: readonly (readonly [Node, Node])[], depth: number): Form {
  const members = new Map<string, Form>();
  for (const [key, value] of entries) {
    const name = fixedKey(key);
    if (name === null) return { type: 'unknown' };
    members.set(String(name), readForm(value, depth + 1));
  }
  return { type: 'object', members };
}
