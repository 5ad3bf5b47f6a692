import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  ask,
  batch,
  code,
  edit,
  end,
  fanIn,
  fanOut,
  gosub,
  mappingsOf,
  type Played,
  playThreads,
  start,
  type ThreadScenario,
  thread,
  yields,
} from './thread.testsuite.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const linear: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [
        start('n'),
        edit('tidy', { kind: 'review' }, ['n']),
        code('twice', '2 * input.n', 'm'),
        end({ k: 'kind', m: 'm' }),
      ],
      ['start->tidy->twice->end'],
    ),
  ],
  input: { n: 21, other: true },
};

const fanned: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [start(), fanOut('both', 'left', 'right'), yields('a'), yields('b'), fanIn('meet'), end()],
      ['start->both:left->a->meet', 'both:right->b->meet', 'meet->end'],
    ),
  ],
  input: { kept: 1 },
  work: ({ nodeId }) => ({ value: nodeId.toUpperCase() }),
};

const diverging: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [start(), fanOut('both', 'left', 'right'), yields('a'), yields('b'), fanIn('one'), fanIn('two'), end()],
      ['start->both:left->a->one->end', 'both:right->b->two'],
    ),
  ],
  work: ({ nodeId }) => ({ value: nodeId }),
};

const uneven = (slowest: string): ThreadScenario => ({
  definitions: [
    thread(
      'w',
      [
        start(),
        fanOut('three', 'x', 'y', 'z'),
        ...['a', 'b', 'c'].map((id) => yields(id)),
        fanIn('meet'),
        yields('after', 'sum', { inputs: mappingsOf({ values: 'output' }) }),
        end(),
      ],
      ['start->three:x->a->meet', 'three:y->b->meet', 'three:z->c->meet', 'meet->after->end'],
    ),
  ],
  work: ({ nodeId, input }) => ({ value: nodeId === 'after' ? (input['values'] as string[]).join('') : nodeId }),
  rank: ({ nodeId }) => (nodeId === slowest ? 1 : 0),
});

/** A batch whose slices are worked on by the test, and what is worked on afterwards. */
const sliced = (batchSize: number, parallelBatches: number, count: number): ThreadScenario => ({
  definitions: [
    thread(
      'w',
      [
        start(),
        batch('slices', 'list', batchSize, parallelBatches),
        yields('process', 'output', { inputs: mappingsOf({ list: 'list' }) }),
        yields('after', 'seen', {
          inputs: [...mappingsOf({ list: 'list' }), { to: 'output', from: 'output', optional: true }],
        }),
        end(),
      ],
      ['start->slices:process->process', 'slices:continue->after->end'],
    ),
  ],
  input: { list: numbers(count) },
  work: ({ nodeId, input }) => {
    const { length } = input['list'] as unknown[];
    return { value: nodeId === 'after' ? { length, output: input['output'] ?? 'none' } : length };
  },
});

const batchPerBranch: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [
        start(),
        fanOut('both', 'left', 'right'),
        batch('letters', 'letters', 2, 2),
        batch('digits', 'digits', 1, 1),
        yields('a', 'output', { inputs: mappingsOf({ slice: 'letters' }) }),
        yields('b', 'output', { inputs: mappingsOf({ slice: 'digits' }) }),
        fanIn('meet'),
        end(),
      ],
      [
        'start->both:left->letters:process->a',
        'letters:continue->meet',
        'both:right->digits:process->b',
        'digits:continue->meet->end',
      ],
    ),
  ],
  input: { letters: ['a', 'b', 'c'], digits: [1, 2] },
  work: ({ nodeId, input }) => ({ value: `${nodeId}:${(input['slice'] as unknown[]).join('')}` }),
};

const child = thread(
  'child',
  [
    start('who'),
    yields('greet', 'greeting'),
    edit('tag', { tagged: true }),
    end({ text: 'greeting', tagged: 'tagged' }),
  ],
  ['start->greet->tag->end'],
);

const called: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [
        start(),
        gosub('call', 'child', {
          inputs: mappingsOf({ who: 'user.name' }),
          outputs: [...mappingsOf({ 'user.greeting': 'text' }), { to: 'user.tagged', expression: 'result.tagged' }],
        }),
        end({ user: 'user' }),
      ],
      ['start->call->end'],
    ),
    child,
  ],
  input: { user: { name: 'Ada' } },
  work: ({ input }) => ({ value: `Hello ${input['who'] as string}` }),
};

