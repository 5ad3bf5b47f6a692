import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import type { Definition, NodeDefinition, TransitionDefinition } from '../definition/definition.ts';
import { type Policy, tokenPolicy } from '../definition/graph.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { Lowered } from '../definition/lowered.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { dice } from './dice.testsuite.ts';
import type { BranchRef, Event } from './events.ts';
import { Trial } from './planning/planning.testsuite.ts';
import { isSuspended } from './run-class.ts';
import type { Token } from './state.ts';
import { tellEdges, tellNodes } from './views/nodes-oracle.testsuite.ts';
import { eventsOf, foldOf } from './views/run-fold.testsuite.ts';

class Author {
  readonly draw: (below: number) => number;

  constructor(seed: number) {
    this.draw = dice(seed);
  }

  pick<T>(...choices: readonly T[]): T {
    return choices[this.draw(choices.length)] as T; // there is at least one
  }

  write(): Definition {
    const ids = Array.from({ length: 4 + this.draw(6) }, (_, index) => `n${index}`);
    const nodes = ids.map((id): NodeDefinition => ({ id, ...this.work(id) }));
    const slices = nodes.flatMap(({ id, batch }, index) => (batch ? this.slices(id, ids.slice(index + 1)) : []));
    const transitions = ids.slice(0, -1).flatMap((from, index) =>
      Array.from({ length: 1 + this.draw(2) }, () => {
        const to = ids[index + 1 + this.draw(Math.min(3, ids.length - index - 1))] ?? '';
        return this.transition(from, to);
      }),
    );
    const inputPolicy = this.pick('open' as const, 'serial' as const);
    return {
      id: 'random',
      initialNode: 'n0',
      nodes,
      transitions: [...this.twist(ids, transitions), ...slices],
      inputPolicy,
    };
  }

  /** What a dialect might have compiled it to. */
  lower(definition: Definition): Lowered {
    const isRecorded = this.draw(3) === 0;
    const policy: Policy = {
      ...tokenPolicy,
      noMatch: this.pick('fail', 'end'),
      unjoinedBranches: this.pick('discard', 'last_wins'),
      joinOutsideGroup: this.pick('pass', 'pass', 'fail'),
      oneAtATime: this.draw(4) === 0,
      unhandledFailure: isRecorded ? 'record' : 'fail',
      keepsOutputs: isRecorded,
    };
    return { ...definition, policy };
  }

  private work(id: string): Partial<NodeDefinition> {
    return this.pick<Partial<NodeDefinition>>(
      {},
      { action: 'a' },
      { action: 'a', outputMapping: { [`state.${id}`]: 'result.v' } },
      { action: 'a', retry: { maxAttempts: 2, initialDelayMs: 20 } },
      { wait: { seconds: 1 } },
      { workflow: { id: 'x', timeoutMs: 900, onFailure: this.pick('catch', 'propagate') } },
      { action: 'a', cost: 1 },
      { input: this.pick<true | object>(true, { deadlineMs: 400 }), outputMapping: { [`state.${id}`]: 'result' } },
      { wait: { event: 'e', ...this.pick({}, { timeoutMs: 400 }) } },
      this.batch(),
      this.batch(),
    );
  }

  private batch(): Partial<NodeDefinition> {
    const merge = {
      source: this.pick('_branch.output', 'state.m'),
      strategy: this.pick('append' as const, 'output_merge' as const),
      ...this.pick({}, { target: 'state.m' }),
    };
    return {
      batch: {
        items: 'input.xs',
        batchSize: this.draw(3),
        parallelBatches: 1 + this.draw(3),
        ...this.pick<object>({}, { merge }),
      },
    };
  }

  private slices(from: string, behind: readonly string[]): TransitionDefinition[] {
    if (behind.length === 0) return [];
    const settings = this.pick<Partial<TransitionDefinition>>({}, {}, { onBranchFailure: 'end' });
    return Array.from({ length: this.pick(1, 1, 2) }, () => ({
      from,
      to: behind[this.draw(behind.length)] ?? '',
      on: 'slice' as const,
      ...settings,
    }));
  }

