// Functions: what can be called in an expression, with how it is written and what it gives; for completion.

export interface FunctionHelp {
  readonly name: string;
  /** As it is called on its first argument: `list.map(x, value)`. */
  readonly call: string;
  readonly gives: string;
}

const help = (name: string, call: string, gives: string): FunctionHelp => ({ name, call, gives });

/** Called on a list or an object, with a name for its items. */
export const macros: readonly FunctionHelp[] = [
  help('all', 'list.all(x, test)', 'true if it holds for every item'),
  help('exists', 'list.exists(x, test)', 'true if it holds for one or more'),
  help('exists_one', 'list.exists_one(x, test)', 'true if it holds for exactly one'),
  help('filter', 'list.filter(x, test)', 'the items for which it holds'),
  help('map', 'list.map(x, value)', 'the values of all items'),
];

export const functions: readonly FunctionHelp[] = [
  help('has', 'has(state.a.b)', 'false if any part of the path is missing'),
  help('size', 'size(x)', 'how many items, members or characters'),
  help('sum', 'sum(list)', 'the sum of numbers'),
  help('avg', 'avg(list)', 'the average of numbers'),
  help('min', 'min(list)', 'the smallest'),
  help('max', 'max(a, b, …)', 'the largest'),
  help('sort', 'sort(list)', 'a new list, in order'),
  help('reverse', 'reverse(list)', 'a new list, backwards'),
  help('unique', 'unique(list)', 'the first of equal items'),
  help('flatten', 'flatten(list)', 'one level less'),
  help('slice', 'slice(list, from, to)', 'a part of a list'),
  help('range', 'range(n)', '[0, 1, … n - 1]'),
  help('keys', 'keys(object)', 'its keys, as a list'),
  help('values', 'values(object)', 'its values, as a list'),
  help('merge', 'merge(a, b, …)', 'one object; later ones win'),
  help('get', 'get(x, path, default)', 'the member at "a.b.0"'),
  help('contains', 'contains(x, part)', 'for a text or a list'),
  help('startsWith', 'startsWith(text, part)', 'true or false'),
  help('endsWith', 'endsWith(text, part)', 'true or false'),
  help('indexOf', 'indexOf(text, part)', 'the first place, or -1'),
  help('lower', 'lower(text)', 'in small letters'),
  help('upper', 'upper(text)', 'in capital letters'),
  help('trim', 'trim(text)', 'without blanks around it'),
  help('replace', 'replace(text, part, by)', 'every occurrence replaced'),
  help('substring', 'substring(text, from, to)', 'a part of a text'),
  help('split', 'split(text, separator)', 'a list of texts'),
  help('join', 'join(list, separator)', 'one text'),
  help('matches', "matches(text, 'pattern')", 'whether the pattern occurs'),
  help('round', 'round(x, digits)', 'halves away from zero'),
  help('floor', 'floor(x)', 'the next whole number below'),
  help('ceil', 'ceil(x)', 'the next whole number above'),
  help('abs', 'abs(x)', 'without its sign'),
  help('int', 'int(x)', 'a whole number, without the fraction'),
  help('double', 'double(x)', 'a number, from a number or a text'),
  help('string', 'string(x)', 'a text; lists and objects as JSON'),
  help('bool', 'bool(x)', 'from "true" or "false"'),
  help('type', 'type(x)', '"null", "boolean", "number", "string", "list" or "object"'),
];