const calledInFanOut: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [
        start(),
        fanOut('both', 'left', 'right'),
        gosub('call', 'child', { inputs: mappingsOf({ who: 'name' }), outputs: mappingsOf({ 'output.call': 'text' }) }),
        yields('own', 'output.own'),
        fanIn('meet'),
        end(),
      ],
      ['start->both:left->call->meet', 'both:right->own->meet', 'meet->end'],
    ),
    child,
  ],
  input: { name: 'Ada' },
  // The other branch goes first: the child is still at work then.
  rank: ({ nodeId }) => (nodeId === 'own' ? 0 : 1),
  work: ({ nodeId }) => ({ value: `by ${nodeId}` }),
};

const asking: ThreadScenario = {
  definitions: [thread('w', [start(), ask('who', { title: 'Who?' }), end()], ['start->who->end'])],
  input: { kept: 1, user: { id: 7 } },
  reply: () => ({ user: { name: 'Ada' } }),
};

const askingBeside: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [start(), fanOut('both', 'left', 'right'), ask('who'), yields('own', 'output.own'), fanIn('meet'), end()],
      ['start->both:left->who->meet', 'both:right->own->meet', 'meet->end'],
    ),
  ],
  work: () => ({ value: 1 }),
  reply: () => ({ output: { who: 'Ada' }, dropped: true }),
};

const askingTwice: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [start(), fanOut('both', 'left', 'right'), ask('first'), ask('second'), fanIn('meet'), end()],
      ['start->both:left->first->meet', 'both:right->second->meet', 'meet->end'],
    ),
  ],
  reply: (node) => ({ output: { [node]: 'yes' } }),
};

const everything: ThreadScenario = {
  definitions: [
    thread(
      'w',
      [
        start(),
        batch('slices', 'names', 1, 2),
        gosub('call', 'fanning', {
          inputs: mappingsOf({ names: 'names' }),
          outputs: mappingsOf({ 'output.made': 'output' }),
        }),
        ask('check'),
        ask('publish'),
        end(),
      ],
      ['start->slices:process->call->check', 'slices:continue->publish->end'],
    ),
    thread(
      'fanning',
      [
        start(),
        fanOut('both', 'left', 'right'),
        code('short', 'context.names[0]'),
        yields('long'),
        fanIn('meet'),
        end({ output: 'output' }),
      ],
      ['start->both:left->short->meet', 'both:right->long->meet', 'meet->end'],
    ),
  ],
  input: { names: ['a', 'b', 'c'] },
  work: ({ input }) => ({ value: `${String((input['names'] as string[])[0])}!` }),
  reply: (node) => (node === 'check' ? { output: { checks: 'ok' } } : { published: true }),
};

const askingChild = thread('child', [start(), ask('inner'), end({ said: 'said' })], ['start->inner->end']);

const askingBoth = (isChildFirst: boolean): ThreadScenario => ({
  definitions: [
    thread(
      'w',
      [
        start(),
        fanOut('both', 'left', 'right'),
        gosub('call', 'child', { inputs: [], outputs: mappingsOf({ 'output.child': 'said' }) }),
        yields('first', 'ready'),
        ask('outer'),
        fanIn('meet'),
        end(),
      ],
      isChildFirst
        ? ['start->both:left->call->meet', 'both:right->first->outer->meet', 'meet->end']
        : ['start->both:left->first->call->meet', 'both:right->outer->meet', 'meet->end'],
    ),
    askingChild,
  ],
  work: () => ({ value: true }),
  reply: (node) => (node === 'inner' ? { said: 'child' } : { output: { parent: 'parent' } }),
});

type Expected = Omit<Played, 'problems' | 'error' | 'children'> & Partial<Played>;

