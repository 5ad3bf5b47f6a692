import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { compileGraph } from '../dialects/compile-graph.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { Budget } from './budget.ts';
import type { Definition, TransitionDefinition } from './definition.ts';
import { accepted } from './definitions.testsuite.ts';
import { JoinFinder, type Opening } from './home-join.ts';
import { defaultLimits } from './limits.ts';
import { type Wire, type Wiring, wire } from './wiring.ts';

const limits = { ...defaultLimits, definitionAnalysisMax: 20_000 };

const plain = ['a', 'b', 'c', 'start', 'state.x', 'result', '_branch.output', 'all', 'any', 'end', 'edges', 'g', ''];
const odd = ['__proto__', 'state._last_error', 'first_match', 'failure', 'input.list', 'size(', 'a/b~c', 'toString'];
const word = fc.constantFrom(...plain, ...odd);
const value = fc.oneof(
  { depthSize: 'small' },
  word,
  fc.constantFrom<Json>(0, 1, 2, -1, 1.5, 1e15, true, false, null),
  fc.array(word, { maxLength: 2 }),
  fc.dictionary(word, word, { maxKeys: 2 }),
  fc.constantFrom<Json>({ mOfN: 2 }, { strategy: 'all' }, { over: 'edges' }, { maxIterations: 2 }, { seconds: 1 }),
  fc.constantFrom<Json>({ collection: 'input.list' }, { target: 'state.x', strategy: 'append' }, { maxAttempts: 2 }),
);
const nodeKeys = ['action', 'workflow', 'wait', 'input', 'fan_out', 'fanIn', 'merge', 'retry', 'execution', 'zzz'];
const transitionKeys = ['foreach', 'spawnCount', 'sibling_group', 'synchronization', 'loop', 'on', 'priority'];
const more = ['condition', 'emptyJoin', 'maxFailures', 'onBranchFailure', 'id', 'zzz'];
const anyNode = fc
  .tuple(word, fc.dictionary(fc.constantFrom(...nodeKeys), value, { maxKeys: 2 }))
  .map(([id, rest]) => ({ id, ...rest }));
const transition = fc
  .tuple(word, word, fc.dictionary(fc.constantFrom(...transitionKeys, ...more), value, { maxKeys: 3 }))
  .map(([from, to, rest]) => ({ from, to, ...rest }));
const definition = fc.record({
  id: fc.constantFrom('w', 'bad name', 3),
  initialNode: word,
  nodes: fc.array(fc.oneof({ weight: 9, arbitrary: anyNode }, { weight: 1, arbitrary: value }), { maxLength: 5 }),
  transitions: fc.array(transition, { maxLength: 6 }),
});

/** Whether a pointer leads to something in the source; one into a structured condition may name what is missing. */
function leads(source: Json, pointer: string): boolean {
  const [, condition, rest] = /^(.*\/condition)(\/.*)?$/.exec(pointer) ?? [];
  if (condition !== undefined && rest !== undefined) return leads(source, condition);
  let here: Json | undefined = source;
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return false;
    here = (here as JsonObject)[name];
  }
  return true;
}

test('whatever comes, the problems point into it, and what has no errors compiles and parses to itself', () => {
  fc.assert(
    fc.property(fc.oneof(definition, fc.jsonValue({ maxDepth: 4 })), (source) => {
      const parsed = parseDefinition(source, { limits });
      for (const { pointer, message } of parsed.problems) {
        expect(leads(source as Json, pointer), `${pointer}: ${message}`).toBe(true);
        expect(message).toMatch(/^Expected .+, but /s);
      }
      expect(parsed.definition === null).toBe(parsed.problems.some(({ severity }) => severity === 'error'));
      if (parsed.definition === null) return;
      compileGraph(parsed.definition, { version: 1, limits });
      const again = parseDefinition(parsed.definition, { limits });
      expect(again.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(again.definition).toEqual(parsed.definition);
    }),
    { numRuns: 1_500, seed: 17 },
  );
});

test('one change to a good definition: no surprise', () => {
  const change = fc.tuple(fc.constantFrom(...accepted), fc.nat(), value);
  fc.assert(
    fc.property(change, ([{ definition: good }, seed, replacement]) => {
      const source = JSON.parse(JSON.stringify(good)) as Json;
      replaceSomewhere(source, seed, replacement);
      const parsed = parseDefinition(source, { limits });
      for (const { pointer, message } of parsed.problems) expect(leads(source, pointer), message).toBe(true);
      if (parsed.definition !== null) compileGraph(parsed.definition, { version: 1, limits });
    }),
    { numRuns: 1_500, seed: 17 },
  );
});

function replaceSomewhere(source: Json, seed: number, replacement: Json): void {
  const places: { holder: Record<string, Json>; key: string }[] = [];
  const queue: Json[] = [source];
  for (let part = queue.pop(); part !== undefined; part = queue.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    const holder = part as Record<string, Json>;
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      queue.push(holder[key] as Json);
    }
  }
  const place = places[seed % places.length];
  if (place !== undefined) place.holder[place.key] = replacement;
}

