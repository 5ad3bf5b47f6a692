import { describe, expect, test } from 'vitest';
import type { NodeDefinition, TransitionDefinition } from '../definition/definition.ts';
import { dice } from './dice.testsuite.ts';
import type { ChildStart, Message } from './effects.ts';
import { flow, Trial } from './planning/planning.testsuite.ts';
import type { Token } from './state.ts';

/** A workflow that asks, works and calls itself at the same time; branches may fail. */
function askingFlow(draw: (below: number) => number) {
  const kinds: readonly Omit<NodeDefinition, 'id'>[] = [
    { input: true },
    { input: { deadlineMs: 300 } },
    { workflow: 'trial' },
    { action: 'a' },
    { batch: { items: 'input.xs', batchSize: 1, parallelBatches: 2 } },
  ];
  const nodes = Array.from(
    { length: 2 + draw(4) },
    (_, index): NodeDefinition => ({
      ...kinds[draw(kinds.length)],
      id: `n${index}`,
    }),
  );
  const ways = nodes.flatMap(({ id, batch }, index): TransitionDefinition[] => {
    const next = nodes[index + 1]?.id ?? 'end';
    const inGroup = draw(2) === 0 ? { siblingGroup: 'g', onBranchFailure: 'end' as const } : {};
    return [
      { from: 'start', to: id, condition: 'input.depth < 2', ...inGroup },
      { from: id, to: next, on: 'any', condition: 'input.depth < 2' },
      { from: id, to: 'end', on: 'any', priority: 2 },
      ...(batch ? [{ from: id, to: next, on: 'slice' as const }] : []),
    ];
  });
  ways.push({ from: 'start', to: 'end', priority: 2 });
  return flow(['start', ...nodes, 'end'], ways, { inputPolicy: 'serial' });
}

interface Mail {
  readonly from: string;
  readonly to: string;
  readonly message: Message;
}

/** A root and all runs below it, and the messages on their way: in order between any two, in any order else. */
class Tree {
  readonly runs = new Map<string, Trial>();
  readonly calledOff = new Set<string>();
  mail: Mail[] = [];
  private readonly definition: object;

  constructor(definition: object) {
    this.definition = definition;
    this.start('ROOT', { input: { depth: 0, xs: [1, 2] } });
  }

  private start(runId: string, { input, ...child }: Pick<ChildStart, 'input'> & Partial<ChildStart>): void {
    const { parent = null, rootRunId = 'ROOT', depth = 0 } = child;
    const limits = { nodesPerRunMax: 60, nestingMax: 3 };
    const trial = new Trial(this.definition, { input, limits, start: { runId, rootRunId, parent, depth } });
    this.runs.set(runId, trial);
    this.collect(runId, trial);
  }

  collect(from: string, trial: Trial): void {
    for (const effect of trial.effects) {
      if (effect.type === 'send') this.mail.push({ from, to: effect.to, message: effect.message });
    }
  }

  /** Does something to a run, and takes what it has to say. */
  act(runId: string, change: (trial: Trial) => void): void {
    const trial = this.runs.get(runId);
    if (!trial) return;
    change(trial);
    this.collect(runId, trial);
  }

  deliver(place: number): void {
    const chosen = this.mail[place];
    const first = this.mail.find(({ from, to }) => from === chosen?.from && to === chosen.to);
    if (!first) return;
    this.mail = this.mail.filter((mail) => mail !== first);
    const { to, message } = first;
    if (message.type === 'start') this.startBelow(to, message.child);
    else if (this.runs.has(to)) this.act(to, (trial) => trial.send(message));
    else if (message.type === 'cancel') this.calledOff.add(to);
  }

  private startBelow(runId: string, child: ChildStart): void {
    if (this.calledOff.has(runId) || this.runs.has(runId)) return;
    this.start(runId, { ...child, input: { depth: child.depth, xs: [1, 2] } });
  }

  get live(): [string, Trial][] {
    return [...this.runs].filter(([, { state }]) => state.outcome === null);
  }

  /** [SP2] sub-runs of which a parent, when all messages have come, thinks otherwise than they do themselves. */
  get misheard(): string[] {
    return this.live.flatMap(([, { state }]) =>
      [...state.tokens.values()].flatMap(({ childRunId, childSuspended }) => {
        const child = childRunId === null ? undefined : this.runs.get(childRunId)?.state;
        return child && child.outcome === null && child.suspended !== childSuspended ? [childRunId ?? ''] : [];
      }),
    );
  }

  get wasAsked(): number {
    const journals = [...this.runs.values()].flatMap(({ journal }) => journal);
    return journals.filter(({ type }) => type === 'input.requested').length;
  }

  get asked(): Token[] {
    return this.live.flatMap(([, { state }]) => [...state.tokens.values()].filter((token) => token.asked));
  }
}

/** One thing that the world does to a run. */
function move(tree: Tree, draw: (below: number) => number): void {
  const { live } = tree;
  const [runId, trial] = live[draw(live.length)] ?? [];
  if (runId === undefined || !trial) return;
  const tokens = [...trial.state.tokens.values()];
  const token = tokens[draw(Math.max(tokens.length, 1))];
  const turn = draw(60);
  tree.act(runId, () => {
    if (turn === 0 && runId !== 'ROOT') trial.send({ type: 'cancel', reason: 'enough' });
    else if (turn === 1) trial.send({ type: 'pause' });
    else if (turn < 8) trial.send({ type: 'resume' });
    else if (token?.status === 'dispatched' && draw(4) === 0) trial.fail(token.id);
    else if (token?.status === 'dispatched') trial.complete(token.id);
    else if (token?.status === 'waiting_for_input') trial.respond(token.id);
    else trial.alarmAt(trial.at + draw(100));
  });
}

describe('prompts of trees of runs that nobody thought of', () => {
  // FROM and COUNT widen the search, as in `random-graphs.test.ts`.
  const from = Number(process.env['FROM'] ?? 1);
  const count = Number(process.env['COUNT'] ?? 30);

  test('[IN3][IN4][SP2] one prompt is asked at a time in the whole tree, and every one has its turn', () => {
    let [runs, asked] = [0, 0];
    for (let seed = from; seed < from + count; seed++) {
      const draw = dice(seed);
      const tree = new Tree(askingFlow(draw));
      for (let step = 0; step < 4_000 && tree.live.length > 0; step++) {
        if (tree.mail.length > 0 && draw(3) > 0) tree.deliver(draw(tree.mail.length));
        else move(tree, draw);
        expect([seed, tree.asked.length <= 1]).toEqual([seed, true]);
        if (tree.mail.length === 0) expect([seed, tree.misheard]).toEqual([seed, []]);
      }
      expect([seed, tree.live.map(([runId]) => runId)]).toEqual([seed, []]);
      runs += tree.runs.size;
      asked += tree.wasAsked;
    }
    expect([runs > 2 * count, asked > 2 * count]).toEqual([true, true]);
  });
});
