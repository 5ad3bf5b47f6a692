// Names and members: `state`, `state.a.b`, `list[0]`, `state.?a`, `state[?'a']`. Own members only.
//
// What is not there gives a fault of type `missing`, made at compile time from the source text of the node: reading
// an absent member costs no more than reading a present one.

import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import { memberName, membersAt } from './fixed-members.ts';
import type { Step } from './frame.ts';
import { nameHint } from './hints.ts';
import type { Node } from './parse-source.ts';
import { readChain } from './reads.ts';
import type { Translate, Translation } from './translation.ts';
import {
  absent,
  describe,
  Fault,
  failed,
  isList,
  keyText,
  Optional,
  type Outcome,
  ownMember,
  type Value,
} from './value.ts';

export function translateName(node: Node & { op: 'id' }, translation: Translation): Step {
  const name = node.args;
  const slot = translation.bound.lastIndexOf(name);
  if (slot >= 0) return (frame) => frame.slots[slot] ?? null;
  if (!translation.names.has(name)) {
    const message = `Expected one of ${joinNames(translation.names)}, but found ${name}`;
    const hint = nameHint(name, translation.source, translation.names);
    return translation.refuse(node, {
      code: 'EXPRESSION_UNKNOWN_NAME',
      message,
      ...given({ hint }),
    });
  }
  translation.roots.add(name);
  const missing = new Fault('missing', `${name} is not in scope here`);
  return (frame) => {
    const value = Object.hasOwn(frame.scope, name) ? frame.scope[name] : undefined;
    return value === undefined ? missing : value;
  };
}

const listedMax = 20;

function joinNames(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, listedMax);
  if (names.size > listedMax) shown.push(`${names.size - listedMax} more`);
  return shown.join(', ') || 'no names';
}

export function translateMember(
  node: Node & { op: '.' | '.?' },
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const [base, written] = node.args;
  const step = translate(base, translation, depth + 1);
  const key = keyBehind(base, written, translation);
  return node.op === '.'
    ? readMember(step, key, missingFault(node, key, translation))
    : (frame) => optionally(step(frame), key);
}

/** The key that is read for one that is written behind `base`: another only for the engine's own names. */
function keyBehind(base: Node, key: string, translation: Translation): string {
  if (!key.includes('_')) return key;
  const { path, keys } = readChain(base);
  const isFixed = path !== null && keys.length === 0 && !translation.bound.includes(path.root);
  return isFixed ? memberName(membersAt(path.root, path.keys), key) : key;
}

function missingFault(node: Node, key: string, translation: Translation): Fault {
  const hint = key === 'length' ? ' (use size(…))' : '';
  return new Fault('missing', `${translation.textOf(node)} is missing${hint}`);
}

function readMember(base: Step, key: string, missing: Fault): Step {
  return (frame) => {
    const value = base(frame);
    if (typeof value !== 'object' || value === null) return missing;
    if (value instanceof Fault) return value;
    if (value instanceof Optional) return optionally(value, key);
    const member = ownMember(value, key);
    return member === undefined ? missing : member;
  };
}

export function translateIndex(
  node: Node & { op: '[]' | '[?]' },
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const base = translate(node.args[0], translation, depth + 1);
  const index = translateKey(node.args, translation, depth, translate);
  const missing = missingFault(node, '', translation);
  const optional = node.op === '[?]';
  return (frame) => {
    const value = base(frame);
    if (value instanceof Fault && !(optional && value.type === 'missing')) return value;
    const key = index(frame);
    if (key instanceof Fault) return key;
    if (optional || value instanceof Optional) return optionally(value, key);
    return readIndex(value as Json, key, missing); // neither a fault nor optional
  };
}

function translateKey(
  [base, key]: readonly [Node, Node],
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  if (key.op !== 'value' || typeof key.args !== 'string') return translate(key, translation, depth + 1);
  const name = keyBehind(base, key.args, translation);
  return () => name;
}

/** A list is read by a whole number, an object by a text or a number. */
function readIndex(value: Json, key: Value, missing: Fault): Outcome {
  const name = isList(value) ? key : keyText(key);
  if (isList(value) && !Number.isInteger(name)) {
    return failed(`Expected a whole number as index of a list, but found ${describe(key)}`);
  }
  if (typeof name !== 'string' && typeof name !== 'number') {
    return failed(`Expected a text as key of an object, but found ${describe(key)}`);
  }
  const member = ownMember(value, name);
  return member === undefined ? missing : member;
}

/** Absence anywhere on the way gives an absent optional instead of a fault. */
function optionally(base: Outcome, key: Value): Outcome {
  const value = base instanceof Optional ? base.content : base;
  if (value instanceof Fault) return value.type === 'missing' ? absent : value;
  if (value === undefined || typeof value !== 'object' || value === null) return absent;
  const name = isList(value) && typeof key === 'number' ? key : keyText(key);
  if (name === undefined) return failed(`Expected a text or a number as key, but found ${describe(key)}`);
  const content = ownMember(value, name);
  return content === undefined ? absent : new Optional(content);
}