const scenarios: readonly (readonly [string, ThreadScenario, Expected])[] = [
  [
    '[T224] 1: a line',
    linear,
    {
      status: 'Success',
      output: { k: 'review', m: 42 },
      rests: ['Success'],
      steps: [],
      peak: 0,
      executions: { 'w/start completed': 1, 'w/tidy completed': 1, 'w/twice completed': 1, 'w/end completed': 1 },
    },
  ],
  [
    '[T225] 2: fan-out and fan-in',
    fanned,
    {
      status: 'Success',
      output: { kept: 1, output: ['A', 'B'] },
      rests: ['Running', 'Running', 'Success'],
      steps: ['a', 'b'],
      peak: 2,
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/a completed': 1,
        'w/b completed': 1,
        'w/meet completed': 3,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T226] 3: branches that meet different fan-ins fail the run',
    diverging,
    {
      status: 'Failed',
      output: null,
      error: 'FAN_IN_DIVERGED',
      rests: ['Running', 'Running', 'Failed'],
      steps: ['a', 'b'],
      peak: 2,
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/a completed': 1,
        'w/b completed': 1,
        'w/one cancelled': 1,
        'w/two cancelled': 1,
      },
    },
  ],
  ...['a', 'b', 'c'].map((slowest): readonly [string, ThreadScenario, Expected] => [
    `[T227] 4: uneven durations, ${slowest} is the slowest`,
    uneven(slowest),
    {
      status: 'Success',
      output: { output: ['a', 'b', 'c'], sum: 'abc' },
      rests: ['Running', 'Running', 'Running', 'Running', 'Success'],
      steps: [...['a', 'b', 'c'].filter((id) => id !== slowest), slowest, 'after'],
      peak: 3,
      executions: {
        'w/start completed': 1,
        'w/three completed': 1,
        'w/a completed': 1,
        'w/b completed': 1,
        'w/c completed': 1,
        'w/meet completed': 4,
        'w/after completed': 1,
        'w/end completed': 1,
      },
    },
  ]),
  [
    '[T228] 5: a batch of 25 in slices of 10, two at a time',
    sliced(10, 2, 25),
    {
      status: 'Success',
      output: { list: numbers(25), output: [10, 10, 5], seen: { length: 25, output: [10, 10, 5] } },
      rests: ['Running', 'Running', 'Running', 'Running', 'Success'],
      steps: ['process', 'process', 'process', 'after'],
      peak: 2,
      executions: {
        'w/start completed': 1,
        'w/slices completed': 1,
        'w/process completed': 3,
        'w/after completed': 1,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T229] 6: batch size zero',
    sliced(0, 2, 5),
    {
      status: 'Success',
      output: { list: numbers(5), output: 5, seen: { length: 5, output: 5 } },
      rests: ['Running', 'Running', 'Success'],
      steps: ['process', 'after'],
      peak: 1,
      executions: {
        'w/start completed': 1,
        'w/slices completed': 1,
        'w/process completed': 1,
        'w/after completed': 1,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T230] 7: a batch of nothing',
    sliced(2, 2, 0),
    {
      status: 'Success',
      output: { list: [], seen: { length: 0, output: 'none' } },
      rests: ['Running', 'Success'],
      steps: ['after'],
      peak: 1,
      executions: {
        'w/start completed': 1,
        'w/slices completed': 1,
        'w/after completed': 1,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T231] 8: what the slices put out is merged and seen afterwards',
    {
      ...sliced(1, 1, 3),
      work: ({ nodeId, input }) => ({ value: nodeId === 'after' ? input['output'] : [input['list'], 'x'] }),
    },
    {
      status: 'Success',
      output: { list: [0, 1, 2], output: [[0], 'x', [1], 'x', [2], 'x'], seen: [[0], 'x', [1], 'x', [2], 'x'] },
      rests: ['Running', 'Running', 'Running', 'Running', 'Success'],
      steps: ['process', 'process', 'process', 'after'],
      peak: 1,
      executions: {
        'w/start completed': 1,
        'w/slices completed': 1,
        'w/process completed': 3,
        'w/after completed': 1,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T232] 9: a batch in each branch of a fan-out',
    batchPerBranch,
    {
      status: 'Success',
      output: { letters: ['a', 'b', 'c'], digits: [1, 2], output: ['a:ab', 'a:c', 'b:1', 'b:2'] },
      rests: ['Running', 'Running', 'Running', 'Running', 'Success'],
      steps: ['a', 'a', 'b', 'b'],
      peak: 3,
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/letters completed': 1,
        'w/digits completed': 1,
        'w/a completed': 2,
        'w/b completed': 2,
        'w/meet completed': 3,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T233] 10: a gosub with mappings',
    called,
    {
      status: 'Success',
      output: { user: { name: 'Ada', greeting: 'Hello Ada', tagged: true } },
      rests: ['Waiting', 'Success'],
      steps: ['greet'],
      peak: 1,
      children: [['child', 'completed', { text: 'Hello Ada', tagged: true }]],
      executions: {
        'w/start completed': 1,
        'w/call completed': 1,
        'w/end completed': 1,
        'child/start completed': 1,
        'child/greet completed': 1,
        'child/tag completed': 1,
        'child/end completed': 1,
      },
    },
  ],
  [
    '[T234] 11: a gosub in one branch of a fan-out',
    calledInFanOut,
    {
      status: 'Success',
      output: { name: 'Ada', output: { call: 'by greet', own: 'by own' } },
      rests: ['Running', 'Waiting', 'Success'],
      steps: ['own', 'greet'],
      peak: 2,
      children: [['child', 'completed', { text: 'by greet', tagged: true }]],
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/call completed': 1,
        'w/own completed': 1,
        'w/meet completed': 3,
        'w/end completed': 1,
        'child/start completed': 1,
        'child/greet completed': 1,
        'child/tag completed': 1,
        'child/end completed': 1,
      },
    },
  ],
  [
    '[T235] 12: one question suspends, its answer resumes',
    asking,
    {
      status: 'Success',
      output: { kept: 1, user: { id: 7, name: 'Ada' } },
      rests: ['Suspended', 'Success'],
      steps: ['who?'],
      peak: 0,
      executions: { 'w/start completed': 1, 'w/who completed': 1, 'w/end completed': 1 },
    },
  ],
  [
    '[T236] 13: a question while another branch is at work',
    askingBeside,
    {
      status: 'Success',
      output: { output: { who: 'Ada', own: 1 } },
      rests: ['Running', 'Suspended', 'Success'],
      steps: ['own', 'who?'],
      peak: 1,
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/who completed': 1,
        'w/own completed': 1,
        'w/meet completed': 3,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T237] 14: two questions, asked one after the other',
    askingTwice,
    {
      status: 'Success',
      output: { output: { first: 'yes', second: 'yes' } },
      rests: ['Suspended', 'Suspended', 'Success'],
      steps: ['first?', 'second?'],
      peak: 0,
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/first completed': 1,
        'w/second completed': 1,
        'w/meet completed': 3,
        'w/end completed': 1,
      },
    },
  ],
  [
    '[T238] 15: batch, gosub and questions together',
    everything,
    {
      status: 'Success',
      output: {
        names: ['a', 'b', 'c'],
        output: { made: ['a', 'a!', 'b', 'b!', 'c', 'c!'], checks: ['ok', 'ok', 'ok'] },
        published: true,
      },
      rests: ['Waiting', 'Waiting', 'Suspended', 'Waiting', 'Suspended', 'Suspended', 'Suspended', 'Success'],
      steps: ['long', 'long', 'check?', 'long', 'check?', 'check?', 'publish?'],
      peak: 2,
      children: ['a', 'b', 'c'].map((name) => ['fanning', 'completed', { output: [name, `${name}!`] }]),
      executions: {
        'w/start completed': 1,
        'w/slices completed': 1,
        'w/call completed': 3,
        'w/check completed': 3,
        'w/publish completed': 1,
        'w/end completed': 1,
        'fanning/start completed': 3,
        'fanning/both completed': 3,
        'fanning/short completed': 3,
        'fanning/long completed': 3,
        'fanning/meet completed': 9,
        'fanning/end completed': 3,
      },
    },
  ],
  ...[true, false].map((isChildFirst): readonly [string, ThreadScenario, Expected] => [
    `[T239] 16: parent and child ask, the ${isChildFirst ? 'child' : 'parent'} first; one queue for both`,
    askingBoth(isChildFirst),
    {
      status: 'Success',
      output: { output: { child: 'child', parent: 'parent' } },
      rests: ['Running', 'Suspended', 'Suspended', 'Success'],
      steps: ['first', ...(isChildFirst ? ['inner?', 'outer?'] : ['outer?', 'inner?'])],
      peak: 1,
      children: [['child', 'completed', { said: 'child' }]],
      executions: {
        'w/start completed': 1,
        'w/both completed': 1,
        'w/call completed': 1,
        'w/first completed': 1,
        'w/outer completed': 1,
        'w/meet completed': 3,
        'w/end completed': 1,
        'child/start completed': 1,
        'child/inner completed': 1,
        'child/end completed': 1,
      },
    },
  ]),
];

onEveryHost('scenarios of threads', (host) => {
  const whole = { error: null, children: [], problems: [] };

  test.each(scenarios)('%s', async (_, scenario, expected) => {
    expect(await playThreads(host, scenario, 'undisturbed')).toEqual({ ...whole, ...expected });
  });

  test.each(scenarios)('%s, with a restart at every rest', async (_, scenario, expected) => {
    expect(await playThreads(host, scenario, 'restarts')).toEqual({ ...whole, ...expected });
  });
});
