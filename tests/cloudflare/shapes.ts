// Shapes: the workflows of the tests with faults. Each ends with a node that tells the outside that it has been there.

const tell = (id: string, more: object = {}): object => ({ id, action: 'tell', ...more });
const told = (id: string): object =>
  tell(id, { inputMapping: { of: 'input.of' }, outputMapping: { 'output.told': 'result.told' } });
const lineOf = (id: string, nodes: readonly { readonly id: string }[]): object => ({
  id,
  initialNode: nodes[0]?.id,
  nodes,
  transitions: nodes.slice(1).map((node, index) => ({ from: nodes[index]?.id, to: node.id })),
});
const line = (id: string, ...nodes: readonly object[]): object => lineOf(id, nodes as { readonly id: string }[]); // all have one

const often = { maxAttempts: 5, backoff: 'exponential', initialDelayMs: 50 };

const fan = {
  id: 'fan',
  initialNode: 'spread',
  nodes: [
    { id: 'spread' },
    tell('each', { inputMapping: { of: 'of' }, outputMapping: { 'output.of': 'result.of' } }),
    tell('end', { inputMapping: { of: 'state.all' } }),
    { id: 'out', outputMapping: { 'output.all': 'state.all' } },
  ],
  transitions: [
    { from: 'spread', to: 'each', foreach: { collection: 'input.items', itemVar: 'of' }, siblingGroup: 'items' },
    {
      from: 'each',
      to: 'end',
      synchronization: {
        siblingGroup: 'items',
        strategy: 'all',
        merge: { source: '_branch.output.of', target: 'state.all', strategy: 'append' },
      },
    },
    { from: 'end', to: 'out' },
  ],
};

/** Nothing but what an action has given, as the run's output: as large as that. */
const largeBy = (id: string, action: string): object =>
  line(
    id,
    { id: 'make', action, inputMapping: { size: 'input.size' }, outputMapping: { 'output.text': 'result.text' } },
    { id: 'end', action: 'tell', inputMapping: { of: 'size(output.text)' } },
  );

/** As an older version of the program has them, which lacks an action, too (`older`), or this one. */
export function definitions(age: string): readonly object[] {
  const changed =
    age === 'older' ? [told('first'), { id: 'pause', wait: { seconds: 3 } }, told('second')] : [told('only')];
  return [
    line('line', told('one'), told('two'), told('end')),
    fan,
    line('nap', { id: 'pause', wait: { seconds: 1 } }, told('end')),
    line('sleep', { id: 'pause', wait: { seconds: 12 } }, told('end')),
    line('long', { id: 'pause', wait: { seconds: 86_400 } }, told('end')),
    line('flaky', tell('end', { inputMapping: { failures: '2' }, retry: often })),
    line('leaf', told('leaf')),
    line('parent', { id: 'child', workflow: 'leaf' }, told('end')),
    line('ask', { id: 'question', input: true }, told('end')),
    line('await', { id: 'call', wait: { event: 'call', correlation: 'input.id' } }, told('end')),
    line('publish', { id: 'call', action: 'publish', inputMapping: { id: 'input.id' } }, told('end')),
    line('outside', { id: 'work', action: 'outside', retry: often }, told('end')),
    line('elsewhere', { id: 'work', action: 'elsewhere', retry: often }, told('end')),
    line('later', { id: 'work', action: 'later' }, told('end')),
    line('changed', ...changed),
    line(
      'double',
      {
        id: 'double',
        action: 'double',
        timeoutMs: 500,
        inputMapping: { n: 'input.n', failures: 'input.failures', fault: 'input.fault' },
        outputMapping: { 'output.n': 'result.n' },
        retry: often,
      },
      told('end'),
    ),
    largeBy('large', 'large'),
    largeBy('large-there', 'largeThere'),
    largeBy('large-outside', 'largeOutside'),
    line(
      'large-given',
      { id: 'pause', wait: { seconds: 0 }, outputMapping: { 'output.text': 'input.text' } },
      tell('end'),
    ),
    line(
      'large-child',
      {
        id: 'child',
        workflow: 'large',
        inputMapping: { size: 'input.size' },
        outputMapping: { 'output.text': 'result.text' },
      },
      tell('end'),
    ),
  ];
}

/** Of a JSON object `{"text":"…"}` that is so large, as the limit counts: in units of UTF-16. Every place of it differs from the others. */
export function largeText(size: number): string {
  const length = size - '{"text":""}'.length;
  const words = Array.from({ length: Math.floor(length / 16) }, (_, n) => `${String(n).padStart(13, '0')}€🧵`);
  return words.join('').concat('x'.repeat(length % 16));
}
