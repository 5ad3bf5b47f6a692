import { describe, expect, test } from 'vitest';
import { parseDefinition } from '../dialects/parse.ts';
import { defaultLimits } from './limits.ts';

const parse = (source: object) => parseDefinition(source, { limits: defaultLimits });

const problemsOf = (source: object): string[] =>
  parse(source).problems.map(
    ({ severity, code, pointer, message, hint }) =>
      `${severity} ${code} ${pointer}: ${message}${hint === undefined ? '' : ` | ${hint}`}`,
  );

/** One node, as it is given. */
const node = (parts: object): string[] => problemsOf({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', ...parts }] });

/** A batch `a` with a transition to `b`, as it is given. */
const slice = (parts: object, batch: object = { items: 'input.xs' }): string[] =>
  problemsOf({
    id: 'w',
    initialNode: 'a',
    nodes: [{ id: 'a', batch }, { id: 'b' }],
    transitions: [{ from: 'a', to: 'b', on: 'slice', ...parts }],
  });

describe('prompts', () => {
  test.each([true, {}, { title: 'Publish?' }, { schema: true }, { deadlineMs: 1 }, { deadline_ms: 1 }])(
    '[DF51] they may be: %j',
    (input) => {
      expect(node({ input })).toEqual([]);
    },
  );

  test('[DF51] false says nothing', () => {
    expect(node({ input: false })).toEqual([
      'error WRONG_TYPE /nodes/0/input: Expected "input" of node "a" to be true or a prompt, but found false | Leave it out.',
    ]);
  });

  test('[DF51][DF46] a schema with a mistake is found, with a pointer into it', () => {
    expect(node({ input: { schema: { properties: { ok: { type: 'bool' } } } } })).toEqual([
      expect.stringMatching(/^error INVALID_SCHEMA \/nodes\/0\/input\/schema\/properties\/ok\/type: /),
    ]);
  });

  test('[DF51] other mistakes', () => {
    expect(node({ input: { titel: 'Publish?', deadlineMs: 0 } })).toEqual([
      'error UNKNOWN_FIELD /nodes/0/input/titel: Expected only known fields in a prompt of node "a", but found "titel" | Did you mean "title"?',
      'error OUT_OF_RANGE /nodes/0/input/deadlineMs: Expected "deadlineMs" of node "a" to be a whole number of at least 1, but found 0',
    ]);
    expect(node({ input: 'Publish?' })).toEqual([expect.stringMatching(/^error WRONG_TYPE \/nodes\/0\/input: /)]);
  });

  test('[DF51] two policies for prompts', () => {
    const one = (inputPolicy: string) =>
      problemsOf({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', input: true }], inputPolicy });
    expect([one('open'), one('serial')]).toEqual([[], []]);
    expect(one('parallel')).toEqual([expect.stringContaining('/inputPolicy')]);
  });
});

describe('waits for events', () => {
  test.each([{ event: 'paid' }, { event: 'paid', correlation: 'input.order' }, { event: 'p', timeoutMs: 5 }])(
    '[DF52] they may be: %j',
    (wait) => {
      expect(node({ wait })).toEqual([]);
    },
  );

  test.each(['seconds', 'until'])('[DF52] correlation and timeoutMs do not belong to a wait for time: %s', (kind) => {
    expect(node({ wait: { [kind]: 5, correlation: 'input.order', timeout_ms: 5 } })).toEqual([
      'error NOT_ALLOWED /nodes/0/wait/correlation: Expected "correlation" beside "event" in the wait of node "a", but it waits for no event',
      'error NOT_ALLOWED /nodes/0/wait/timeout_ms: Expected "timeoutMs" beside "event" in the wait of node "a", but it waits for no event',
    ]);
  });

  test('[DF52][DF25] the name is no expression, the correlation is one', () => {
    expect(node({ wait: { event: 'a b + (', correlation: 'input.' } })).toEqual([
      expect.stringMatching(/^error EXPRESSION_\w+ \/nodes\/0\/wait\/correlation: /),
    ]);
  });

  test('[DF52] names that cannot be', () => {
    for (const event of ['', 'a\nb', 'x'.repeat(201)])
      expect(node({ wait: { event } })).toEqual([expect.stringMatching(/^error \w+ \/nodes\/0\/wait\/event: /)]);
  });
});

describe('batches', () => {
  test.each(['state.xs', 'output.a.b', 'input.papers', 'state.with-dash.ü'])('[DF53] items may be at %s', (items) => {
    const unread = slice({}, { items }).filter((problem) => !problem.includes('READS_NOTHING'));
    expect(unread).toEqual([]);
  });

  test.each(['state', 'xs', '', 'state.', 'state..xs', 'state[0]', 'result.xs', '_branch.xs', 'state.__proto__.xs'])(
    '[DF53] items cannot be at %j',
    (items) => {
      expect(slice({}, { items })).toEqual([
        `error INVALID_TARGET /nodes/0/batch/items: Expected "items" of node "a" to be a path below state, output or input, but found "${items}" | Write a path such as "state.papers".`,
      ]);
    },
  );

  test('[DF53] other mistakes', () => {
    const merge = { strategy: 'append', target: 'input.x', source: 'result.x' };
    expect(slice({}, { items: 'input.xs', merge })).toEqual([
      'error INVALID_TARGET /nodes/0/batch/merge/target: Expected a target that can be written (input cannot), but found "input.x", in the merge of node "a"',
      'error EXPRESSION_UNKNOWN_NAME /nodes/0/batch/merge/source: Expected one of input, state, output, _branch, _batch, but found result, in the merge of node "a"',
    ]);
    expect(slice({}, { batchSize: -1, parallelBatches: 0 })).toEqual([
      'error OUT_OF_RANGE /nodes/0/batch/batchSize: Expected "batchSize" of node "a" to be a whole number of at least 0 and at most 1000000000, but found -1',
      'error OUT_OF_RANGE /nodes/0/batch/parallelBatches: Expected "parallelBatches" of node "a" to be a whole number of at least 1, but found 0',
      'error MISSING_FIELD /nodes/0/batch: Expected a batch of node "a" to have "items", but it has none',
    ]);
  });

  test('[DF54] a transition for slices may tolerate failures, and have an id', () => {
    expect(slice({ id: 's', onBranchFailure: 'end', max_failures: 3, meta: { color: 'red' } })).toEqual([]);
    expect(slice({ maxFailures: 3 })).toEqual([
      'error NOT_ALLOWED /transitions/0/maxFailures: Expected "maxFailures" beside "onBranchFailure": "end", but transition "a->b" does not say that',
    ]);
  });

  test.each([
    ['condition', 'true'],
    ['priority', 2],
    ['spawnCount', 2],
    ['foreach', { collection: 'input.xs' }],
    ['siblingGroup', 'g'],
    ['loop', { maxIterations: 2 }],
    ['emptyJoin', 'b'],
  ])('[DF54] nothing else: %s', (field, value) => {
    expect(slice({ [field]: value })).toContain(
      `error NOT_ALLOWED /transitions/0/${field}: Expected transition "a->b" only to lead on, since it is for slices, but found "${field}" | Put it on a transition behind the first node of the slice.`,
    );
  });

  test('[DF54] it leaves a batch, and nothing else', () => {
    expect(
      problemsOf({
        id: 'w',
        initialNode: 'a',
        nodes: [{ id: 'a', action: 'x' }, { id: 'b' }],
        transitions: [{ from: 'a', to: 'b', on: 'slice' }],
      }),
    ).toEqual([
      'error NOT_ALLOWED /transitions/0/on: Expected transition "a->b" to leave a batch, since it is for slices, but node "a" is none',
    ]);
  });

  test('[DF54] several of one batch do not contradict each other; one word is enough for all', () => {
    const both = (first: object, second: object) =>
      problemsOf({
        id: 'w',
        initialNode: 'a',
        nodes: [{ id: 'a', batch: { items: 'input.xs' } }, { id: 'b' }, { id: 'c' }],
        transitions: [
          { from: 'a', to: 'b', on: 'slice', ...first },
          { from: 'a', to: 'c', on: 'slice', ...second },
        ],
      });
    expect(both({}, { onBranchFailure: 'end', maxFailures: 2 })).toEqual([]);
    expect(both({ onBranchFailure: 'fail' }, { onBranchFailure: 'end' })).toEqual([
      'error GROUP_DISAGREES /transitions/1/onBranchFailure: Expected transition "a->b" and transition "a->c" to agree on "onBranchFailure" of the slices of "a", but they differ',
    ]);
  });

  test('[DF54] a batch without one is worth a warning', () => {
    expect(node({ batch: { items: 'input.xs' } })).toEqual([
      'warning NO_EFFECT /nodes/0/batch: Expected a transition with "on": "slice" from batch "a", but there is none: nothing is done with its items',
    ]);
  });

  test('[DF54] one that cannot be read is still a batch', () => {
    expect(slice({}, { items: 5 })).toEqual([expect.stringMatching(/^error WRONG_TYPE \/nodes\/0\/batch\/items: /)]);
  });

  test('[DF54][DF9] node-level fan_out is about the ways out of a batch, not about its slices', () => {
    const source = (fanOut: string) => ({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a', batch: { items: 'input.xs' }, fan_out: fanOut }, { id: 'b' }, { id: 'c' }, { id: 'd' }],
      transitions: [
        { from: 'a', to: 'b', on: 'slice' },
        { from: 'a', to: 'c' },
        { from: 'a', to: 'd' },
      ],
    });
    expect(parse(source('first_match')).definition).toMatchObject({
      transitions: [
        { from: 'a', to: 'b', on: 'slice' },
        { from: 'a', to: 'c', priority: 1 },
        { from: 'a', to: 'd', priority: 2 },
      ],
    });
    expect(parse(source('all')).definition).toMatchObject({
      transitions: [
        { from: 'a', to: 'b', on: 'slice' },
        { from: 'a', to: 'c', siblingGroup: 'a' },
        { from: 'a', to: 'd', siblingGroup: 'a' },
      ],
    });
  });
});
