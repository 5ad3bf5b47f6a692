import { beforeAll, describe, expect, test } from 'vitest';
import type { Definition, NodeDefinition, TransitionDefinition } from '../definition/definition.ts';
import { defaultLimits } from '../definition/limits.ts';
import { parseDefinition } from '../definition/parse.ts';
import type { Event } from './events.ts';
import { Trial } from './planning/planning.testsuite.ts';

/** A chance that is the same every time: `draw(n)` gives 0 … n - 1. */
function dice(seed: number): (below: number) => number {
  let number = seed * 7_919;
  return (below) => {
    number = (number * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(number / 65_536) % below;
  };
}

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
    const transitions = ids.slice(0, -1).flatMap((from, index) =>
      Array.from({ length: 1 + this.draw(2) }, () => {
        const to = ids[index + 1 + this.draw(Math.min(3, ids.length - index - 1))] ?? '';
        return this.transition(from, to);
      }),
    );
    return { id: 'random', initialNode: 'n0', nodes, transitions: this.twist(ids, transitions) };
  }

  private work(id: string): Partial<NodeDefinition> {
    return this.pick<Partial<NodeDefinition>>(
      {},
      { action: 'a' },
      { action: 'a', outputMapping: { [`state.${id}`]: 'result.v' } },
      { action: 'a', retry: { maxAttempts: 2, initialDelayMs: 20 } },
      { wait: { seconds: 1 } },
      { workflow: { id: 'x', timeoutMs: 900, onFailure: this.pick('catch', 'propagate') } },
    );
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
      ...(kind === 2 ? { foreach: { collection: 'input', maxParallel: 1 + this.draw(2) }, siblingGroup } : {}),
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

/** Plays a run to its end: results, failures, timers, pauses and crashes in an order that chance decides. */
function play(definition: Definition, { draw, pick }: { draw: Author['draw']; pick: Author['pick'] }): Trial {
  const trial = new Trial(definition, { input: [1, 2, 3].slice(0, draw(4)), limits: { nodesPerRunMax: 150 } });
  for (let step = 0; step < 1_500 && trial.state.outcome === null; step++) {
    const tokens = [...trial.state.tokens.values()];
    const token = tokens[draw(tokens.length)];
    const chance = draw(40);
    if (chance === 0) trial.send({ type: 'recover' });
    else if (chance === 1) trial.send({ type: 'pause' });
    else if (chance < 5) trial.send({ type: 'resume' });
    else if (token?.status === 'waiting_for_subworkflow') {
      trial.childEnded(token.id, pick({ output: { c: 1 } }, { output: 1 }, { status: 'failed' }));
    } else if (token?.status !== 'dispatched') trial.alarmAt(trial.at + draw(300));
    else if (draw(10) === 0) trial.fail(token.id);
    else trial.complete(token.id, pick({ v: step }, {}));
  }
  return trial;
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
      return [{ seed, trial: play(definition, { draw: author.draw, pick: (...choices) => author.pick(...choices) }) }];
    });
  }, 600_000);
  const ofType = <T extends Event['type']>(journal: readonly Event[], type: T) =>
    journal.filter((event): event is Extract<Event, { type: T }> => event.type === type);

  test('[PL1][AP1][AP2] each plans the same on a state, its snapshot and its replay, and comes to an end', () => {
    expect(runs.length).toBeGreaterThan(30);
    expect(runs.filter(({ trial }) => trial.state.outcome === null).map(({ seed }) => seed)).toEqual([]);
    for (const { trial } of runs) {
      const { tokens, groups, dispatched, waitingForChildren } = trial.state;
      expect([tokens.size, groups.size, dispatched, waitingForChildren]).toEqual([0, 0, 0, 0]);
    }
  });

  test('[SY11] a group has at most one continuation, and a join at most one firing per group', () => {
    for (const { trial } of runs) {
      const fired = ofType(trial.journal, 'fan_in.completed').map(({ group }) => group);
      expect(new Set(fired).size).toBe(fired.length);
      const continued = ofType(trial.journal, 'token.created').filter(
        ({ from, via }) => from !== undefined && via === undefined,
      );
      expect(continued.length).toBeLessThanOrEqual(fired.length);
    }
  });

  test('[FO2] every branch of a group begins once, with an index below the total', () => {
    for (const { trial } of runs) {
      for (const { group, token, total } of ofType(trial.journal, 'fan_out.started')) {
        const begun = ofType(trial.journal, 'token.created').flatMap(({ from, branch, count = 1 }) =>
          from === token && branch[0] === group ? Array.from({ length: count }, (_, index) => branch[1] + index) : [],
        );
        expect(new Set(begun).size).toBe(begun.length);
        expect(Math.max(-1, ...begun)).toBeLessThan(total);
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