  private transition(from: string, to: string): TransitionDefinition {
    const siblingGroup = this.pick('g', 'h');
    const kind = this.draw(8);
    return {
      from,
      to,
      priority: this.pick(1, 1, 2),
      ...(kind < 2 ? { spawnCount: 2 + this.draw(2), siblingGroup } : {}),
      ...(kind < 2 && this.draw(3) === 0 ? { onBranchFailure: 'end' as const } : {}),
      ...(kind === 2 ? { foreach: { collection: 'input.xs', maxParallel: 1 + this.draw(2) }, siblingGroup } : {}),
      ...(kind > 2 && kind < 6 ? { synchronization: this.join(siblingGroup) } : {}),
      ...(this.draw(4) === 0 ? { condition: this.pick('!has(_branch.index) || _branch.index == 0', 'true') } : {}),
      ...(this.draw(6) === 0 ? { on: this.pick('failure' as const, 'any' as const) } : {}),
    };
  }

  private join(siblingGroup: string): NonNullable<TransitionDefinition['synchronization']> {
    return {
      ...(this.draw(3) > 0 ? { siblingGroup } : {}),
      strategy: this.pick<'all' | 'any' | { mOfN: number }>('all', 'any', { mOfN: 2 }),
      onEarlyComplete: this.pick('cancel', 'abandon'),
      ...(this.draw(3) === 0 ? { timeoutMs: 700, onTimeout: this.pick('fail', 'proceed_with_available') } : {}),
      ...(this.draw(2) === 0 ? { merge: { target: 'state.m', strategy: this.pick('append', 'output_merge') } } : {}),
    };
  }

  /** Now and then a way back, or a node that waits for its edges. */
  private twist(ids: readonly string[], transitions: readonly TransitionDefinition[]): TransitionDefinition[] {
    const back = this.draw(ids.length - 1);
    const loop = {
      from: ids[back + this.draw(ids.length - back)] ?? '',
      to: ids[back] ?? '',
      priority: 0,
      loop: { maxIterations: 1 },
    };
    const target = ids[1 + this.draw(ids.length - 1)];
    const require = this.pick('some' as const, 'all' as const);
    const overEdges = this.draw(3) === 0;
    const twisted = transitions.map((transition): TransitionDefinition => {
      if (!overEdges || transition.to !== target) return transition;
      return { from: transition.from, to: transition.to, synchronization: { over: 'edges', require } };
    });
    return this.draw(4) === 0 ? [...twisted, loop] : twisted;
  }
}

type Chance = Pick<Author, 'draw'> & { pick: Author['pick'] };

/** Plays a run to its end: results, answers, failures, timers, pauses and crashes in an order that chance decides. */
function play(source: Definition | Lowered, chance: Chance): Trial {
  const { draw } = chance;
  const trial = new Trial(source, {
    input: { xs: [1, 2, 3, 4].slice(0, draw(5)) },
    limits: { nodesPerRunMax: 150 },
    start: draw(2) === 0 ? { organization: 'org' } : {},
  });
  for (let step = 0; step < 3_000 && trial.state.outcome === null; step++) {
    const tokens = [...trial.state.tokens.values()].filter((token) => !isBehind(token) || draw(20) === 0);
    const token = tokens[draw(Math.max(tokens.length, 1))];
    const turn = draw(40);
    if (turn === 0) trial.send({ type: 'recover' });
    else if (turn === 1) trial.send({ type: 'pause' });
    else if (turn < 5) trial.send({ type: 'resume' });
    else if (turn === 5) askFromBelow(trial, step, draw);
    else if (token) wake(trial, token, step, chance);
    checkStanding(trial);
  }
  return trial;
}

/** Others come first. */
const isBehind = ({ status, asked }: Token): boolean =>
  status === 'ready' || (status === 'waiting_for_input' && !asked);

/** What the world does for a token. */
function wake(trial: Trial, { id, status, childSuspended }: Token, step: number, { draw, pick }: Chance): void {
  switch (status) {
    case 'dispatched':
      if (draw(10) === 0) trial.fail(id);
      else trial.complete(id, pick({ v: step }, {}));
      return;
    case 'waiting_for_subworkflow':
      if (draw(3) === 0) trial.childChanged(id, childSuspended ? 'child.resumed' : 'child.suspended');
      else trial.childEnded(id, pick({ output: { c: 1 } }, { output: 1 }, { status: 'failed' }));
      return;
    case 'waiting_for_input':
      trial.respond(id, pick<Json>({ said: step }, null));
      return;
    case 'waiting_for_event':
      trial.deliver(id, pick(`e${draw(4)}`, `e${step}`), { expiresAt: trial.at + draw(500) });
      return;
    case 'waiting_for_credits':
      trial.credit(1, { token: id, granted: draw(15) > 0 });
      return;
    case 'ready':
    case 'retrying':
    case 'waiting_for_timer':
    case 'waiting_for_siblings':
    case 'waiting_for_edges':
    case 'waiting_for_batch':
    case 'waiting_for_action':
      trial.alarmAt(trial.at + draw(300));
  }
}

