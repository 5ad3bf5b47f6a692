// Name trial: a workflow whose nodes, groups, variables, keys, ports, handles, outputs, tags and events are called like what
// every object of JavaScript inherits does what the same workflow with ordinary names does. Attack A3.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { isObject } from '../definitions/takes.ts';
import { show, type Trial } from '../trial.ts';
import { dataflowOf, handleOf, type Names, threadOf, tokenOf } from './named-workflows.ts';

/** May stand wherever an identifier may; the last ones only where any text may. */
const identifiers: readonly [string, ...string[]] = [
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'length',
  'then',
  'toJSON',
  'name',
  'undefined',
  'NaN',
  'arguments',
  'caller',
  'push',
  'get',
  'set',
  'value',
  'keys',
];
const texts: readonly [string, ...string[]] = [
  ...identifiers,
  '__defineGetter__',
  '__lookupSetter__',
  '__proto',
  '_proto__',
  '-1',
  '1e3',
  ' ',
  '"',
  '$&',
  '💥',
  'a/b~c',
];

export async function makeNameTrial(dice: Dice): Promise<Trial> {
  const hostile = drawNames(dice);
  const make = dice.pick([tokenOf, tokenOf, dataflowOf, threadOf, handleOf]);
  const variant = dice.draw(7);
  const source = make(hostile, variant);
  return {
    input: () => `names ${JSON.stringify(hostile)} in ${show(source)}`,
    check: async () => {
      const expected = await expectedOf(make, variant);
      const found = await run(source, hostile);
      const renamed = JSON.stringify(
        rename(found as Json, new Map(Object.entries(hostile).map(([role, name]) => [name, role]))),
      );
      return renamed === expected ? null : `Expected ${expected}, but found ${renamed}`;
    },
  };
}

/** What comes of the workflow with ordinary names; worked out once. */
const known = new Map<string, Promise<string>>();

function expectedOf(make: typeof tokenOf, variant: number): Promise<string> {
  const key = `${make.name} ${variant}`;
  const expected = known.get(key) ?? run(make(plain, variant), plain).then(mustComplete);
  known.set(key, expected);
  return expected;
}

/** Nothing is shown by two that fail alike. */
function mustComplete(found: unknown): string {
  const text = JSON.stringify(found);
  if (text.includes('"status":"completed"')) return text;
  throw new Error(`Expected the workflow with ordinary names to complete, but found ${text}`);
}

const roles = ['one', 'two', 'three', 'key', 'other', 'variable', 'group'] as const;
const plain = Object.fromEntries(roles.map((role) => [role, role])) as unknown as Names;

/** All different, so that what comes out can be told by its name. */
function drawNames(dice: Dice): Names {
  const free = { word: [...identifiers], text: [...texts] };
  const draw = (kind: 'word' | 'text'): string => {
    const name = dice.pick(free[kind]) ?? 'x';
    for (const list of Object.values(free)) if (list.includes(name)) list.splice(list.indexOf(name), 1);
    return name;
  };
  const isWord = (role: string): boolean => role === 'variable' || role === 'group';
  const words = roles.filter(isWord).map((role) => [role, draw('word')]);
  const others = roles.filter((role) => !isWord(role)).map((role) => [role, draw('text')]);
  return Object.fromEntries([...words, ...others]) as Names;
}

/** The value with its names by their roles, and its keys in order. */
function rename(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((member: Json) => rename(member, names));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, Json] => [
    names.get(key) ?? key,
    rename(member, names),
  ]);
  return Object.fromEntries(members.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

let engine: Promise<TestEngine> | null = null;
let used = 0;

async function open(): Promise<TestEngine> {
  if (engine !== null && ++used % 200 === 0) {
    await (await engine).engine.close({ graceMs: 0 });
    engine = null;
  }
  const echo = ({ input }: { readonly input: unknown }): unknown => input;
  const route = ({
    data,
    context,
  }: {
    readonly data: Readonly<Record<string, unknown>>;
    readonly context: object;
  }): unknown => ({
    ...context,
    ...data,
  });
  engine ??= createTestEngine({ actions: { echo }, executors: { ROUTE: route as never } });
  return engine;
}

/** What comes of it, and whether it is found again by its tag. */
async function run(source: Json, { key, other, one }: Names): Promise<unknown> {
  const { engine: opened } = await open();
  const { problems, version } = await opened.register(source as never); // as it was made
  if (version === null) return { refused: problems.map(({ code, pointer }) => `${code} ${pointer}`) };
  const { id } = source as { readonly id: string };
  const input = { list: [{ [key]: 1 }, { [key]: 2 }], [other]: one };
  const started = await opened.start(id, input, { version, tags: { [key]: other } });
  const { status, output, error } = await started.result();
  const [tagged] = await opened.runs({ tags: { [key]: other }, limit: 1 });
  const nodes = (await started.nodes()).map((node) => [node.nodeId, node.status]);
  return rename(
    {
      status,
      output: output ?? null,
      error: (error?.message ?? null) as Json,
      nodes,
      isTagged: tagged?.runId === started.id,
    },
    new Map(),
  );
}
