// Make source: texts that are given as expressions: published payloads, random sentences of the language, bombs, and all of
// them with a few characters changed.

import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { payloads } from './payloads.ts';

export function makeSource(dice: Dice): string {
  const made = dice.pick([makeSentence, drawPayload, wrapPayload, makeBomb, makePattern])(dice);
  return dice.chance(1, 4) ? mutate(made, dice) : made;
}

const leaves: readonly [string, ...string[]] = [
  'state.a',
  'state',
  'input',
  'x',
  'state.list',
  'state.text',
  'state.deep',
  'state.keys',
  'state.odd',
  'input.n',
  '1',
  '0',
  '-2.5',
  '1e300',
  '"a"',
  '""',
  'true',
  'null',
  '[]',
  '{}',
  '[1, "a", null]',
  '{"a": 1, "constructor": 2}',
  'state.odd.constructor',
  'state.odd["__proto__"]',
  'state.?missing',
  'state[?"a"].orValue(1)',
  'range(20)',
  '"\\ud800"',
];
const operators: readonly [string, ...string[]] = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '&&',
  '||',
];
const macros: readonly [string, ...string[]] = ['all', 'exists', 'exists_one', 'filter', 'map'];
const unary = (
  'size sum avg min max unique flatten keys values lower upper trim round abs int double string bool type sort reverse ' +
  'range floor ceil join merge has'
).split(' ') as [string, ...string[]];
const binary =
  'merge join split contains startsWith endsWith substring slice get round max min indexOf range matches'.split(
    ' ',
  ) as [string, ...string[]];

/** Every function and every form of the language, in any order. */
function makeSentence(dice: Dice): string {
  return sentence(dice, 5);
}

function sentence(dice: Dice, depth: number): string {
  if (depth === 0) return dice.pick(leaves);
  const inner = (): string => sentence(dice, depth - 1 - dice.draw(depth));
  const forms: readonly [() => string, ...(() => string)[]] = [
    () => dice.pick(leaves),
    () => `(${inner()} ${dice.pick(operators)} ${inner()})`,
    () => `${dice.pick(unary)}(${inner()})`,
    () => `(${inner()}).${dice.pick(binary)}(${inner()})`,
    () => `${dice.pick(['replace', 'substring', 'slice', 'get', 'max'])}(${inner()}, ${inner()}, ${inner()})`,
    () => `(${inner()}).${dice.pick(macros)}(x, ${inner()})`,
    () => `(${inner()}).map(x, ${inner()}, ${inner()})`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => `[${inner()}, ${inner()}][${inner()}]`,
    () => `{${inner()}: ${inner()}}`,
    () => `cel.bind(x, ${inner()}, ${inner()})`,
    () => `(${inner()}).?a.orValue(${inner()})`,
    () => `optional.of(${inner()}).${dice.pick(['value()', 'hasValue()', 'or(optional.none())'])}`,
    () => `!(${inner()})`,
    () => `-(${inner()})`,
    () => `has((${inner()}).a)`,
  ];
  return dice.pick(forms)();
}

function drawPayload(dice: Dice): string {
  return dice.pick(payloads) ?? '';
}

/** A payload as data, as a key, as a path, and as an argument of every function. */
function wrapPayload(dice: Dice): string {
  const text = JSON.stringify(drawPayload(dice));
  const forms: readonly [string, ...string[]] = [
    text,
    `state[${text}]`,
    `state[?${text}].orValue(0)`,
    `get(state, ${text})`,
    `get(state, [${text}], ${text})`,
    `{${text}: ${text}}`,
    `merge(state, {${text}: 1})`,
    `matches(${text}, ${text})`,
    `[${text}].map(x, state[x])`,
    `${dice.pick(unary)}(${text})`,
    `${dice.pick(binary)}(${text}, ${text})`,
    `replace(${text}, ${text}, ${text})`,
    `string({${text}: [${text}]}) + ${text}`,
    `state.${drawPayload(dice)}`,
    `(${drawPayload(dice)})`,
    `cel.bind(x, ${drawPayload(dice)}, x)`,
  ];
  return dice.pick(forms);
}

