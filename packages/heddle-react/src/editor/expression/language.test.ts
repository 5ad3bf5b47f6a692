// The language of expression fields: completion by scope, problems at their places, values on data.

import type { Definition } from 'heddle';
import { functionNames } from 'heddle/expressions';
import { expect, test } from 'vitest';
import { complete } from './complete.ts';
import { functions } from './functions.ts';
import { checkExpression, evaluateExpression } from './language.ts';
import { tokenScope } from './token-scope.ts';

const definition: Definition = {
  id: 'papers',
  initialNode: 'load',
  inputSchema: {
    type: 'object',
    properties: { topic: { type: 'string' }, authors: { type: 'array', items: { $ref: '#/$defs/person' } } },
    $defs: { person: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } } },
  },
  nodes: [
    { id: 'load', action: 'load', outputMapping: { 'state.papers': 'result.papers' } },
    { id: 'score', action: 'score', outputMapping: { 'state.score': 'result.score' } },
    { id: 'done', outputMapping: { 'output.scores': 'state.scores' } },
  ],
  transitions: [
    { from: 'load', to: 'score', foreach: { collection: 'state.papers', itemVar: 'paper' }, siblingGroup: 'papers' },
    {
      from: 'score',
      to: 'done',
      synchronization: { siblingGroup: 'papers', merge: { target: 'state.scores', strategy: 'append' } },
    },
  ],
};

const paper = { type: 'object', properties: { title: { type: 'string' }, year: { type: 'integer' } } } as const;
const actions = {
  load: { output: { type: 'object', properties: { papers: { type: 'array', items: paper } } } },
  score: { output: { type: 'object', properties: { score: { type: 'number' } } } },
} as const;

const atScore = tokenScope(definition, { type: 'inputMapping', nodeId: 'score' }, actions);
const afterScore = tokenScope(definition, { type: 'condition', nodeId: 'score' }, actions);

const labels = (source: string, scope = atScore): readonly string[] => {
  const found = complete(source, source.length, scope);
  return found === null ? [] : found.options.filter(({ kind }) => kind !== 'macro').map(({ label }) => label);
};

test('names are completed: input, state, results, items, functions', () => {
  expect(labels('')).toEqual(expect.arrayContaining(['input', 'state', 'output', 'paper', '_branch', 'size']));
  expect(labels('')).not.toContain('result');
  expect(labels('', afterScore)).toContain('result');
  expect(labels('size(')).toContain('input');
});

test('members are completed by schemas and by what nodes before have written', () => {
  expect(labels('input.')).toEqual(['topic', 'authors']);
  expect(labels('input.authors[0].n')).toEqual(['name', 'age']);
  expect(labels('state.')).toEqual(['papers']);
  expect(labels('paper.')).toEqual(['title', 'year']);
  expect(labels('1 + result.', afterScore)).toEqual(['score']);
  expect(labels('state.', afterScore)).toEqual(['papers', 'score']);
  expect(labels('_branch.')).toContain('index');
  expect(labels('state.', tokenScope(definition, { type: 'output' }, actions))).toEqual(['papers', 'score', 'scores']);
});

test('a summary reads the run itself, and that of a node what its visit gave', () => {
  const ofRun = tokenScope(definition, { type: 'summary', nodeId: null }, actions);
  const ofNode = tokenScope(definition, { type: 'summary', nodeId: 'score' }, actions);
  expect(ofRun.names.map(({ name }) => name)).toEqual(['input', 'state', 'output']);
  expect(ofNode.names.map(({ name }) => name)).toEqual(['input', 'state', 'result']);
  expect(labels('state.', ofNode)).toEqual(['papers', 'score', 'scores']);
  expect(labels('result.', ofNode)).toEqual(['score']);
});

test('variables of macros are known', () => {
  expect(labels('state.papers.filter(p, p.')).toEqual(['title', 'year']);
  expect(labels('state.papers.filter(p, p.year > 2000).map(q, ')).toContain('q');
});

test('in a text nothing is suggested; a word is replaced from its beginning', () => {
  expect(complete('"inp', 4, atScore)).toBeNull();
  expect(complete('1 + inp', 7, atScore)?.from).toBe(4);
  expect(complete('input.to', 8, atScore)?.from).toBe(6);
});

test('what can be called is what the language has', () => {
  expect(functions.map(({ name }) => name).toSorted()).toEqual(functionNames.toSorted());
});

test('a problem has its place', () => {
  expect(checkExpression({ source: 'input.a', names: ['input'] })).toBeNull();
  expect(checkExpression({ source: 'inputt.a', names: ['input'] })).toMatchObject({
    code: 'EXPRESSION_UNKNOWN_NAME',
    position: 0,
  });
  expect(checkExpression({ source: '1 + + 2', names: [] })).toMatchObject({ code: 'EXPRESSION_SYNTAX', position: 4 });
});

test('an expression is evaluated on data', () => {
  const data = { input: { n: 2 } };
  expect(evaluateExpression({ source: 'input.n * 21', names: ['input'], data })).toEqual({ type: 'value', value: 42 });
  expect(evaluateExpression({ source: 'input.m', names: ['input'], data })).toMatchObject({ type: 'missing' });
  expect(evaluateExpression({ source: 'input.', names: ['input'], data })).toMatchObject({ type: 'error' });
});
