import { describe, expect, test } from 'vitest';
import { compile, outcome } from './evaluation.testsuite.ts';

function messageOf(source: string): string | false {
  const compiled = compile(source);
  return 'problem' in compiled && compiled.problem.message;
}

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

  test('the sentence shows the expression and what is wrong in it', () => {
    expect(messageOf('state.x === 3')).toBe(
      'Expected an expression, but found an unexpected "=" at position 10 of "state.x === 3"',
    );
    expect(messageOf('state.x >')).toBe('Expected an expression, but "state.x >" ends too early');
    expect(messageOf("it's")).toBe(
      'Expected an expression, but found a mistake at position 2 of "it\'s": Unterminated string',
    );
    expect(messageOf(' ')).toBe('Expected an expression, but found an empty text');
    expect(messageOf(`${'state.x + '.repeat(20)}? 1`)).toBe(
      'Expected an expression, but found an unexpected "?" at position 200 of ' +
        '"…te.x + state.x + state.x + state.x + state.x + state.x + state.x + state.x + ? 1"',
    );
  });

  test.each([
    ['Ada', `A text is written in quotes of its own: 'Ada'.`],
    ['https://example.com/?a=1', `A text is written in quotes of its own: 'https://example.com/?a=1'.`],
    ['Dear Ada, well done', `A text is written in quotes of its own: 'Dear Ada, well done'.`],
    ['sate.x > 3', 'Did you mean "state"?'],
    ['state.x === 3', 'Write == and !=; both compare kind and value.'],
    ['state.x !== 3', 'Write == and !=; both compare kind and value.'],
    ['state.x = 3', 'Expressions assign nothing; write == to compare, != for its opposite.'],
    ['state.x and state.y', 'Write && for and, || for or, ! for not.'],
    ['not state.x', 'Write && for and, || for or, ! for not.'],
    ['state.x & state.y', 'Write && for and, || for or.'],
    ['${state.x} > 3', 'Write the path as it is, such as state.x; there is no ${…} or {{…}}.'],
    ['{{state.x}}', 'Write the path as it is, such as state.x; there is no ${…} or {{…}}.'],
    ['state.items.map(x => x.y)', 'There are no arrows; write list.map(x, x.y) and list.filter(x, x.y > 3).'],
    ['state.x ?? 0', 'For a default write state.?x.orValue(0).'],
    ['state?.x', 'The question mark comes behind the dot: state.?x.orValue(0).'],
    ['state.x == `a`', "A text is written in single or double quotes: 'abc'; join texts with +."],
    ['size(state.x', 'A ( is not closed; write ) where it ends.'],
    ['state.x == "a', 'A quote is not closed.'],
    ['length(state.x)', 'Did you mean size?'],
    ['state.x.includes(3)', 'Did you mean contains?'],
    ['toLower("A")', 'Did you mean lower?'],
    ['uper("A")', 'Did you mean upper?'],
    ['state.x > ', undefined],
    ['item.id', undefined],
    ["state.x == 'a and b' +", undefined],
  ])('%s gets the hint: %s', (source, hint) => {
    const compiled = compile(source);
    expect('problem' in compiled && compiled.problem.hint).toBe(hint);
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