/** Work that grows with a power of what is there: it must end with its steps. */
function makeBomb(dice: Dice): string {
  const times = dice.between(2, 40);
  const doubled = (first: string, by: string, last: string): string =>
    `cel.bind(x, ${first}, ${`cel.bind(x, ${by}, `.repeat(times)}${last}${')'.repeat(times + 1)}`;
  const last = dice.pick(['size(x)', 'string(x)', 'x == x', 'x', 'unique([x, x])', 'flatten(x)']);
  const forms: readonly [() => string, ...(() => string)[]] = [
    () => doubled('[1]', '[x, x, x, x]', last),
    () => doubled('"ab"', 'x + x', last),
    () => doubled('{"a": 1}', '{"a": x, "b": x}', last),
    () => doubled('"aaaa"', 'x.replace("a", x)', last),
    () => doubled('[1, 2]', 'flatten([x, x])', last),
    () => doubled('"a"', 'join([x, x, x], x)', last),
    () => `${'state.list.map(a, '.repeat(times)}1${')'.repeat(times)}`,
    () => `${'range(100).all(a, '.repeat(times % 12)}true${')'.repeat(times % 12)}`,
    () =>
      `state.keys.map(k, ${dice.pick(['keys(state.keys)', 'string(state.keys)', 'merge(state.keys, state.keys)'])})`,
    () => `range(${10 ** dice.between(1, 15)}).map(i, state.text).join("")`,
    () => `${'('.repeat(times * 20)}1${')'.repeat(times * 20)}`,
    () => `${'-'.repeat(times * 100)}1`,
    () => `${'['.repeat(times * 5)}${']'.repeat(times * 5)}`,
    () => `1${' + 1'.repeat(times * 50)}`,
    () => `state${'.deep'.repeat(times * 3)}`,
    () => `state${'[0]'.repeat(times * 3)}`,
    () => `"a"${'.lower()'.repeat(times * 2)}`,
    () => `{${Array.from({ length: times * 20 }, (_, index) => `"k${index}": ${index}`).join(', ')}}`,
  ];
  return dice.pick(forms)();
}

/** Patterns that take a matcher which backtracks a lifetime, on texts that make it do so. */
export const evilPatterns: readonly [string, ...string[]] = [
  '(a+)+$',
  '([a-zA-Z]+)*$',
  '(a|aa)+$',
  '(a|a?)+$',
  '(.*a){12}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '(a*)*b',
  '^(a?){30}a{30}$',
  '(([a]*)*)*b',
  '^([a-zA-Z0-9])(([\\\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}$',
  '(\\\\w+\\\\s*)+:',
  '\\\\s+$',
  '(?:a{0,50}){0,20}b',
  '[a-h]{0,100}[QR]$',
  '(a{1,100}){1,100}',
  'a{1000}{1000}',
  '((((((((((a?){2}){2}){2}){2}){2}){2}){2}){2}){2}){2}b',
  '(?i)(A|B|C|D)*$',
  '\\\\p{L}+*',
  '(?=a)',
  '(a)\\\\1',
  '[',
  '(?P<n>a)(?P<n>b)',
];

function makePattern(dice: Dice): string {
  const text = dice.pick([
    'state.text',
    '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"',
    'state.text + "!"',
    'string(state.keys)',
  ]);
  const pattern = dice.chance(1, 2)
    ? dice.pick(evilPatterns)
    : mutate(dice.pick(evilPatterns), dice).replaceAll('"', '');
  return `matches(${text}, "${pattern}")`;
}

const alphabet = 'state.list()[]{}"\'\\,:?!&|+-*/%<>=0123456789 \n\t\u0000\ud800\u2028éx_$`#;@^~';

/** A few characters taken out, put in, doubled or swapped. */
export function mutate(text: string, dice: Dice): string {
  let changed = text;
  for (let times = dice.between(1, 3); times > 0; times--) {
    const at = dice.draw(changed.length + 1);
    const length = dice.draw(6);
    const piece = changed.slice(at, at + length);
    const put = [
      '',
      alphabet.charAt(dice.draw(alphabet.length)),
      piece + piece,
      Array.from(piece, (_, index) => piece.charAt(piece.length - 1 - index)).join(''),
      dice.pick(leaves),
    ];
    changed = changed.slice(0, at) + (dice.pick(put) ?? '') + changed.slice(at + length);
  }
  return changed;
}