/** A sub-run wants its turn in the queue of prompts, or gives it back. */
function askFromBelow(trial: Trial, step: number, draw: Chance['draw']): void {
  const theirs = [...trial.state.queue.values()].find(({ askingRunId }) => askingRunId === 'CHILD');
  if (theirs) trial.send({ type: 'input.release', ...theirs });
  else if (draw(2) === 0) {
    trial.send({ type: 'input.enqueue', askingRunId: 'CHILD', token: step, correlationId: `theirs-${step}` });
  }
}

/** [SP1] a run has said whether it is suspended; [IN4] of serial prompts the first in the queue is asked, and no other. */
function checkStanding({ state, graph }: Trial): void {
  if (state.outcome !== null) return;
  if (!state.paused) expect(state.suspended).toBe(isSuspended(state));
  if (graph.policy.inputPolicy === 'open') return;
  const asked = [...state.tokens.values()].filter((token) => token.asked).map(({ id }) => id);
  const [first] = state.queue.values();
  expect(asked).toEqual(first && first.askingRunId !== 'CHILD' ? [first.token] : []);
}

const seeds = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

describe('graphs that nobody thought of', () => {
  // FROM and COUNT widen the search: `FROM=1000 COUNT=20000 npx vitest run random-graphs`.
  let runs: { readonly seed: number; readonly trial: Trial }[] = [];
  beforeAll(() => {
    runs = seeds(Number(process.env['FROM'] ?? 1), Number(process.env['COUNT'] ?? 80)).flatMap((seed) => {
      const author = new Author(seed);
      const definition = author.write();
      if (!parseDefinition(definition, { limits: defaultLimits }).definition) return [];
      const source = author.draw(2) === 0 ? definition : author.lower(definition);
      const pick: Author['pick'] = (...choices) => author.pick(...choices);
      return [{ seed, trial: play(source, { draw: author.draw, pick }) }];
    });
  }, 600_000);
  const ofType = <T extends Event['type']>(journal: readonly Event[], type: T) =>
    journal.filter((event): event is Extract<Event, { type: T }> => event.type === type);

  test('[PL1][AP1][AP2] each plans the same on a state, its snapshot and its replay, and comes to an end', () => {
    expect(runs.length).toBeGreaterThan(30);
    expect(runs.filter(({ trial }) => trial.state.outcome === null).map(({ seed }) => seed)).toEqual([]);
    for (const { trial } of runs) {
      const { tokens, groups, queue, dispatched, waitingForChildren, childrenSuspended } = trial.state;
      expect([tokens.size, groups.size, queue.size]).toEqual([0, 0, 0]);
      expect([dispatched, waitingForChildren, childrenSuspended]).toEqual([0, 0, 0]);
      const { waitingForOthers, waitingForCredits, timed } = trial.state;
      expect([waitingForOthers, waitingForCredits, timed]).toEqual([0, 0, 0]);
    }
  });

  test('[SY11][SY14] a group has at most one continuation, and its join completes or fails at most once', () => {
    for (const { seed, trial } of runs) {
      // A join that fails continues too, where its node handles failures (SY14).
      const ends = [...ofType(trial.journal, 'fan_in.completed'), ...ofType(trial.journal, 'fan_in.failed')];
      expect([seed, new Set(ends.map(({ group }) => group)).size]).toEqual([seed, ends.length]);
      const continued = ofType(trial.journal, 'token.created').filter(
        ({ from, via }) => from !== undefined && via === undefined,
      );
      expect([seed, continued.length <= ends.length]).toEqual([seed, true]);
    }
  });

  test('[FO2] every branch of a group begins once, with an index below the total', () => {
    for (const { trial } of runs) {
      for (const { group, token, total } of ofType(trial.journal, 'fan_out.started')) {
        const begun = ofType(trial.journal, 'token.created').flatMap(({ from, via, branch, count = 1 }) =>
          from === token && branch[0] === group
            ? Array.from({ length: count }, (_, index) => `${via} ${branch[1] + index}`)
            : [],
        );
        expect(new Set(begun).size).toBe(begun.length);
        expect(begun.every((line) => Number(line.split(' ')[1]) < total)).toBe(true);
      }
    }
  });

  test('[EJ2][EJ3][EJ8] a join is skipped only if nobody ever comes by its edges, or by one where all are required', () => {
    const nameOf = (branch: BranchRef, edge: string | undefined): string => `${branch.join(':')} ${edge}`;
    for (const { seed, trial } of runs) {
      // After the skip too: with one edge dead that is required, tokens may still come by the others, and end (EJ1).
      const taken = new Set(ofType(trial.journal, 'token.created').map(({ branch, via }) => nameOf(branch, via)));
      for (const { branch, skipped } of ofType(trial.journal, 'edges.settled')) {
        for (const node of skipped) {
          const { require, inbound = [] } = trial.graph.edges?.joins.get(node) ?? {};
          const isDead = inbound.map(({ id }) => !taken.has(nameOf(branch, id)));
          const isRight = require === 'all' ? isDead.includes(true) : !isDead.includes(false);
          expect([seed, node, isRight]).toEqual([seed, node, true]);
        }
      }
    }
  });

  test('[BA7] a batch is done at most once, after all its slices have ended', () => {
    for (const { trial } of runs) {
      const done = ofType(trial.journal, 'batch.completed');
      expect(new Set(done.map(({ token }) => token)).size).toBe(done.length);
      for (const { group, slices } of done) {
        const at = trial.journal.findIndex((event) => event.type === 'batch.completed' && event.group === group);
        const ended = ofType(trial.journal.slice(0, at), 'branch.ended').filter(({ branch }) => branch[0] === group);
        expect(ended).toHaveLength(slices);
      }
    }
  });

  test('[CR4] what was asked for is settled once, at the end', () => {
    for (const { trial } of runs) {
      const asked = ofType(trial.journal, 'credits.requested').length > 0;
      expect(trial.requested.filter((line) => line.startsWith('settle'))).toHaveLength(asked ? 1 : 0);
    }
  });

  test('[VW9][VW10][VW13] the fold of each has the figures that its tokens have, and the state of its journal', () => {
    for (const { seed, trial } of runs) {
      const fold = foldOf(trial);
      const nodes = fold
        .nodeViews()
        .map(({ nodeId, status, visits, attempts, startedAt, endedAt, output, error }) =>
          JSON.stringify([
            nodeId,
            status === 'running' ? 'active' : status,
            visits,
            attempts,
            startedAt,
            endedAt,
            output,
            error,
          ]),
        );
      expect([seed, nodes]).toEqual([seed, tellNodes(trial.journal, trial.graph)]);
      const edges = fold.edges().map(({ edgeId, taken, lastTakenAt }) => `${edgeId} ${taken} ${lastTakenAt ?? -1}`);
      expect([seed, edges]).toEqual([seed, tellEdges(trial.journal, trial.graph)]);
      expect(fold.status).toBe(trial.state.outcome);
    }
  });

  test('[VW14] at every event, the living visits and arrivals of its fold are its living tokens', () => {
    for (const { trial } of runs) {
      const fold = foldOf(trial, { until: 0 });
      for (const event of eventsOf(trial)) {
        fold.add(event);
        const counts = fold.nodes().map(({ active, waiting, arrivals }) => active + waiting + arrivals);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(fold.run.tokens.size);
      }
    }
  });

  test('[TK1] every token has one cause and one end', () => {
    for (const { trial } of runs) {
      const ended = trial.journal.flatMap((event) => {
        if (event.type === 'token.completed' || event.type === 'task.failed') return [event.token];
        const many =
          event.type === 'tokens.completed' || event.type === 'tokens.cancelled' || event.type === 'tokens.timed_out';
        return many ? event.tokens : [];
      });
      expect(new Set(ended).size).toBe(ended.length);
      expect(ended).toHaveLength(trial.state.lastToken);
    }
  });
});