interface Part {
  readonly ends: readonly [number, number];
  readonly rest: Partial<TransitionDefinition>;
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const nothing = {};
const named = (siblingGroup: string): Partial<TransitionDefinition> => ({ siblingGroup });
const joined = (group: object): Partial<TransitionDefinition> => ({ synchronization: { strategy: 'all', ...group } });
const openings = [nothing, nothing, nothing, { spawnCount: 2 }, { spawnCount: 2, ...named('red') }, named('blue')];
const joins = [nothing, nothing, nothing, joined({}), joined(named('red')), joined(named('blue'))];
const opening = fc.constantFrom(...openings);
const joining = fc.constantFrom(...joins);
const looping = fc.constantFrom(nothing, nothing, { loop: { maxIterations: 2 } });
const end = fc.nat(names.length - 1);
const part: fc.Arbitrary<Part> = fc
  .tuple(end, end, opening, joining, looping)
  .map(([from, to, ...rest]) => ({ ends: [from, to], rest: Object.assign({}, ...rest) }));

function makeGraph(parts: readonly Part[], isAcyclic: boolean): Definition {
  const transitions = parts.flatMap(({ ends: [from, to], rest: { loop, ...rest } }, index): TransitionDefinition[] => {
    if (isAcyclic && from === to) return [];
    const [first, last] = isAcyclic && from > to ? [to, from] : [from, to];
    const all = isAcyclic || loop === undefined ? rest : { ...rest, loop };
    return [{ id: `t${index}`, from: names[first] ?? '', to: names[last] ?? '', priority: index, ...all }];
  });
  return { id: 'w', initialNode: 'a', nodes: names.map((id) => ({ id })), transitions };
}

test('graphs of every kind: what has no errors compiles and parses to itself', () => {
  let sound = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const source = makeGraph(parts, false);
      const parsed = parseDefinition(source, { limits });
      if (parsed.definition === null) return;
      sound += 1;
      expect(parsed.definition).toEqual(source);
      const graph = compileGraph(parsed.definition, { version: 1, limits });
      expect(graph.transitions.map(({ id }) => id)).toEqual(source.transitions?.map(({ id }) => id));
    }),
    { numRuns: 2_000, seed: 17 },
  );
  expect(sound).toBeGreaterThan(200);
});

test('[DF40] without cycles, the joins of a group are those that following every way finds', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const { nodes, transitions = [] } = makeGraph(parts, true);
      const wiring = wire(nodes, transitions);
      const finder = new JoinFinder(wiring, { depthMax: 64, budget: new Budget(1_000_000) });
      for (const made of finder.openings) {
        const found = finder.trace(made).joins.map(({ id }) => id);
        expect(found.toSorted()).toEqual(followEveryWay(wiring, made, finder).toSorted());
      }
    }),
    { numRuns: 2_000, seed: 17 },
  );
});

/** The rule in its plainest form: every path, with the list of groups opened on it. */
function followEveryWay(wiring: Wiring, { node, wires }: Opening, finder: JoinFinder): string[] {
  const found = new Set<string>();
  const take = (next: Wire, outer: readonly string[]): void => {
    const inside = next.opens === null ? outer : [...outer, next.opens];
    if (next.join === null) return visit(next.to, inside);
    const at = next.join.group === null ? inside.length - 1 : inside.lastIndexOf(next.join.group);
    if (at === 0) found.add(next.join.id);
    else if (at > 0) visit(next.to, inside.slice(0, at));
    else if (!finder.mayEnclose(next.join.group ?? '', node)) visit(next.to, inside);
  };
  const visit = (number: number, inside: readonly string[]): void => {
    for (const next of wiring.outgoing[number] ?? []) take(next, inside);
  };
  for (const first of wires) take(first, []);
  return [...found];
}
