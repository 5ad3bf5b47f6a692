// Calls: `f(x)` and `x.f(y)`. Which of them is a macro, an optional's method, a pattern match or a library function.
//
// Always true: a function of the library gets as many arguments as it declares, all of them JSON; it never alters them,
// pays for what it walks or makes before or as it does so, and returns JSON or a fault.

import type { Json } from '../base/json.ts';
import type { Step } from './frame.ts';
import { functionHint } from './hints.ts';
import { functionNames, library } from './library.ts';
import type { LibraryFunction } from './library-function.ts';
import { isMacro, translateBinding, translateHas, translateMacro } from './macros.ts';
import { translateMatches } from './matching.ts';
import { isOptionalMethod, translateOptional, translateOptionalMethod } from './optionals.ts';
import type { Node } from './parse-source.ts';
import type { Call, Translate, Translation } from './translation.ts';
import { describe, Fault, failed, Optional } from './value.ts';

export function translateCall(
  node: Node & { op: 'call' },
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const [name, args] = node.args;
  if (name === 'has') return translateHas(node, translation, depth, translate);
  return translateFunction({ node, name, args }, translation, depth, translate);
}

export function translateMethod(
  node: Node & { op: 'rcall' },
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const [name, receiver, args] = node.args;
  const namespace = receiver.op === 'id' && isFree(receiver.args, translation) ? receiver.args : '';
  if (namespace === 'cel' && name === 'bind') return translateBinding(node, translation, depth, translate);
  if (namespace === 'optional') return translateOptional(node, translation, depth, translate);
  if (isMacro(name)) return translateMacro(node, name, translation, depth, translate);
  if (isOptionalMethod(name)) return translateOptionalMethod(node, name, translation, depth, translate);
  return translateFunction({ node, name, args: [receiver, ...args] }, translation, depth, translate);
}

function isFree(name: string, translation: Translation): boolean {
  return !translation.bound.includes(name) && !translation.names.has(name);
}

function translateFunction(call: Call, translation: Translation, depth: number, translate: Translate): Step {
  if (call.name === 'matches') return translateMatches(call, translation, depth, translate);
  const known = library.get(call.name);
  if (!known) return refuseUnknown(call, translation);
  const { argumentsMin, argumentsMax } = known;
  if (call.args.length < argumentsMin || call.args.length > argumentsMax) {
    const count = argumentsMin === argumentsMax ? String(argumentsMin) : `${argumentsMin} to ${argumentsMax}`;
    const message = `Expected ${count} arguments for ${call.name}(), but found ${call.args.length}`;
    return translation.refuse(call.node, { code: 'EXPRESSION_SYNTAX', message });
  }
  const args = call.args.map((arg) => translate(arg, translation, depth + 1));
  return callStep(known, call.name, args);
}

function callStep(known: LibraryFunction, name: string, args: readonly Step[]): Step {
  return (frame) => {
    const values: Json[] = [];
    for (const arg of args) {
      const value = arg(frame);
      if (value instanceof Fault) return value;
      if (value instanceof Optional) return failed(`Expected a value for ${name}(), but found ${describe(value)}`);
      values.push(value);
    }
    return known.call(values, frame);
  };
}

function refuseUnknown(call: Call, translation: Translation): Step {
  const message = `Expected a function of the library, but found ${call.name}()`;
  const hint = functionHint(call.name, functionNames);
  return translation.refuse(call.node, { code: 'EXPRESSION_UNKNOWN_NAME', message, hint });
}
