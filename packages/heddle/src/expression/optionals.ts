// Optionals: what can be asked of `state.?a`. `orValue` and `or` look at their argument only where they need it.

import type { Step } from './frame.ts';
import type { Node } from './parse-source.ts';
import type { Translate, Translation } from './translation.ts';
import { absent, describe, Fault, failed, Optional, type Outcome, type Value } from './value.ts';

type MethodName = 'orValue' | 'or' | 'hasValue' | 'value';
type Method = Node & { readonly op: 'rcall' };

const argumentCounts: Readonly<Record<MethodName, number>> = { orValue: 1, or: 1, hasValue: 0, value: 0 };

export function isOptionalMethod(name: string): name is MethodName {
  return Object.hasOwn(argumentCounts, name);
}

export function translateOptionalMethod(
  node: Method,
  name: MethodName,
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const [, receiver, args] = node.args;
  if (args.length !== argumentCounts[name]) {
    const message = `Expected ${argumentCounts[name]} arguments for ${name}(), but found ${args.length}`;
    return translation.refuse(node, { code: 'EXPRESSION_SYNTAX', message });
  }
  const optional = translate(receiver, translation, depth + 1);
  const other = args[0] ? translate(args[0], translation, depth + 1) : () => null;
  const missing = new Fault('missing', `${translation.textOf(receiver)} is missing`);
  return (frame) => {
    const value = optional(frame);
    if (value instanceof Fault) return value;
    if (!(value instanceof Optional)) {
      return failed(`Expected an optional, such as state.?a, before .${name}(), but found ${describe(value)}`);
    }
    return answer(name, value, () => other(frame), missing);
  };
}

function answer(name: MethodName, optional: Optional, other: () => Outcome, missing: Fault): Outcome {
  const { content } = optional;
  switch (name) {
    case 'hasValue':
      return content !== undefined;
    case 'value':
      return content === undefined ? missing : content;
    case 'orValue':
      return content === undefined ? other() : content;
    case 'or': {
      const next: Outcome = content === undefined ? other() : optional;
      if (next instanceof Fault || next instanceof Optional) return next;
      return failed(`Expected an optional for or(), but found ${describe(next)} (use orValue)`);
    }
  }
}

/** `optional.of(x)` and `optional.none()`. */
export function translateOptional(node: Method, translation: Translation, depth: number, translate: Translate): Step {
  const [name, , args] = node.args;
  if (name === 'none' && args.length === 0) return () => absent;
  const [arg] = args;
  if (name !== 'of' || args.length !== 1 || !arg) {
    const message = `Expected optional.of(value) or optional.none(), but found ${translation.textOf(node)}`;
    return translation.refuse(node, { code: 'EXPRESSION_SYNTAX', message });
  }
  const step = translate(arg, translation, depth + 1);
  return (frame) => wrap(step(frame));
}

function wrap(value: Value | Fault): Outcome {
  return value instanceof Fault || value instanceof Optional ? value : new Optional(value);
}
