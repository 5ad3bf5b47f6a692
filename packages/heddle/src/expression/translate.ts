// From syntax tree to steps: one case per kind of node. Calls, macros and members stand in files of their own.
//
// Always true: the depth of recursion here and of the steps at run time is at most `depthMax` (left-leaning chains
// such as `a + b + c` and `a && b && c` are one step with a loop, and count as one level).

import type { Json } from '../base/json.ts';
import { translateCall, translateMethod } from './calls.ts';
import type { Step } from './frame.ts';
import { translateIndex, translateMember, translateName } from './members.ts';
import { setMember } from './object-functions.ts';
import { type BinaryOperator, binaryOperators, isBinary, negate, not } from './operators.ts';
import type { Node } from './parse-source.ts';
import type { Translation } from './translation.ts';
import { costFault, describe, Fault, failed, keyText, Optional, type Outcome, type Value } from './value.ts';

export function translate(node: Node, translation: Translation, depth: number): Step {
  if (depth > translation.depthMax) {
    const message = `Expected at most ${translation.depthMax} levels (expressionDepthMax), but found more`;
    return translation.refuse(node, { code: 'EXPRESSION_LIMIT', message });
  }
  if (isBinary(node)) return translateChain(node, translation, depth);
  switch (node.op) {
    case 'value':
      return translateLiteral(node, translation);
    case 'id':
      return translateName(node, translation);
    case '.':
    case '.?':
      return translateMember(node, translation, depth, translate);
    case '[]':
    case '[?]':
      return translateIndex(node, translation, depth, translate);
    case 'call':
      return translateCall(node, translation, depth, translate);
    case 'rcall':
      return translateMethod(node, translation, depth, translate);
    case 'list':
      return translateList(node.args, translation, depth);
    case 'map':
      return translateObject(node.args, translation, depth);
    case '?:':
      return translateChoice(node.args, translation, depth);
    case '||':
    case '&&':
      return translateLogical(node, node.op, translation, depth);
    case '!_':
      return onValue(translate(node.args, translation, depth + 1), not);
    case '-_':
      return onValue(translate(node.args, translation, depth + 1), negate);
  }
}

function onValue(operand: Step, apply: (value: Value) => Outcome): Step {
  return (frame) => {
    const value = operand(frame);
    return value instanceof Fault ? value : apply(value);
  };
}

function translateLiteral(node: Node & { op: 'value' }, translation: Translation): Step {
  const { args } = node;
  if (args instanceof Uint8Array) {
    const message = 'Expected a value that JSON can hold, but found bytes';
    return translation.refuse(node, { code: 'EXPRESSION_FORBIDDEN', message, hint: "Write a text: 'abc'." });
  }
  // `5` comes as a bigint, `5u` as an object around one, `5.0` as a number.
  const isWhole = typeof args === 'bigint' || (typeof args === 'object' && args !== null);
  const value = isWhole ? Number(args.valueOf()) : args;
  if (isWhole && !Number.isSafeInteger(value)) {
    const message = `Expected a whole number that JSON can hold exactly, but found ${translation.textOf(node)}`;
    return translation.refuse(node, { code: 'EXPRESSION_SYNTAX', message, hint: 'Write it as a text, in quotes.' });
  }
  return () => value;
}

/** A value that may stand inside a list or an object, or be the result. */
function contained(value: Value): Json | Fault {
  return value instanceof Optional
    ? failed(`Expected a value inside a list or object, but found ${describe(value)}`)
    : value;
}

function translateList(nodes: readonly Node[], translation: Translation, depth: number): Step {
  const items = nodes.map((item) => onValue(translate(item, translation, depth + 1), contained));
  return (frame) => {
    const list: Json[] = [];
    for (const item of items) {
      const value = item(frame);
      if (value instanceof Fault) return value;
      list.push(value as Json); // `contained` lets only JSON through
    }
    return list;
  };
}

function translateObject(nodes: readonly (readonly [Node, Node])[], translation: Translation, depth: number): Step {
  const entries = nodes.map(([key, value]) => ({
    key: translate(key, translation, depth + 1),
    value: onValue(translate(value, translation, depth + 1), contained),
  }));
  const culprit = translation.problem?.position;
  if (translation.problem && nodes.some(([key]) => key.op === 'id' && key.start === culprit)) {
    translation.problem = { ...translation.problem, hint: 'Write the keys of objects in quotes.' };
  }
  return (frame) => {
    const object: Record<string, Json> = {};
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof Fault) return key;
      const value = entry.value(frame);
      if (value instanceof Fault) return value;
      const name = keyText(key);
      if (name === undefined) return failed(`Expected a text as key of an object, but found ${describe(key)}`);
      const refused = setMember(object, name, value as Json); // `contained` lets only JSON through
      if (refused) return refused;
    }
    return object;
  };
}

function translateChoice(nodes: readonly [Node, Node, Node], translation: Translation, depth: number): Step {
  const condition = translate(nodes[0], translation, depth + 1);
  const whenTrue = translate(nodes[1], translation, depth + 1);
  const whenFalse = translate(nodes[2], translation, depth + 1);
  return (frame) => {
    const value = condition(frame);
    if (value === true) return whenTrue(frame);
    if (value === false) return whenFalse(frame);
    if (value instanceof Fault) return value;
    return failed(`Expected true or false before ?, but found ${describe(value)}`);
  };
}

/** As CEL says, a side that decides wins over a fault on the other side. Only used-up steps always end it. */
function translateLogical(root: Node, operator: '&&' | '||', translation: Translation, depth: number): Step {
  const operands: Step[] = [];
  let node = root;
  while (node.op === operator) {
    operands.push(translate(node.args[1], translation, depth + 1));
    node = node.args[0];
  }
  operands.push(translate(node, translation, depth + 1));
  operands.reverse();
  const decisive = operator === '||';
  return (frame) => {
    let fault: Fault | null = null;
    for (const operand of operands) {
      const value = operand(frame);
      if (value === decisive || value === costFault) return value;
      if (value !== !decisive) fault ??= value instanceof Fault ? value : notLogical(value, operator);
    }
    return fault ?? !decisive;
  };
}

function notLogical(value: Value, operator: string): Fault {
  return failed(`Expected true or false around ${operator}, but found ${describe(value)}`);
}

interface Link {
  readonly apply: (typeof binaryOperators)[BinaryOperator];
  readonly right: Step;
}

function translateChain(root: Node, translation: Translation, depth: number): Step {
  const links: Link[] = [];
  let node = root;
  while (isBinary(node)) {
    links.push({ apply: binaryOperators[node.op], right: translate(node.args[1], translation, depth + 1) });
    node = node.args[0];
  }
  const head = translate(node, translation, depth + 1);
  return chain(head, links.toReversed());
}

function chain(head: Step, links: readonly Link[]): Step {
  return (frame) => {
    let left = head(frame);
    for (const { apply, right } of links) {
      if (left instanceof Fault) return left;
      const value = right(frame);
      if (value instanceof Fault) return value;
      left = apply(left, value, frame);
    }
    return left;
  };
}
