import { describe, expect, test } from 'vitest';
import { compile, outcome } from './evaluation.testsuite.ts';

describe('what does not compile', () => {
  test.each([
    ['', 'EXPRESSION_SYNTAX'],
    ['state.', 'EXPRESSION_SYNTAX'],
    ['1 +', 'EXPRESSION_SYNTAX'],
    ['state n', 'EXPRESSION_SYNTAX'],
    ['"open', 'EXPRESSION_SYNTAX'],
    ['for', 'EXPRESSION_SYNTAX'],
    ['state.in', 'EXPRESSION_SYNTAX'],
    ['9007199254740993', 'EXPRESSION_SYNTAX'],
    ['lower()', 'EXPRESSION_SYNTAX'],
    ['lower("a", "b")', 'EXPRESSION_SYNTAX'],
    ['state.list.map(1, 2)', 'EXPRESSION_SYNTAX'],
    ['state.list.all(x)', 'EXPRESSION_SYNTAX'],
    ['has(1)', 'EXPRESSION_SYNTAX'],
    ['has(state.n + 1)', 'EXPRESSION_SYNTAX'],
    ['state.name.matches("(")', 'EXPRESSION_SYNTAX'],
    ['state.name.matches("(?=a)")', 'EXPRESSION_SYNTAX'],
    ['foo', 'EXPRESSION_UNKNOWN_NAME'],
    ['state.list.map(x, x) + x', 'EXPRESSION_UNKNOWN_NAME'],
    ['nope(1)', 'EXPRESSION_UNKNOWN_NAME'],
    ['state.nope()', 'EXPRESSION_UNKNOWN_NAME'],
    ['timestamp("2020-01-01T00:00:00Z")', 'EXPRESSION_UNKNOWN_NAME'],
    ['duration("1s")', 'EXPRESSION_UNKNOWN_NAME'],
    ['b"abc"', 'EXPRESSION_FORBIDDEN'],
    ['state.name.matches(input.url)', 'EXPRESSION_FORBIDDEN'],
  ])('%s: %s', (source, code) => {
    expect(outcome(source, {})).toBe(code);
  });

  test('says what is in scope, and where the culprit stands', () => {
    expect(compile('1 + foo')).toEqual({
      problem: {
        code: 'EXPRESSION_UNKNOWN_NAME',
        message: 'Expected one of input, state, output, result, _branch, paper, but found foo',
        position: 4,
      },
    });
  });

  test('the leftmost problem is the one reported', () => {
    expect(compile('foo + bar * baz(1)')).toMatchObject({ problem: { position: 0 } });
    expect(compile('state.a && foo && bar')).toMatchObject({ problem: { position: 11 } });
  });

  test('keys without quotes get a hint', () => {
    expect(compile('{"x": 1, total: 2}')).toMatchObject({ problem: { hint: 'Write the keys of objects in quotes.' } });
  });

  test('a function that is nearly right gets a hint', () => {
    expect(compile('toLower("A")')).toMatchObject({ problem: { hint: 'Did you mean lower?' } });
  });
});

describe('roots', () => {
  test.each([
    ['1 + 2', []],
    ['"a"', []],
    ['state.a.b', ['state']],
    ['state.n > 3 && input.kind == "a"', ['input', 'state']],
    ['state.list.map(x, x + _branch.index)', ['_branch', 'state']],
    ['state.list.map(paper, paper.id)', ['state']],
    ['state.list.map(state, state)', ['state']],
    ['[1].map(state, state)', []],
    ['cel.bind(x, input.a, x)', ['input']],
    ['has(paper.id) ? paper.id : result.id', ['paper', 'result']],
    ['{"a": output.?b.orValue(state)}', ['output', 'state']],
    ['optional.of(state).value()', ['state']],
  ])('%s reads %j', (source, roots) => {
    const compiled = compile(source);
    expect('expression' in compiled && [...compiled.expression.roots].toSorted()).toEqual(roots);
  });
});
