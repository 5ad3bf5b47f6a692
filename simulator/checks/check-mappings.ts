// What must be true of mappings (I35): the input of a task and what a node writes are what its mappings give, and the
// ways that it takes are those whose conditions hold. Where a dialect writes by edits, only its oracle knows.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { isJsonObject } from '../../packages/heddle/src/base/path.ts';
import { conditionSource } from '../../packages/heddle/src/expression/condition.ts';
import type { DrawnTransition } from './drawing.ts';
import type { TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';
import { evaluate, type Viewpoint } from './scope.ts';
import { isEqual, isSame, type Writing, writeAt } from './values.ts';

/** The input of a task or a sub-run, at its first hand-out. */
export function checkInput(facts: RunFacts, { id, branch, lastError, failure, node }: TokenFact, input: Json): void {
  const { inputMapping = {}, inputEdits } = node.source;
  if (inputEdits !== undefined) return;
  let expected: Json = {};
  for (const [target, source] of Object.entries(inputMapping)) {
    const value = valueOf(facts, { branch, lastError, failure }, source);
    if (value !== undefined) expected = writeAt(expected, target.split('.'), value);
  }
  if (!isEqual(input, expected))
    facts.broken(
      'I35',
      `Expected token ${id} to be given ${JSON.stringify(expected)}, but it got ${JSON.stringify(input)}`,
    );
}

/** Before it is written. */
export function checkWrites(facts: RunFacts, token: TokenFact, writes: readonly Writing[]): void {
  const { outputMapping = {}, edits } = token.node.source;
  if (edits !== undefined) return;
  const { branch, lastError, failure, result } = token;
  const expected: Writing[] = [];
  for (const [target, source] of Object.entries(outputMapping)) {
    const value = valueOf(facts, { branch, lastError, failure, result }, source);
    if (value !== undefined) expected.push([target, value]);
  }
  if (!isSame(writes, expected))
    facts.broken(
      'I35',
      `Expected token ${token.id} to write ${JSON.stringify(expected)}, but it wrote ${JSON.stringify(writes)}`,
    );
}

function valueOf(facts: RunFacts, from: Viewpoint, source: string): Json | undefined {
  const evaluated = evaluate(facts, from, source);
  if ('failure' in evaluated) facts.broken('I35', `Expected ${source} to fail its node, but it did not`);
  return evaluated.value;
}

// ------------------------------------------------------------------------------------------------------------- routes

/** The transitions that a token which has just ended must take; null where its journal does not tell. */
export function routeOf(facts: RunFacts, token: TokenFact, failure: Failure | null): readonly string[] | null {
  const { branch, node, iterations, result } = token;
  // The handle that an executor took is not told.
  if (facts.drawing.policy.controlKeys && node.kind === 'action' && failure === null) return null;
  const known = failure === null ? { failure: token.lastError ?? token.failure } : { lastError: failure };
  const { namesHandles, exhaustedLoop } = facts.drawing.policy;
  const answer = namesHandles && node.kind === 'action' ? nameHandles(result) : result;
  const from = { branch, ...known, result: failure === null ? answer : {} };
  for (const tier of facts.drawing.tiersOf(node.id, failure === null ? 'success' : 'failure')) {
    const matched: DrawnTransition[] = [];
    for (const transition of tier) {
      const { loop } = transition.source;
      const isExhausted = loop !== undefined && (iterations?.[transition.id] ?? 0) >= loop.maxIterations;
      if (isExhausted && exhaustedLoop === 'pass') continue;
      const holds = conditionHolds(facts, from, transition);
      if (holds === null || (holds && isExhausted)) return [];
      if (holds) matched.push(transition);
    }
    if (matched.length === 0) continue;
    const canSpawn = matched.every((transition) => hasList(facts, { branch, ...known }, transition));
    return canSpawn ? matched.map(({ id }) => id) : [];
  }
  return [];
}

/** A result names the handles that are taken, by a text, true, false, or a list of them. */
function nameHandles(result: Json | undefined): Json {
  const named = isJsonObject(result) ? result['_branch'] : undefined;
  const list = named === undefined || named === null ? null : [named].flat();
  const isHandle = (handle: Json): boolean => typeof handle === 'string' || typeof handle === 'boolean';
  return { output: null, handles: list?.every(isHandle) ? list.map(String) : null };
}

/** Null if it gives neither true nor false. */
function conditionHolds(facts: RunFacts, from: Viewpoint, { source: { condition } }: DrawnTransition): boolean | null {
  if (condition === undefined || typeof condition === 'boolean') return condition ?? true;
  const made = conditionSource(condition);
  const evaluated = evaluate(facts, from, 'source' in made ? made.source : 'null');
  return 'value' in evaluated && typeof evaluated.value === 'boolean' ? evaluated.value : null;
}

function hasList(facts: RunFacts, from: Viewpoint, { source: { foreach } }: DrawnTransition): boolean {
  if (foreach === undefined) return true;
  const evaluated = evaluate(facts, from, foreach.collection);
  return 'value' in evaluated && Array.isArray(evaluated.value);
}

/** What was taken is what had to be. */
export function checkRoute(facts: RunFacts, { id, fired }: TokenFact, expected: readonly string[]): void {
  const taken = fired ?? [];
  if (taken.length !== expected.length || !expected.every((way) => taken.includes(way)))
    facts.broken(
      'I35',
      `Expected token ${id} to take ${expected.join() || 'no way'}, but it took ${taken.join() || 'none'}`,
    );
}
