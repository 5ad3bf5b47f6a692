import { describe, expect, test } from 'vitest';
import { shortHash } from '../base/hash.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { MergeStrategy, NodeDefinition, TransitionDefinition } from '../definition/definition.ts';
import { dice } from './dice.testsuite.ts';
import { flow, Trial, task } from './planning/planning.testsuite.ts';

/** A program over a list: what is done with it, one step after another. */
type Step =
  | { readonly type: 'work'; readonly id: string }
  | {
      readonly type: 'batch';
      readonly id: string;
      readonly size: number;
      readonly parallel: number;
      readonly strategy: MergeStrategy;
      readonly body: readonly Step[];
    }
  | { readonly type: 'each'; readonly id: string; readonly strategy: MergeStrategy; readonly body: readonly Step[] };

class Author {
  readonly draw: (below: number) => number;
  private ids = 0;

  constructor(seed: number) {
    this.draw = dice(seed);
  }

  body(depth: number): Step[] {
    return Array.from({ length: 1 + this.draw(2) }, () => this.step(depth));
  }

  private step(depth: number): Step {
    const id = `n${this.ids++}`;
    const kind = depth === 0 ? 0 : this.draw(4);
    if (kind === 0) return { type: 'work', id };
    const strategy = (['append', 'concat', 'keyed_by_branch', 'last_wins'] as const)[this.draw(4)] ?? 'append';
    const body = this.body(depth - 1);
    if (kind === 1) return { type: 'each', id, strategy, body };
    return { type: 'batch', id, size: this.draw(4), parallel: 1 + this.draw(3), strategy, body };
  }
}

// ------------------------------------------------------------------------------------------- as plain functions

const workOn = (id: string, xs: Json, before: Json): Json => shortHash(JSON.stringify([id, xs, before])).slice(0, 6);

function run(body: readonly Step[], xs: readonly Json[], before: Json): Json {
  let out = before;
  for (const step of body) out = runStep(step, xs, out);
  return out;
}

function runStep(step: Step, xs: readonly Json[], before: Json): Json {
  if (step.type === 'work') return workOn(step.id, xs, before);
  const size = step.type === 'each' ? 1 : step.size || Math.max(xs.length, 1);
  const parts: Json[] = [];
  for (let at = 0; at < xs.length; at += size) parts.push(run(step.body, xs.slice(at, at + size), before));
  return merge(step.strategy, parts);
}

function merge(strategy: MergeStrategy, parts: readonly Json[]): Json {
  if (strategy === 'concat') return parts.flat();
  if (strategy === 'keyed_by_branch') return Object.fromEntries(parts.map((part, index) => [index, part]));
  return strategy === 'last_wins' ? (parts.at(-1) ?? null) : [...parts];
}

// ---------------------------------------------------------------------------------------------------- as a graph

interface Drawn {
  readonly nodes: NodeDefinition[];
  readonly ways: TransitionDefinition[];
}

/** Draws the steps one behind the other; answers with the id of the last node. `lead` says how the first is reached. */
function draw(drawn: Drawn, body: readonly Step[], from: string, lead: Partial<TransitionDefinition> = {}): string {
  let last = from;
  for (const [index, step] of body.entries()) {
    drawn.ways.push({ from: last, to: step.id, ...(index === 0 ? lead : {}) });
    last = drawStep(drawn, step);
  }
  return last;
}

function drawStep(drawn: Drawn, step: Step): string {
  const { id } = step;
  if (step.type === 'work') {
    const inputMapping = { xs: 'state.xs', before: 'state.out' };
    drawn.nodes.push(task(id, { inputMapping, outputMapping: { 'state.out': 'result' } }));
    return id;
  }
  const gathered = { source: '_branch.output.out', strategy: step.strategy };
  if (step.type === 'batch') {
    const batch = { items: 'state.xs', batchSize: step.size, parallelBatches: step.parallel, merge: gathered };
    drawn.nodes.push({ id, batch, outputMapping: { 'state.out': 'result' } });
    draw(drawn, step.body, id, { on: 'slice' });
    return id;
  }
  const [item, joined] = [`${id}-item`, `${id}-join`];
  drawn.nodes.push({ id }, { id: item, outputMapping: { 'state.xs': '[x]' } }, { id: joined });
  drawn.ways.push({ from: id, to: item, foreach: { collection: 'state.xs', itemVar: 'x' }, siblingGroup: id });
  const last = draw(drawn, step.body, item);
  const synchronization = { siblingGroup: id, strategy: 'all', merge: { ...gathered, target: 'state.out' } } as const;
  drawn.ways.push({ from: last, to: joined, synchronization });
  return joined;
}

/** Lets chance decide which task is done next, and loses hosts on the way. */
function play(author: Author, body: readonly Step[], xs: readonly Json[]): Trial {
  const drawn: Drawn = {
    nodes: [{ id: 'load', outputMapping: { 'state.xs': 'input.xs', 'state.out': "'begin'" } }],
    ways: [],
  };
  draw(drawn, body, 'load');
  const trial = new Trial(flow(drawn.nodes, drawn.ways), { input: { xs } });
  while (trial.state.outcome === null) {
    const tokens = [...trial.state.tokens.values()].filter(({ status }) => status === 'dispatched');
    const token = tokens[author.draw(tokens.length)];
    if (!token) throw new Error('Expected a task to be under way, but there is none');
    if (author.draw(20) === 0) trial.send({ type: 'recover' });
    const { xs: seen = null, before = null } = token.input as JsonObject;
    trial.complete(token.id, workOn(token.node, seen, before));
  }
  return trial;
}

describe('batches and fan-outs inside each other', () => {
  // FROM and COUNT widen the search, as in `random-graphs.test.ts`.
  const from = Number(process.env['FROM'] ?? 1);
  const count = Number(process.env['COUNT'] ?? 60);

  test('[BA1][BA2][BA7][BA8] they give what plain loops over the list give', () => {
    for (let seed = from; seed < from + count; seed++) {
      const author = new Author(seed);
      const body = author.body(3);
      const xs = Array.from({ length: author.draw(6) }, (_, index) => index);
      const trial = play(author, body, xs);
      expect([seed, trial.state.outcome, trial.context.state]).toEqual([
        seed,
        'completed',
        { xs, out: run(body, xs, 'begin') },
      ]);
    }
  });
});
