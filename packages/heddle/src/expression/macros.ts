// Macros: the forms that bind a variable. `list.all(x, …)`, `exists`, `exists_one`, `filter`, `map`, `cel.bind`, and
// `has(…)`, which asks instead of reading. Over an object they go through its keys.
//
// Always true: before each item the price of one round of the body is paid, so nested macros multiply and stop.

import type { Json } from '../base/json.ts';
import { charge, type Frame, type Step } from './frame.ts';
import type { Node } from './parse-source.ts';
import { countNodes, type Translate, type Translation } from './translation.ts';
import { costFault, describe, Fault, failed, isList, isObject, Optional, type Outcome, type Value } from './value.ts';

type MacroName = 'all' | 'exists' | 'exists_one' | 'filter' | 'map';
type Method = Node & { readonly op: 'rcall' };

const macroNames: ReadonlySet<string> = new Set<MacroName>(['all', 'exists', 'exists_one', 'filter', 'map']);

export function isMacro(name: string): name is MacroName {
  return macroNames.has(name);
}

/** One macro, ready to run: `test` is absent for `map(x, …)` without a filter, `make` for all but `map`. */
interface Loop {
  readonly name: MacroName;
  readonly slot: number;
  readonly price: number;
  readonly test: Step | null;
  readonly make: Step | null;
}

export function translateMacro(
  node: Method,
  name: MacroName,
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const [, receiver, args] = node.args;
  const variable = args[0];
  const isRightCount = args.length === 2 || (name === 'map' && args.length === 3);
  if (!isRightCount || variable?.op !== 'id') {
    const message = `Expected ${name}(variable, expression), but found ${translation.textOf(node)}`;
    return translation.refuse(node, { code: 'EXPRESSION_SYNTAX', message });
  }
  const over = translate(receiver, translation, depth + 1);
  const bodies: Step[] = [];
  const { slot } = translation.bind(variable.args, () => {
    for (const arg of args.slice(1)) bodies.push(translate(arg, translation, depth + 1));
    return bodies[0] ?? over;
  });
  const price = args.slice(1).reduce((sum, arg) => sum + countNodes(arg), 1);
  const make = name === 'map' ? (bodies.at(-1) ?? null) : null;
  const test = name === 'map' && bodies.length === 1 ? null : (bodies[0] ?? null);
  return loopStep(over, { name, slot, price, test, make });
}

function loopStep(over: Step, loop: Loop): Step {
  return (frame) => {
    const value = over(frame);
    if (value instanceof Fault) return value;
    const items = takeItems(value, loop.name, frame);
    if (items instanceof Fault) return items;
    switch (loop.name) {
      case 'all':
        return quantify(items, loop, false, frame);
      case 'exists':
        return quantify(items, loop, true, frame);
      case 'exists_one':
      case 'filter':
      case 'map':
        return gather(items, loop, frame);
    }
  };
}

function takeItems(value: Value, name: string, frame: Frame): readonly Json[] | Fault {
  if (isList(value)) return value;
  if (!isObject(value)) return failed(`Expected a list or an object for ${name}(), but found ${describe(value)}`);
  const keys = Object.keys(value);
  return charge(frame, 2 * keys.length) ?? keys;
}

/** As CEL says, an item that decides wins over faults at others. */
function quantify(items: readonly Json[], loop: Loop, decisive: boolean, frame: Frame): Outcome {
  let fault: Fault | null = null;
  for (const item of items) {
    const holds = testItem(item, loop, frame);
    if (holds === decisive || holds === costFault) return holds;
    if (holds instanceof Fault) fault ??= holds;
  }
  return fault ?? !decisive;
}

function testItem(item: Json, loop: Loop, frame: Frame): boolean | Fault {
  const over = charge(frame, loop.price);
  if (over) return over;
  frame.slots[loop.slot] = item;
  if (!loop.test) return true;
  const holds = loop.test(frame);
  if (typeof holds === 'boolean' || holds instanceof Fault) return holds;
  return failed(`Expected true or false inside ${loop.name}(), but found ${describe(holds)}`);
}

function gather(items: readonly Json[], loop: Loop, frame: Frame): Outcome {
  const gathered: Json[] = [];
  for (const item of items) {
    const holds = testItem(item, loop, frame);
    if (holds instanceof Fault) return holds;
    if (!holds) continue;
    const made = loop.make ? loop.make(frame) : item;
    if (made instanceof Fault) return made;
    if (made instanceof Optional) return failed(`Expected a value inside map(), but found ${describe(made)}`);
    gathered.push(made);
  }
  return loop.name === 'exists_one' ? gathered.length === 1 : gathered;
}

/** `cel.bind(x, value, body)`: computes the value once and names it. */
export function translateBinding(node: Method, translation: Translation, depth: number, translate: Translate): Step {
  const [variable, value, body] = node.args[2];
  if (node.args[2].length !== 3 || variable?.op !== 'id' || !value || !body) {
    const message = `Expected cel.bind(variable, value, expression), but found ${translation.textOf(node)}`;
    return translation.refuse(node, { code: 'EXPRESSION_SYNTAX', message });
  }
  const compute = translate(value, translation, depth + 1);
  const bound = translation.bind(variable.args, () => translate(body, translation, depth + 1));
  return (frame) => {
    const computed = compute(frame);
    if (computed instanceof Fault) return computed;
    frame.slots[bound.slot] = computed;
    return bound.body(frame);
  };
}

/** True if the member can be read; a member that holds null is there. Absence anywhere on the way is a plain no. */
export function translateHas(
  node: Node & { op: 'call' },
  translation: Translation,
  depth: number,
  translate: Translate,
): Step {
  const [target] = node.args[1];
  const isAccess = target && ['.', '.?', '[]', '[?]', 'id'].includes(target.op);
  if (node.args[1].length !== 1 || !isAccess) {
    const message = `Expected has(member), such as has(state.a), but found ${translation.textOf(node)}`;
    return translation.refuse(node, { code: 'EXPRESSION_SYNTAX', message });
  }
  const read = translate(target, translation, depth + 1);
  return (frame) => {
    const value = read(frame);
    if (value instanceof Fault) return value.type === 'missing' ? false : value;
    return !(value instanceof Optional) || value.content !== undefined;
  };
}
